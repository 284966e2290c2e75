// Two servers over one database, for the contracts of records that servers share.
import type { MetadataStore } from '../../src/ports/metadata-store.ts';

export async function openTwoStores(open: () => Promise<MetadataStore>, cleanUp: () => Promise<void> = async () => {}) {
  const store = await open();
  const other = await open();
  const stores: [MetadataStore, MetadataStore] = [store, other];
  return {
    store,
    stores,
    async discard() {
      for (const each of stores) await each.close();
      await cleanUp();
    },
  };
}

// A server that changes what it was sent, as in a row of the table in packages/format/testing/dishonest-server.ts.
import type { PageFile } from '@furoshiki/api';
import { importKey, SEAL_OVERHEAD_BYTES } from '@furoshiki/format';
import type { Change, ServedPage } from '../../format/testing/dishonest-server.ts';
import type { FakeServer } from './fake-server.ts';
import { CHUNK_BYTES, createUploadRig, key, localFile, randomBytes, subtle, type UploadRig } from './rigs.ts';

export const SENT = [3 * CHUNK_BYTES + 5, 2 * CHUNK_BYTES, 4 * CHUNK_BYTES + 1].map(randomBytes);
export const TITLE = 'For you';

export interface SentPage {
  rig: UploadRig;
  server: FakeServer;
  pageId: string;
  otherPageId: string;
}

/** A server with two uploads of three files each. The second one has another key. */
export async function sendTwice(given = key): Promise<SentPage> {
  const rig = createUploadRig();
  const { server } = rig;
  const others = await importKey(subtle, randomBytes(32));
  for (const [index, uploadKey] of [given, others].entries()) {
    const files = (index === 0 ? SENT : SENT.map(({ length }) => randomBytes(length))).map(localFile);
    const note = { title: TITLE };
    await rig.engine.start({ files, key: uploadKey, note, downloadLimit: 5, retentionDays: 1 });
  }
  const [pageId = '', otherPageId = ''] = server.pages.keys();
  return { rig, server, pageId, otherPageId };
}

/** From now on the server serves the changed page. It also gives out what it claims to be unencrypted without a proof. */
export function change({ server, pageId, otherPageId }: SentPage, { page, bytes }: Change): void {
  const served = (id: string): ServedPage => ({
    files: (server.pages.get(id) ?? []).flatMap((fileId) => server.files.get(fileId)?.page ?? []),
    list: server.lists.get(id),
  });
  const storedOf = ({ files }: ServedPage) =>
    files.map((file) => server.files.get(file.id)?.sealed ?? new Uint8Array());
  const [own, other] = [served(pageId), served(otherPageId)];
  const sealed = storedOf(own);
  const changed = bytes?.(sealed, storedOf(other), CHUNK_BYTES + SEAL_OVERHEAD_BYTES) ?? sealed;
  for (const [index, { id }] of own.files.entries()) {
    const stored = server.files.get(id);
    if (stored) stored.sealed = changed[index] ?? new Uint8Array();
  }
  const { files, list } = page?.(own, other) ?? own;
  for (const file of files) {
    const bytesOfFile = server.files.get(file.id)?.sealed ?? sealed[0] ?? new Uint8Array();
    // A page that lists files has all facts of PageFile: the changes only replace some of them.
    server.files.set(file.id, { page: file as PageFile, sealed: bytesOfFile });
  }
  server.pages.set(
    pageId,
    files.map(({ id }) => id),
  );
  if (list === undefined) server.lists.delete(pageId);
  else server.lists.set(pageId, list);
}

// What the app keeps in the browser's private file system at the moment.
import type { Page } from '@playwright/test';

export const sizesOnDisk = (page: Page) =>
  page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('staging', { create: true });
    const sizes: number[] = [];
    for await (const entry of folder.values()) {
      if (entry.kind !== 'file') continue;
      // One that is gone since it was listed is no longer kept.
      const file = await entry.getFile().catch(() => undefined);
      if (file) sizes.push(file.size);
    }
    return sizes.toSorted((a, b) => a - b);
  });

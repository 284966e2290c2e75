// What the app keeps in the browser's private file system at the moment.
import type { Page } from '@playwright/test';

export const sizesOnDisk = (page: Page) =>
  page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('staging', { create: true });
    const sizes: number[] = [];
    for await (const entry of folder.values()) {
      if (entry.kind === 'file') sizes.push((await entry.getFile()).size);
    }
    return sizes.toSorted((a, b) => a - b);
  });

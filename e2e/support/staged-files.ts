// Reads what the app currently stores in the browser's private file system.
import type { Page } from '@playwright/test';

export const sizesOnDisk = (page: Page) =>
  page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle('staging', { create: true });
    const sizes: number[] = [];
    for await (const entry of folder.values()) {
      if (entry.kind !== 'file') continue;
      // Skip a file that was removed after it was listed.
      const file = await entry.getFile().catch(() => undefined);
      if (file) sizes.push(file.size);
    }
    return sizes.toSorted((a, b) => a - b);
  });

/** Returns the number of bytes that the checkpoint of a download records as stored. */
export const stagedBytes = (page: Page) =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle('staging', { create: true });
    for await (const [name, handle] of folder.entries()) {
      if (!name.endsWith('.mark')) continue;
      try {
        const text = await (await (handle as FileSystemFileHandle).getFile()).text();
        return (JSON.parse(text || '{"bytes":0}') as { bytes: number }).bytes;
      } catch {
        // The checkpoint was removed or is being written. The next poll reads it again.
        return 0;
      }
    }
    return 0;
  });

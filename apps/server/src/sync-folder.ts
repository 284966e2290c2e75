// Syncs a folder, so that new and renamed entries in it survive a power cut.
import { open } from 'node:fs/promises';

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

// Makes durable which names a folder holds, as syncing a file does for its bytes.
import { open } from 'node:fs/promises';

export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

// Files on their way to the user's disk, in the origin's private file system. A lock tells that a tab still needs one.

const FOLDER = 'staging';
const lockOf = (name: string) => `furoshiki.staging.${name}`;

const folder = async () => (await navigator.storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true });

export interface StagedFile {
  handle: FileSystemFileHandle;
  remove(): Promise<void>;
}

/** A fresh, empty file that is kept until it is removed or this tab is closed. */
export async function stageFile(): Promise<StagedFile> {
  const name = crypto.randomUUID();
  const release = Promise.withResolvers<void>();
  await new Promise<void>((locked) => {
    void navigator.locks.request(lockOf(name), () => {
      locked();
      return release.promise;
    });
  });
  const parent = await folder();
  const handle = await parent.getFileHandle(name, { create: true });
  return {
    handle,
    async remove() {
      await parent.removeEntry(name);
      release.resolve();
    },
  };
}

/** Removes what tabs that are closed have left behind. */
export async function removeStaleFiles(): Promise<void> {
  const parent = await folder();
  for await (const name of parent.keys()) {
    await navigator.locks.request(lockOf(name), { ifAvailable: true }, async (lock) => {
      if (lock) await parent.removeEntry(name);
    });
  }
}

// What must be true when a transfer has ended.
import type { FailureCode } from '@furoshiki/api';
import { openPage } from '@furoshiki/format';
import { expect } from 'vitest';
import type { FakeServer, StoredFile } from './fake-server.ts';
import type { Outcome } from './fake-disk.ts';
import type { DownloadRig } from './download-rig.ts';
import { key, openStored, subtle, type UploadRig } from './rigs.ts';

export async function expectUploaded(rig: UploadRig, contents: Uint8Array[]): Promise<void> {
  expect(rig.engine.getState().phase).toBe('done');
  expect(rig.server.files.size).toBe(contents.length);
  const stored = storedInOrder(rig);
  expect(await Promise.all(stored.map(openStored))).toEqual(contents);
  // One key opens them all as one page.
  await openPage(subtle, key, { files: stored.map(({ page }) => page) });
}

/** The files of a finished upload, in the order of its result. */
export function storedInOrder({ engine, server }: UploadRig): StoredFile[] {
  const state = engine.getState();
  return 'fileIds' in state ? state.fileIds.flatMap((id) => server.files.get(id) ?? []) : [];
}

export function expectUploadFailed({ engine, server }: UploadRig, code: FailureCode): void {
  expect(engine.getState()).toMatchObject({ phase: 'failed', failure: { code } });
  expectNothingLeft(server);
}

export function expectNothingLeft({ uploads, files }: FakeServer): void {
  expect([...files.keys()]).toEqual([]);
  expect([...uploads.values()].filter((upload) => !upload.completion)).toEqual([]);
}

export function expectDownloaded({ engine, disk }: DownloadRig, content: Uint8Array, confirmed = true): void {
  expect(engine.getState()).toMatchObject({ phase: 'complete', confirmed });
  expect([disk.outcome, Uint8Array.from(disk.bytes)]).toEqual(['finished', content]);
}

/** `outcome` is undefined if nothing was opened. */
export function expectDownloadFailed({ engine, disk }: DownloadRig, code: FailureCode, outcome?: Outcome): void {
  expect(engine.getState()).toMatchObject({ phase: 'failed', failure: { code } });
  expect(disk.outcome).toBe(outcome);
}

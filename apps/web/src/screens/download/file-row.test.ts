import type { PageFile } from '@furoshiki/api';
import { fileStatesOf } from '@furoshiki/transfer';
import { expect, it } from 'vitest';
import { rowOf } from './file-row.tsx';
import type { ShownPage } from './use-download-page.ts';

const FILES = ['a', 'b'].map((id) => ({ id, maxDownloads: 5, currentDownloads: 0, fileSize: 100 })) as PageFile[];

function pageWith(given: Parameters<typeof fileStatesOf>[0]): ShownPage {
  const states = fileStatesOf(given);
  const state = { phase: 'shown', files: FILES, states, queue: [], archive: { phase: 'idle' }, isLimitReached: false };
  const warnings = { isInApp: false, memoryWarningAbove: undefined };
  return { state, engine: shared, saveAgain: shared, access: { kind: 'open' }, warnings } as never;
}
const shared = {} as never;

/** What React.memo compares. */
const isSameRow = (before: object, after: object) =>
  Object.entries(after).every(([name, value]) => value === before[name as keyof typeof before]);

it('changes the row of the file that has changed, and no other', () => {
  const choosing = { phase: 'choosing' } as const;
  const before = pageWith({ a: choosing, b: choosing });
  const after = pageWith({ a: { phase: 'failed', failure: shared }, b: choosing });
  expect(FILES.map((file, index) => isSameRow(rowOf(before, file, index), rowOf(after, file, index)))).toEqual([
    false,
    true,
  ]);
});

it('changes every row when the first file begins, because no file can be deleted then', () => {
  const before = pageWith({});
  const after = pageWith({ a: { phase: 'choosing' } });
  const canDelete = (page: typeof before) => FILES.map((file, index) => rowOf(page, file, index).canDelete);
  expect([canDelete(before), canDelete(after)]).toEqual([
    [true, true],
    [false, false],
  ]);
});

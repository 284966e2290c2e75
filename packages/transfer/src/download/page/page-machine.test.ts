import { expect, it } from 'vitest';
import { changedFiles, fileStateOf, fileStatesOf, LOADING_PAGE, reducePage } from './page-machine.ts';

it('a change of one of 1,000 files copies the states of a few', () => {
  const ids = Array.from({ length: 1000 }, () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url'),
  );
  const states = fileStatesOf(Object.fromEntries(ids.map((id) => [id, { phase: 'queued' }])));
  const before = { ...LOADING_PAGE, states };
  const [, id = ''] = ids;
  const after = reducePage(before, { type: 'deleting', id });
  expect(changedFiles(before, after)).toEqual([id]);
  expect([fileStateOf(before, id).phase, fileStateOf(after, id).phase]).toEqual(['queued', 'deleting']);
  const copied = after.states.filter((bucket, index) => bucket !== before.states[index]);
  expect(copied).toHaveLength(1);
  expect(Object.keys(copied[0] ?? {}).length).toBeLessThan(100);
  const emptied = reducePage(after, { type: 'emptyQueue' });
  expect(new Set(ids.map((other) => fileStateOf(emptied, other).phase))).toEqual(new Set(['idle', 'deleting']));
});

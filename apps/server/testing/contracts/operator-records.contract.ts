// The contract of what the operator can ask.
import { expect, it } from 'vitest';
import { caller, type MetadataFixture, newCompletion, NOW } from './metadata-fixture.ts';
import { NO_LIMITS } from '../no-limits.ts';

export function describeOperatorRecords(fixture: MetadataFixture): void {
  const { anUpload, open } = fixture;

  it('counts what is stored without scanning live files, and counts live grants', async () => {
    const { store: empty, discard: discardEmpty } = await open();
    const insert = async (id: string) => {
      await empty.insertUpload({ ...template, id, fileKey: id, storedSize: 100 }, NO_LIMITS);
    };
    const complete = (fileKey: string) => empty.completeUpload(fileKey, newCompletion({ pageId: fileKey }));
    const template = await anUpload();
    expect(await empty.tally()).toMatchObject({ storedBytes: 0, liveFiles: 0, openUploads: 0, doomedFiles: 0 });
    for (const id of ['a', 'b', 'c', 'd']) await insert(id);
    for (const id of ['a', 'b', 'c']) await complete(id);
    await empty.doomFile('c', NOW);
    expect(await empty.tally()).toMatchObject({ storedBytes: 400, liveFiles: 2, openUploads: 1, doomedFiles: 1 });
    await empty.forget('c');
    await empty.forget('c');
    expect(await empty.tally()).toMatchObject({ storedBytes: 300, liveFiles: 2, openUploads: 1, doomedFiles: 0 });
    await empty.takeGrant('a', caller('one'), NOW + 10, () => true);
    await empty.takeGrant('a', caller('two'), NOW + 20, () => true);
    const message = { id: 'm', subject: '', text: '', replyTo: undefined, createdAtMs: NOW };
    expect(await empty.tally()).toMatchObject({ waitingMessages: 0 });
    await empty.addMessage(message);
    expect(await empty.tally()).toMatchObject({ waitingMessages: 1, waitingReports: 0 });
    await empty.addReport({ id: 'r', pageId: 'a', reason: 'x', replyTo: undefined, createdAtMs: NOW }, undefined);
    expect(await empty.tally()).toMatchObject({ waitingMessages: 1, waitingReports: 1 });
    expect([await empty.countGrants(NOW), await empty.countGrants(NOW + 10)]).toEqual([2, 1]);
    await discardEmpty();
  });

  it('responds, finds no damage, and tries writing without changing anything', async () => {
    const before = await fixture.store.tally();
    await fixture.store.ping();
    await fixture.store.tryWriting();
    expect(await fixture.store.tally()).toEqual(before);
    expect(await fixture.store.findDamage(1e9)).toEqual({ damage: [], unread: [] });
  });
}

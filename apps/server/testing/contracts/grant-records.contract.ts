// The contract of grants and the download limit.
import { expect, it } from 'vitest';
import { caller, DAY, type MetadataFixture, newCompletion, newUpload, NOW } from './metadata-fixture.ts';
import { NO_LIMITS } from '../no-limits.ts';

export function describeGrantRecords(fixture: MetadataFixture): void {
  const { aFile, open } = fixture;

  it('gives exactly as many grants as the limit allows, however many clients ask at once', async () => {
    const file = await aFile({ maxDownloads: 3 });
    const takings = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        fixture.store.takeGrant(file.id, caller(`client ${n}`), NOW + DAY, () => true),
      ),
    );
    expect(takings.filter(({ outcome }) => outcome === 'granted')).toHaveLength(3);
    expect(takings.filter(({ outcome }) => outcome === 'limit-reached')).toHaveLength(37);
    expect((await fixture.store.findFile(file.id, caller('x')))?.currentDownloads).toBe(3);
  });

  it('counts one download when the same client takes the grant again while its grant is live, even concurrently', async () => {
    const file = await aFile({ maxDownloads: 2 });
    const ask = (nowMs = NOW) => fixture.store.takeGrant(file.id, caller('a', nowMs), nowMs + 1000, () => true);
    const takings = await Promise.all([ask(), ask(), ask()]);
    expect(takings.map(({ outcome }) => outcome)).toEqual(['granted', 'granted', 'granted']);
    expect(await fixture.store.findFile(file.id, caller('a'))).toMatchObject({ currentDownloads: 1, granted: true });
    expect(await fixture.store.findFileByKey(file.fileKey, caller('a'))).toMatchObject({ granted: true });
    expect(await fixture.store.findFileByKey(file.fileKey, caller('b'))).toMatchObject({ granted: false });
    await ask(NOW + 1000);
    expect((await fixture.store.findFile(file.id, caller('a')))?.currentDownloads).toBe(2);
    expect(await ask(NOW + 2000)).toEqual({ outcome: 'limit-reached' });
  });

  it('asks whether a client is allowed before it spends or renews anything', async () => {
    const file = await aFile({ maxDownloads: 1 }, { format: 2, accessCheck: 'check' });
    const take = (clientHash: string, isAllowed: boolean) =>
      fixture.store.takeGrant(file.id, caller(clientHash), NOW + DAY, ({ accessCheck }) => {
        expect(accessCheck).toBe('check');
        return isAllowed;
      });
    const refused = { outcome: 'not-allowed' };
    expect(await take('a', false)).toEqual(refused);
    expect((await fixture.store.findFile(file.id, caller('a')))?.currentDownloads).toBe(0);
    expect(await take('a', true)).toMatchObject({ outcome: 'granted' });
    expect([await take('a', false), await take('b', false)]).toEqual([refused, refused]);
    expect(await take('b', true)).toEqual({ outcome: 'limit-reached' });
  });

  it('dooms a file at its limit when its last grant has ended, and not before', async () => {
    const file = await aFile({ maxDownloads: 2 });
    await fixture.store.takeGrant(file.id, caller('a'), NOW + DAY, () => true);
    await fixture.store.takeGrant(file.id, caller('b'), NOW + DAY, () => true);
    await fixture.store.endGrant(file.id, caller('a'));
    expect(await fixture.store.doomIfUsedUp(file.id, NOW)).toBeUndefined();
    await fixture.store.endGrant(file.id, caller('b'));
    expect(await fixture.store.doomIfUsedUp(file.id, NOW)).toMatchObject({ id: file.id, fileKey: file.fileKey });
    expect(await fixture.store.findFile(file.id, caller('a'))).toBeUndefined();
    expect(await fixture.store.doomIfUsedUp(file.id, NOW)).toBeUndefined();
  });

  it('keeps a file that has downloads remaining when its grants end', async () => {
    const file = await aFile({ maxDownloads: 2 });
    await fixture.store.takeGrant(file.id, caller('a'), NOW + DAY, () => true);
    await fixture.store.endGrant(file.id, caller('a'));
    expect(await fixture.store.doomIfUsedUp(file.id, NOW)).toBeUndefined();
  });

  it('forgets a bounded number of expired grants at a time, and no live one', async () => {
    const { store, discard } = await open();
    const upload = newUpload({ maxDownloads: 9 });
    await store.insertUpload(upload, NO_LIMITS);
    await store.completeUpload(upload.fileKey, newCompletion());
    for (const [client, expiresAtMs] of [
      ['a', NOW + 1],
      ['b', NOW + 2],
      ['c', NOW + 3],
      ['d', NOW + 9],
    ] as const)
      await store.takeGrant(upload.id, caller(client), expiresAtMs, () => true);
    await store.forgetGrants(NOW + 3, 2);
    expect(await store.countGrants(0)).toBe(2);
    await store.forgetGrants(NOW + 3, 2);
    expect([await store.countGrants(0), await store.countGrants(NOW + 8)]).toEqual([1, 1]);
    await discard();
  });
}

// The contract of resume secrets.
import { expect, it } from 'vitest';
import { DAY, type MetadataFixture, newId, NOW } from './metadata-fixture.ts';

export function describeResumeSecretRecords(fixture: MetadataFixture): void {
  async function aSecret({ expiresAtMs = NOW + DAY, addressHash = newId(), max = 9 } = {}) {
    const idHash = newId();
    const secret = { idHash, secret: newId(), addressHash, expiresAtMs, endsAtMs: NOW + 3 * DAY };
    return { ...secret, isAdded: await fixture.store.addResumeSecret(secret, max) };
  }
  const read = (idHash: string, nowMs = NOW) => fixture.store.renewResumeSecret(idHash, nowMs, nowMs + DAY);

  it('keeps a resume secret until it expires, and longer if it is renewed, up to its end', async () => {
    const renewed = await aSecret();
    const other = await aSecret();
    expect(await read(renewed.idHash, NOW + DAY - 1)).toBe(renewed.secret);
    expect(await read(other.idHash, NOW + DAY)).toBeUndefined();
    expect(await read(renewed.idHash, NOW + 2 * DAY - 2)).toBe(renewed.secret);
    expect(await read(renewed.idHash, NOW + 3 * DAY - 3)).toBe(renewed.secret);
    expect(await read(renewed.idHash, NOW + 3 * DAY)).toBeUndefined();
  });

  it('removes a resume secret once', async () => {
    const { idHash } = await aSecret();
    const expired = await aSecret({ expiresAtMs: NOW });
    expect(await fixture.store.removeResumeSecret(idHash, NOW)).toBe(true);
    expect(await fixture.store.removeResumeSecret(idHash, NOW)).toBe(false);
    expect(await fixture.store.removeResumeSecret(expired.idHash, NOW)).toBe(false);
    expect(await read(idHash)).toBeUndefined();
  });

  it('stores only as many resume secrets of one address as allowed', async () => {
    const addressHash = newId();
    const first = await aSecret({ addressHash, max: 2 });
    const isAdded = async () => (await aSecret({ addressHash, max: 2 })).isAdded;
    expect([first.isAdded, await isAdded(), await isAdded()]).toEqual([true, true, false]);
    expect((await aSecret({ max: 2 })).isAdded).toBe(true);
    await fixture.store.removeResumeSecret(first.idHash, NOW);
    expect(await isAdded()).toBe(true);
  });

  it('forgets a bounded number of expired resume secrets at a time, and no other', async () => {
    const { store, discard } = await fixture.open();
    const ends = [NOW + 1, NOW + 2, NOW + 3, NOW + 9];
    for (const expiresAtMs of ends)
      await store.addResumeSecret(
        { idHash: newId(), secret: 's', addressHash: 'a', expiresAtMs, endsAtMs: NOW + 9 },
        9,
      );
    const forget = () => store.forgetResumeSecrets(NOW + 3, 2);
    expect([await forget(), await forget(), await forget()]).toEqual([2, 1, 0]);
    await discard();
  });
}

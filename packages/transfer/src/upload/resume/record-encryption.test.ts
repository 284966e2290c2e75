import { expect, it } from 'vitest';
import { createRig } from '../../../testing/rigs.ts';
import { createResumeSecrets } from './record-encryption.ts';

function createSecrets(faults: Record<string, 'break' | 'refuse'> = {}) {
  const rig = createRig({ faultOf: ({ name, nth }) => faults[`${name} ${nth}`] });
  return { ...rig, secrets: createResumeSecrets({ ...rig, api: rig.server.api }) };
}

it('returns the same resume secret until it is dropped, then none', async () => {
  const { secrets } = createSecrets();
  const { id, secret } = await secrets.create();
  expect([await secrets.read(id), await secrets.read(id)]).toEqual([secret, secret]);
  await secrets.drop(id);
  expect(await secrets.read(id)).toBeUndefined();
  await expect(secrets.drop(id)).resolves.toBeUndefined();
});

it('waits for the network: a missing server is not a missing secret', async () => {
  const { secrets, network, clock } = createSecrets();
  const { id, secret } = await secrets.create();
  network.pull();
  const read = secrets.read(id);
  await clock.sleep(60_000, new AbortController().signal);
  network.plug();
  expect(await read).toBe(secret);
});

it('retries every call, so that the secret does not outlive the upload because of one lost request', async () => {
  const faults = { 'createResumeSecret 1': 'break', 'readResumeSecret 1': 'break', 'dropResumeSecret 1': 'break' };
  const { secrets } = createSecrets(faults as Record<string, 'break'>);
  const { id, secret } = await secrets.create();
  expect(await secrets.read(id)).toBe(secret);
  await secrets.drop(id);
  expect(await secrets.read(id)).toBeUndefined();
});

it('stops waiting when the signal aborts', async () => {
  const { secrets, network } = createSecrets();
  const { id } = await secrets.create();
  network.pull();
  const leaving = new AbortController();
  const read = secrets.read(id, leaving.signal);
  leaving.abort();
  await expect(read).rejects.toMatchObject({ code: 'CANCELLED' });
});

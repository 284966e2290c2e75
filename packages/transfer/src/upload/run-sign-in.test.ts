import { Failure } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { expectNothingLeft, expectUploaded, expectUploadFailed } from '../../testing/outcomes.ts';
import { CHUNK_BYTES, createUploadRig, randomBytes, type UploadRig } from '../../testing/rigs.ts';

const HOUR_MS = 3_600_000;
const files = Array.from({ length: 20 }, () => randomBytes(CHUNK_BYTES + 5));
const { signal } = new AbortController();
const pass = (rig: UploadRig, ms = HOUR_MS) => rig.clock.sleep(ms, signal);
const counts = ({ server }: UploadRig) => [server.counts.get('initUpload'), server.counts.get('uploadPermission') ?? 0];

/** An upload whose user has not signed in. The first 16 files ask for it together. */
async function waitingUpload(...contents: Uint8Array<ArrayBuffer>[]) {
  const rig = createUploadRig();
  rig.server.needsSignIn = true;
  const ended = rig.upload(...contents);
  await pass(rig);
  return { rig, ended };
}

describe('an upload that requires a sign-in', () => {
  it('waits without asking again, and continues when the user has signed in', async () => {
    const { rig, ended } = await waitingUpload(...files);
    expect(rig.engine.getState()).toMatchObject({ phase: 'uploading', signIn: 'waiting' });
    expect(counts(rig)).toEqual([16, 0]);
    rig.server.needsSignIn = false;
    rig.signIn.suggest();
    await ended;
    await expectUploaded(rig, files);
    expect(counts(rig)).toEqual([16 + 20, 1]);
    expect([rig.signIn.state(), rig.signIn.continuedCount(), rig.signIn.listenerCount()]).toEqual(['none', 1, 0]);
  });

  it('waits for the rest of its files if the pass expires half-way, and sends none of them twice', async () => {
    const rig: UploadRig = createUploadRig({
      faultOf({ name, nth }) {
        if (name === 'initUpload' && nth === 18) rig.server.needsSignIn = true;
        return undefined;
      },
    });
    const ended = rig.upload(...files);
    await pass(rig);
    expect(rig.engine.getState()).toMatchObject({ signIn: 'waiting', fileIndex: 17 });
    expect(rig.server.files.size).toBe(17);
    rig.server.needsSignIn = false;
    rig.signIn.check();
    await ended;
    await expectUploaded(rig, files);
    expect(rig.server.counts.get('put')).toBe(2 * files.length);
  });

  it('goes on waiting if the server has not seen the user sign in, and says so', async () => {
    const { rig, ended } = await waitingUpload(...files);
    rig.signIn.suggest();
    await pass(rig, 1);
    expect(rig.engine.getState()).toMatchObject({ phase: 'uploading', signIn: 'refused' });
    expect(counts(rig)).toEqual([16, 1]);
    rig.server.needsSignIn = false;
    rig.signIn.check();
    await ended;
    await expectUploaded(rig, files);
  });

  it('asks once more if the user may have signed in while the server was asked', async () => {
    const { rig, ended } = await waitingUpload(...files);
    rig.signIn.suggest();
    rig.signIn.suggest();
    rig.signIn.suggest();
    await pass(rig, 1);
    expect(counts(rig)).toEqual([16, 2]);
    await rig.engine.cancel();
    await ended;
  });

  it('waits for the network to find out whether the user has signed in', async () => {
    const { rig, ended } = await waitingUpload(...files);
    rig.server.needsSignIn = false;
    rig.network.pull();
    rig.signIn.suggest();
    await pass(rig);
    expect(rig.engine.getState()).toMatchObject({ signIn: 'waiting', isWaitingForNetwork: true });
    rig.network.plug();
    await ended;
    await expectUploaded(rig, files);
  });

  it('waits for another hint if the server fails to say', async () => {
    const { rig, ended } = await waitingUpload(...files);
    rig.server.needsSignIn = false;
    rig.server.faultOf = ({ name }) => {
      if (name === 'uploadPermission') throw new Failure('FORBIDDEN', { status: 403 });
      return undefined;
    };
    rig.signIn.suggest();
    await pass(rig);
    expect(rig.engine.getState()).toMatchObject({ signIn: 'waiting' });
    rig.server.faultOf = () => undefined;
    rig.signIn.suggest();
    await ended;
    await expectUploaded(rig, files);
  });

  it('does not ask without end if servers disagree about it', async () => {
    const { rig, ended } = await waitingUpload(...files);
    const { api } = rig.server;
    const ask = api.call;
    api.call = (name, ...rest) =>
      name === 'uploadPermission' ? (Promise.resolve({ allowed: true }) as never) : ask(name, ...rest);
    rig.signIn.suggest();
    await pass(rig);
    expect(rig.engine.getState()).toMatchObject({ signIn: 'waiting' });
    expect(counts(rig)).toEqual([32, 0]);
    await rig.engine.cancel();
    await ended;
  });

  it('can be cancelled while it waits', async () => {
    const { rig, ended } = await waitingUpload(...files);
    await rig.engine.cancel();
    await ended;
    expect(rig.engine.getState().phase).toBe('cancelled');
    expect([rig.signIn.state(), rig.signIn.listenerCount()]).toEqual(['none', 0]);
    expectNothingLeft(rig.server);
  });

  it('fails in a client without a way to sign in', async () => {
    const rig = createUploadRig({ cannotSignIn: true });
    rig.server.needsSignIn = true;
    await rig.upload(...files);
    expectUploadFailed(rig, 'SIGN_IN_REQUIRED');
  });
});

// The call for many small files, over the fake server, and what lines and dishonest servers do to its responses.
import { asFailure, Failure, frameStart, LAST_FRAME } from '@furoshiki/api';
import { createSmallFilesFetcher } from '../src/download/file/fetch-small-files.ts';
import { createSmallFiles, type SmallFiles } from '../src/download/file/small-files.ts';
import { cryptoOf, type Rig } from './rigs.ts';

/** A platform that receives each small file by itself. */
export const WITHOUT_SMALL_FILES: SmallFiles = {
  isSmall: () => false,
  receive: async () => undefined,
  inTurn: (_plan, run) => run(),
};

export interface SmallFilesRig {
  /** The ids of each request that has arrived. */
  requests: string[][];
  /** Changes the frames of a response, the last one included. May throw instead, as a server that refuses the call. */
  change?(frames: Uint8Array[], request: number): Uint8Array[];
}

export function createFakeSmallFiles({ server, clock }: Rig, rig: SmallFilesRig): SmallFiles {
  async function frameOf(id: string, headers: Record<string, string>): Promise<Uint8Array> {
    try {
      const { requiresDecryptionConfirmation } = await server.api.call('takeGrant', { params: { id }, headers });
      const sealed = server.files.get(id)?.sealed ?? new Uint8Array();
      const start = frameStart({ id, status: 200, body: { requiresDecryptionConfirmation } }, sealed.length);
      return Buffer.concat([start, sealed]);
    } catch (thrown) {
      const { code, details } = asFailure(thrown);
      return frameStart({ id, status: details.status ?? 500, body: { errorCode: code, error: '', message: '' } }, 0);
    }
  }
  const fetcher = createSmallFilesFetcher({
    crypto: cryptoOf(clock),
    async post({ headers, body }, onPiece, signal) {
      if (!server.isReachable) throw new Failure('NETWORK');
      const { ids } = JSON.parse(body) as { ids: string[] };
      const frames: Uint8Array[] = [];
      for (const id of ids) frames.push(await frameOf(id, headers));
      frames.push(LAST_FRAME);
      const nth = rig.requests.push(ids);
      const changed = rig.change ? rig.change(frames, nth) : frames;
      for (const piece of changed) {
        if (signal.aborted) throw new Failure('CANCELLED');
        onPiece(piece);
        await clock.sleep(1, signal);
      }
    },
  });
  const token = { get: async () => 'token', renew: async () => 'renewed' };
  return createSmallFiles({ clock, token, fetcher });
}

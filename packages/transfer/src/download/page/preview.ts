// Receives one file into memory, so that it can be looked at before it is saved. Its grant stays unconfirmed: saving the file
// afterwards takes the same grant, as a download does that was interrupted, so both together count once.
import { Failure } from '@furoshiki/api';
import { MB } from '@furoshiki/format';
import type { Destination } from '../../ports.ts';
import type { Confirmations } from '../file/confirmations.ts';
import { planFetch } from '../file/fetch-plan.ts';
import { createDownload, type DownloadEngine, type DownloadPorts, type DownloadSettings } from '../file/run.ts';
import { canDownload, type PageAction, type PageState, type ShownFile } from './page-machine.ts';
import { isLimit } from './page-queue.ts';

type Bytes = Uint8Array<ArrayBuffer>;

/** All of it is in memory, and a picture also needs memory for its pixels. */
const MAX_PREVIEW_BYTES = 100 * MB;

const PICTURE_TYPES = /^image\/(?:png|jpeg|gif|webp)$/u;
const PICTURE_NAMES = /\.(?:png|jpe?g|jfif|gif|webp)$/iu;
const TEXT_TYPES = /^(?:image\/svg\+xml|text\/.*|application\/(?:json|xml|javascript))$/u;
const TEXT_NAMES =
  /\.(?:svg|txt|md|csv|tsv|log|json|xml|html?|css|m?js|ts|tsx|jsx|py|rb|go|rs|java|c|h|cpp|sh|sql|ya?ml|toml|ini|conf|tex|srt|vtt|vcf|ics|eml|diff|patch)$/iu;

/**
 * What the file may be shown as. Name and type are only a hint, because the sender can choose them: what the bytes are is decided
 * when all of them are there.
 */
export function previewKind({ fileName, opened }: ShownFile): 'picture' | 'text' | undefined {
  const { type = '', folder } = opened?.details ?? {};
  if (folder !== undefined) return undefined;
  if (PICTURE_NAMES.test(fileName) || PICTURE_TYPES.test(type)) return 'picture';
  return TEXT_NAMES.test(fileName) || TEXT_TYPES.test(type) ? 'text' : undefined;
}

/** Whether to offer to open the file. A file that was saved has ended its grant, so opening it would count again. */
export function canPreview(state: PageState, file: ShownFile): boolean {
  const hasSize = file.fileSize > 0 && file.fileSize <= MAX_PREVIEW_BYTES;
  return previewKind(file) !== undefined && hasSize && canDownload(state, file, 'click');
}

export interface Preview {
  /** Ends the one before. Resolves to the whole file, after its last chunk was authenticated. Throws a Failure. */
  open(file: ShownFile): Promise<Bytes>;
  close(): Promise<void>;
}

interface PreviewOptions extends DownloadSettings {
  getState(): PageState;
  dispatch(action: PageAction): void;
  /** Called when the counts have changed. */
  onEnd(): Promise<void>;
}

/** The server ends a grant that is confirmed. */
const UNCONFIRMED: Confirmations = { confirm: async () => false, resend: async () => undefined };

export function createPreview(ports: DownloadPorts, { getState, dispatch, onEnd, lanes }: PreviewOptions): Preview {
  let running: DownloadEngine | undefined;

  async function close(): Promise<void> {
    const ended = running;
    running = undefined;
    dispatch({ type: 'previewChanged', preview: undefined });
    await ended?.cancel();
  }

  return {
    async open(file) {
      const { id } = file;
      await close();
      const plan = planFetch(file, getState().hasKey);
      const engine = createDownload({ ...ports, confirmations: UNCONFIRMED }, { lanes });
      running = engine;
      engine.subscribe(() => {
        if (running === engine) dispatch({ type: 'previewChanged', preview: { id, state: engine.getState() } });
      });
      const { destination, take } = memoryFor(plan.contentSize);
      await engine.start({ plan, destination });
      const end = engine.getState();
      if (end.phase === 'failed' && isLimit(end.failure)) dispatch({ type: 'limitReached' });
      if (end.phase !== 'cancelled') void onEnd();
      if (end.phase === 'failed') throw end.failure;
      if (end.phase !== 'complete' || running !== engine) throw new Failure('CANCELLED');
      return take();
    },
    close,
  };
}

function memoryFor(size: number): { destination: Destination; take(): Bytes } {
  let whole: Bytes = new Uint8Array(0);
  let length = 0;
  const drop = async () => void (whole = new Uint8Array(0));
  const sink = {
    startsAt: 0,
    async write(bytes: Bytes) {
      if (length + bytes.length > size) throw new Failure('DECRYPTION_FAILED');
      whole.set(bytes, length);
      length += bytes.length;
    },
    async finish() {
      if (length !== size) throw new Failure('DECRYPTION_FAILED');
    },
    suspend: drop,
    discard: drop,
  };
  const destination: Destination = {
    async open() {
      whole = new Uint8Array(size);
      return sink;
    },
  };
  return { destination, take: () => whole };
}

import { Failure } from '@furoshiki/api';
import type { OpenMedia, PageEngine, PageState, ShownFile } from '@furoshiki/transfer';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Downloads, Looked } from '../../services.ts';
import { createPreview } from './use-preview.ts';

const [a, b] = ['a', 'b'].map((id) => ({ id, fileName: id })) as [ShownFile, ShownFile];
const film = {
  id: 'film',
  fileName: 'film.mp4',
  fileSize: 9,
  isEncrypted: false,
  maxDownloads: 1,
  currentDownloads: 0,
} as ShownFile;
const PAGE = { phase: 'shown', states: [], archive: { phase: 'idle' } } as unknown as PageState;
const history = { state: null, pushState: vi.fn<() => void>(), back: vi.fn<() => void>() };

beforeEach(() => {
  vi.clearAllMocks();
  vi.stubGlobal('history', history);
  vi.stubGlobal('location', { href: '' });
});

function createRig() {
  const bitmap = { close: vi.fn<() => void>() };
  const shown = { kind: 'picture', bitmap } as unknown as Looked;
  const media: OpenMedia = { size: 9, read: async () => new Uint8Array(1), end: vi.fn<() => void>() };
  const engine = {
    preview: vi.fn<PageEngine['preview']>(async () => new Uint8Array(1)),
    closePreview: vi.fn<PageEngine['closePreview']>(async () => undefined),
    openMedia: vi.fn<PageEngine['openMedia']>(async () => media),
    getState: () => PAGE,
  };
  const lookAt = vi.fn<Downloads['lookAt']>(async () => shown);
  const played = { kind: 'video' as const, address: '/playing/1', end: vi.fn<() => void>() };
  const playMedia = vi.fn<Downloads['playMedia']>(async () => played);
  return { bitmap, engine, lookAt, media, played, playMedia, preview: createPreview(engine, { lookAt, playMedia }) };
}

const isShown = ({ preview }: ReturnType<typeof createRig>) =>
  vi.waitFor(() => expect(preview.get()?.content.phase).toBe('shown'));

it('goes back once when it is closed, however often, and frees the picture', async () => {
  const rig = createRig();
  rig.preview.open(a);
  await isShown(rig);
  rig.preview.close();
  rig.preview.close();
  expect([history.pushState.mock.calls.length, history.back.mock.calls.length]).toEqual([1, 1]);
  expect(rig.bitmap.close).not.toHaveBeenCalled();
  rig.preview.goneBack();
  rig.preview.close();
  expect([rig.preview.get(), history.back.mock.calls.length]).toEqual([undefined, 1]);
  expect([rig.bitmap.close.mock.calls.length, rig.engine.closePreview.mock.calls.length]).toEqual([1, 1]);
});

it('opens a file that is chosen while the browser still goes back', async () => {
  const rig = createRig();
  rig.preview.open(a);
  await isShown(rig);
  rig.preview.close();
  rig.preview.open(b);
  rig.preview.goneBack();
  await vi.waitFor(() => expect(rig.preview.get()).toMatchObject({ file: b, content: { phase: 'shown' } }));
  expect(history.pushState).toHaveBeenCalledTimes(2);
});

it('does not open it if the page was left', async () => {
  const rig = createRig();
  rig.preview.open(a);
  rig.preview.close();
  rig.preview.open(b);
  rig.preview.end();
  rig.preview.goneBack();
  expect(rig.preview.get()).toBeUndefined();
});

it('frees a picture that was decoded after it was closed', async () => {
  const rig = createRig();
  const decoded = Promise.withResolvers<Looked>();
  rig.lookAt.mockReturnValue(decoded.promise);
  rig.preview.open(a);
  await vi.waitFor(() => expect(rig.lookAt).toHaveBeenCalled());
  rig.preview.goneBack();
  expect(rig.lookAt.mock.calls[0]?.[1].aborted).toBe(true);
  decoded.resolve({ kind: 'picture', bitmap: rig.bitmap } as unknown as Looked);
  await vi.waitFor(() => expect(rig.bitmap.close).toHaveBeenCalled());
  expect(rig.preview.get()).toBeUndefined();
});

it('says why a file could not be opened, unless it was closed', async () => {
  const rig = createRig();
  rig.engine.preview.mockRejectedValue(new Failure('NETWORK'));
  rig.preview.open(a);
  await vi.waitFor(() => expect(rig.preview.get()?.content).toMatchObject({ failure: { code: 'NETWORK' } }));
  rig.preview.open(b);
  rig.preview.goneBack();
  await Promise.resolve();
  expect(rig.preview.get()).toBeUndefined();
});

it('plays a film without receiving the whole of it, and ends that when it is closed', async () => {
  const rig = createRig();
  rig.preview.open(film);
  await isShown(rig);
  expect(rig.preview.get()?.content).toEqual({ phase: 'shown', shown: rig.played });
  expect([rig.engine.preview.mock.calls.length, rig.playMedia.mock.calls[0]?.[0]]).toEqual([0, rig.media]);
  rig.preview.end();
  expect(rig.played.end).toHaveBeenCalledTimes(1);
});

it('says why a film stops, but not after it was closed', async () => {
  const rig = createRig();
  rig.preview.open(film);
  await isShown(rig);
  const fail = rig.playMedia.mock.calls[0]?.[1];
  fail?.(new Failure('DECRYPTION_FAILED'));
  expect(rig.preview.get()?.content).toMatchObject({ phase: 'failed', failure: { code: 'DECRYPTION_FAILED' } });
  expect(rig.played.end).toHaveBeenCalledTimes(1);
  rig.preview.end();
  fail?.(new Failure('NETWORK'));
  expect(rig.preview.get()).toBeUndefined();
});

it('says that what only has the name of a film cannot be shown, and reads no more of it', async () => {
  const rig = createRig();
  rig.playMedia.mockResolvedValue(undefined);
  rig.preview.open(film);
  await isShown(rig);
  expect(rig.preview.get()?.content).toEqual({ phase: 'shown', shown: { kind: 'other' } });
  expect(rig.media.end).toHaveBeenCalledTimes(1);
});

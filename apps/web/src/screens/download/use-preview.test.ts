import { Failure } from '@furoshiki/api';
import type { PageEngine, ShownFile } from '@furoshiki/transfer';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Downloads, Shown } from '../../services.ts';
import { createPreview } from './use-preview.ts';

const [a, b] = ['a', 'b'].map((id) => ({ id })) as [ShownFile, ShownFile];
const history = { state: null, pushState: vi.fn<() => void>(), back: vi.fn<() => void>() };

beforeEach(() => {
  vi.clearAllMocks();
  vi.stubGlobal('history', history);
  vi.stubGlobal('location', { href: '' });
});

function createRig() {
  const bitmap = { close: vi.fn<() => void>() };
  const shown = { kind: 'picture', bitmap } as unknown as Shown;
  const engine = {
    preview: vi.fn<PageEngine['preview']>(async () => new Uint8Array(1)),
    closePreview: vi.fn<PageEngine['closePreview']>(async () => undefined),
  };
  const lookAt = vi.fn<Downloads['lookAt']>(async () => shown);
  return { bitmap, engine, lookAt, preview: createPreview(engine, lookAt) };
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
  const decoded = Promise.withResolvers<Shown>();
  rig.lookAt.mockReturnValue(decoded.promise);
  rig.preview.open(a);
  await vi.waitFor(() => expect(rig.lookAt).toHaveBeenCalled());
  rig.preview.goneBack();
  expect(rig.lookAt.mock.calls[0]?.[1].aborted).toBe(true);
  decoded.resolve({ kind: 'picture', bitmap: rig.bitmap } as unknown as Shown);
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

// The file that is open on the download page: receives or plays it, and frees its memory when it is closed. The
// browser's Back button closes it, like a page of its own.
import { asFailure, type Failure } from '@furoshiki/api';
import { canPlay, type PageEngine, type ShownFile } from '@furoshiki/transfer';
import { useEffect, useState, useSyncExternalStore } from 'react';
import type { Downloads, Shown } from '../../services.ts';

export interface OpenPreview {
  file: ShownFile;
  content: { phase: 'opening' } | { phase: 'shown'; shown: Shown } | { phase: 'failed'; failure: Failure };
}

export interface Preview {
  current: OpenPreview | undefined;
  /** The same function as long as the page is the same. */
  open(file: ShownFile): void;
  close(): void;
}

type Viewers = Pick<Downloads, 'lookAt' | 'playMedia'>;

export function usePreview(engine: PageEngine, viewers: Viewers): Preview {
  const [preview] = useState(() => createPreview(engine, viewers));
  const current = useSyncExternalStore(preview.subscribe, preview.get);
  useEffect(() => {
    addEventListener('popstate', preview.goneBack);
    return () => {
      removeEventListener('popstate', preview.goneBack);
      preview.end();
    };
  }, [preview]);
  return { current, open: preview.open, close: preview.close };
}

type OpeningEngine = Pick<PageEngine, 'preview' | 'closePreview' | 'openMedia' | 'getState'>;

export function createPreview(engine: OpeningEngine, { lookAt, playMedia }: Viewers) {
  const listeners = new Set<() => void>();
  let current: OpenPreview | undefined;
  let abort = new AbortController();
  let isClosing = false;
  /** Opened while the browser still goes back. */
  let next: ShownFile | undefined;

  function change(next: OpenPreview | undefined): void {
    if (current?.content.phase === 'shown') free(current.content.shown);
    current = next;
    for (const listener of listeners) listener();
  }

  async function show(file: ShownFile): Promise<void> {
    abort.abort();
    abort = new AbortController();
    const { signal } = abort;
    change({ file, content: { phase: 'opening' } });
    const fail = (thrown: unknown) => {
      if (!signal.aborted) change({ file, content: { phase: 'failed', failure: asFailure(thrown) } });
    };
    try {
      const shown = canPlay(engine.getState(), file) ? await play(file, fail) : await receive(file, signal);
      if (signal.aborted) free(shown);
      else change({ file, content: { phase: 'shown', shown } });
    } catch (thrown) {
      fail(thrown);
    }
  }

  const receive = async ({ id }: ShownFile, signal: AbortSignal) => lookAt(await engine.preview(id), signal);

  async function play({ id }: ShownFile, onFailure: (thrown: unknown) => void): Promise<Shown> {
    const media = await engine.openMedia(id);
    const played = await playMedia(media, onFailure).catch((thrown: unknown) => {
      media.end();
      throw thrown;
    });
    if (!played) media.end();
    return played ?? { kind: 'other' };
  }

  function open(file: ShownFile): void {
    if (isClosing) {
      next = file;
      return;
    }
    // An entry of its own, which the Back button removes.
    if (!current) history.pushState(history.state, '', location.href);
    void show(file);
  }

  function end(): void {
    isClosing = false;
    next = undefined;
    if (!current) return;
    abort.abort();
    change(undefined);
    void engine.closePreview();
  }

  return {
    get: () => current,
    subscribe(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    open,
    close() {
      // Going back twice would leave the page.
      if (!current || isClosing) return;
      isClosing = true;
      history.back();
    },
    goneBack() {
      const wanted = next;
      end();
      if (wanted) open(wanted);
    },
    /** Call when the page is left. */
    end,
  };
}

function free(shown: Shown): void {
  if (shown.kind === 'picture') shown.bitmap.close();
  if ('address' in shown) shown.end();
}

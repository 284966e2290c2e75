// The download screen's view of its page: the files, and how to ask for them again.
import { asFailure, type Failure, type PageFile } from '@furoshiki/core';
import { useCallback, useEffect, useState } from 'react';
import { useServices } from '../../services.ts';

export type PageView =
  | { phase: 'loading' }
  | { phase: 'shown'; files: readonly PageFile[] }
  | { phase: 'not-found' }
  | { phase: 'failed'; failure: Failure };

export function usePage(pageID: string): [PageView, () => void] {
  const { api } = useServices();
  const [view, setView] = useState<PageView>({ phase: 'loading' });

  const load = useCallback(
    async (signal?: AbortSignal) => {
      try {
        const { files } = await api.call('page', { params: { pageID } }, signal);
        setView((view) => ({ phase: 'shown', files: [...files, ...goneFrom(view, files)] }));
      } catch (thrown) {
        const failure = asFailure(thrown);
        if (failure.code === 'CANCELLED') return;
        // An id that cannot be one is a link that was cut or mistyped: nothing is there.
        const isMissing = failure.code === 'NOT_FOUND' || failure.code === 'VALIDATION_FAILED';
        setView((view) => {
          if (view.phase === 'shown') return view;
          return isMissing ? { phase: 'not-found' } : { phase: 'failed', failure };
        });
      }
    },
    [api, pageID],
  );

  useEffect(() => {
    const controller = new AbortController();
    void load(controller.signal);
    return () => controller.abort();
  }, [load]);

  return [view, () => void load()];
}

/** Files that were shown and are gone stay on the screen: the reader may just have saved the last download of one. */
function goneFrom(view: PageView, files: readonly PageFile[]): readonly PageFile[] {
  if (view.phase !== 'shown') return [];
  const left = new Set(files.map(({ id }) => id));
  return view.files.filter(({ id }) => !left.has(id));
}

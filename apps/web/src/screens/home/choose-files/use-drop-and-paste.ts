// Files that are dropped or pasted anywhere on the page.
import { useEffect, useEffectEvent, useState } from 'react';
import { droppedFiles, type IncomingFiles, pickedFiles } from './incoming-files.ts';

/** Answers whether files are being dragged over the page. */
export function useDropAndPaste(onFiles: (given: IncomingFiles) => void): boolean {
  const [isOver, setOver] = useState(false);
  const take = useEffectEvent(onFiles);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    // Fires again and again while something is over the page, so that its silence says that it has left.
    let leaving: ReturnType<typeof setTimeout> | undefined;
    addEventListener(
      'dragover',
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        clearTimeout(leaving);
        leaving = setTimeout(() => setOver(false), 300);
        setOver(true);
      },
      { signal },
    );
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        clearTimeout(leaving);
        setOver(false);
        void droppedFiles(event.dataTransfer).then(take);
      },
      { signal },
    );
    addEventListener(
      'paste',
      ({ clipboardData }) => {
        if (clipboardData && clipboardData.files.length > 0)
          take({ files: pickedFiles(clipboardData.files), unreadable: [] });
      },
      { signal },
    );
    return () => {
      clearTimeout(leaving);
      controller.abort();
    };
  }, []);

  return isOver;
}

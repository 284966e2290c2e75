// Receives files that are dropped or pasted anywhere on the page.
import { useEffect, useEffectEvent, useState } from 'react';
import { droppedFiles, type IncomingFiles, pickedFiles } from './incoming-files.ts';

/** Returns whether files are being dragged over the page. */
export function useDropAndPaste(onFiles: (incoming: IncomingFiles) => void): boolean {
  const [isDraggedOver, setDraggedOver] = useState(false);
  const addFiles = useEffectEvent(onFiles);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    // `dragover` repeats while files are over the page. If it stops, they have left the page.
    let leaveTimer: ReturnType<typeof setTimeout> | undefined;
    addEventListener(
      'dragover',
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        clearTimeout(leaveTimer);
        leaveTimer = setTimeout(() => setDraggedOver(false), 300);
        setDraggedOver(true);
      },
      { signal },
    );
    addEventListener(
      'drop',
      (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        clearTimeout(leaveTimer);
        setDraggedOver(false);
        void droppedFiles(event.dataTransfer).then(addFiles);
      },
      { signal },
    );
    addEventListener(
      'paste',
      ({ clipboardData }) => {
        if (clipboardData && clipboardData.files.length > 0)
          addFiles({ files: pickedFiles(clipboardData.files), unreadable: [] });
      },
      { signal },
    );
    return () => {
      clearTimeout(leaveTimer);
      controller.abort();
    };
  }, []);

  return isDraggedOver;
}

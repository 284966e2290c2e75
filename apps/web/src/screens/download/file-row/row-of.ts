// What a row needs of its page. Each value stays the same while the row looks the same, so that a change of one file
// draws one row: with a thousand files, drawing all of them takes longer than a download.
import type { PageFile } from '@furoshiki/api';
import { canDownload, type FileState, fileStateOf, isPageBusy, type PageEngine } from '@furoshiki/transfer';
import type { DownloadPage } from '../use-download-page.ts';

export interface FileRowProps {
  file: PageFile;
  state: FileState;
  engine: PageEngine;
  /** Instead of a download. Undefined if the key is there, or if there is none. */
  askForKey: (() => void) | undefined;
  saveAgain: DownloadPage['saveAgain'];
  isSender: boolean;
  isOnlyFile: boolean;
  isLargeForMemory: boolean;
  canDownload: boolean;
  canDelete: boolean;
  isLimitReached: boolean;
  isWaitingForNetwork: boolean;
}

export function rowOf({ state, engine, saveAgain, ...page }: DownloadPage, file: PageFile): FileRowProps {
  const { memoryWarningAbove = Number.POSITIVE_INFINITY } = page.warnings;
  return {
    file,
    state: fileStateOf(state, file.id),
    engine,
    askForKey: page.isReady ? undefined : page.askForKey,
    saveAgain,
    isSender: page.isSender,
    isOnlyFile: state.files.length === 1,
    isLargeForMemory: file.fileSize > memoryWarningAbove,
    canDownload: page.isClickable && canDownload(state, file, 'click'),
    canDelete: !isPageBusy(state),
    isLimitReached: state.isLimitReached,
    isWaitingForNetwork: state.isWaitingForNetwork,
  };
}

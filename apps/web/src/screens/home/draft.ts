// What the sender has prepared. It outlives the home screen, so that reading another page loses nothing.
import { DEFAULT_RETENTION_DAYS, DOWNLOAD_LIMIT, type RetentionDays } from '@furoshiki/api';
import { EMPTY_SELECTION, type Selection } from './choose-files/selection.ts';

export interface Draft {
  selection: Selection;
  retentionDays: RetentionDays;
  downloadLimit: number;
  isEncrypted: boolean;
  uploadToken: string;
  /** For the recipient. */
  title: string;
  message: string;
}

export const EMPTY_DRAFT: Draft = {
  selection: EMPTY_SELECTION,
  retentionDays: DEFAULT_RETENTION_DAYS,
  downloadLimit: DOWNLOAD_LIMIT.default,
  isEncrypted: true,
  uploadToken: '',
  title: '',
  message: '',
};

// Derives analytics events from state changes. Pure.
import { type AnalyticsEventName, uploadCategory } from '@furoshiki/api';
import type { Screen } from '@furoshiki/site';
import type { UploadState } from '@furoshiki/transfer';

export interface AnalyticsEvent {
  event: AnalyticsEventName;
  /** Never a name, an id, a link, a key or a size: only values from closed lists. */
  facts: Record<string, string>;
}

export function eventsOfUpload(before: UploadState, now: UploadState): AnalyticsEvent[] {
  if (before.phase === now.phase) return [];
  if (now.phase === 'done')
    return [
      { event: 'file_upload_completed', facts: {} },
      { event: 'share_link_created', facts: {} },
      ...(now.separatePages ? [errorDuring('grouping')] : []),
    ];
  if (now.phase === 'failed') return [errorDuring('upload', uploadCategory(now.failure))];
  return [];
}

type Activity = 'start-up' | 'upload' | 'grouping' | 'page' | 'download' | 'delete' | 'contact';

/** `category` is from a closed list, or left out if it is not known. */
export function errorDuring(during: Activity, category?: string): AnalyticsEvent {
  return { event: 'error_occurred', facts: category === undefined ? { during } : { during, category } };
}

/** Reports that the user opened a page about how files are protected. */
export function eventsOfScreen(screen: Screen): AnalyticsEvent[] {
  if (screen.name !== 'content' || (screen.page !== 'security' && screen.page !== 'encryption-info')) return [];
  return [{ event: 'secure_info_action', facts: { page: screen.page } }];
}

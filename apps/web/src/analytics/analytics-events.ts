// Derives analytics events from state changes. Pure.
import { type AnalyticsEventName, downloadCategory, type Screen, uploadCategory } from '@furoshiki/core';
import type { PageState, UploadState } from '@furoshiki/transfer';

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

export function eventsOfPage(before: PageState, now: PageState): AnalyticsEvent[] {
  const files: AnalyticsEvent[] = [];
  if (now.phase === 'failed' && before.phase !== 'failed')
    files.push(errorDuring('page', now.failure && downloadCategory(now.failure)));
  // One state has changed, of a thousand perhaps.
  for (const id of Object.keys(now.states)) {
    const state = now.states[id];
    if (state === before.states[id] || state?.phase === before.states[id]?.phase) continue;
    if (state?.phase === 'complete') files.push({ event: 'file_download_completed', facts: {} });
    if (state?.phase === 'failed') files.push(errorDuring('download', downloadCategory(state.failure)));
    const wasDeleting = before.states[id]?.phase === 'deleting';
    // A file that was deleted is no longer listed.
    if (wasDeleting && now.files.some((file) => file.id === id)) files.push(errorDuring('delete'));
  }
  if (before.archive.phase === now.archive.phase) return files;
  if (now.archive.phase === 'complete') return [...files, { event: 'file_download_completed', facts: { as: 'zip' } }];
  if (now.archive.phase === 'failed') return [...files, errorDuring('download', downloadCategory(now.archive.failure))];
  return files;
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

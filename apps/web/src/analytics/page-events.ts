// Derives the analytics events of a download page from state changes. Pure. Loaded with the code that only downloads need.
import { downloadCategory } from '@furoshiki/api';
import { changedFiles, fileStateOf, type PageState } from '@furoshiki/transfer';
import type { AnalyticsEvent } from '../services.ts';
import { errorDuring } from './analytics-events.ts';

export function eventsOfPage(before: PageState, now: PageState): AnalyticsEvent[] {
  const files: AnalyticsEvent[] = [];
  if (now.phase === 'failed' && before.phase !== 'failed')
    files.push(errorDuring('page', now.failure && downloadCategory(now.failure)));
  for (const id of changedFiles(before, now)) {
    const state = fileStateOf(now, id);
    const { phase: phaseBefore } = fileStateOf(before, id);
    if (state.phase === phaseBefore) continue;
    if (state.phase === 'complete') files.push({ event: 'file_download_completed', facts: {} });
    if (state.phase === 'failed') files.push(errorDuring('download', downloadCategory(state.failure)));
    const wasDeleting = phaseBefore === 'deleting';
    // A file that was deleted is no longer listed.
    if (wasDeleting && now.files.some((file) => file.id === id)) files.push(errorDuring('delete'));
  }
  if (before.archive.phase === now.archive.phase) return files;
  if (now.archive.phase === 'complete') return [...files, { event: 'file_download_completed', facts: { as: 'zip' } }];
  if (now.archive.phase === 'failed') return [...files, errorDuring('download', downloadCategory(now.archive.failure))];
  return files;
}

import { Failure } from '@furoshiki/core';
import type { PageState } from '@furoshiki/transfer';
import { expect, it } from 'vitest';
import { eventsOfPage, eventsOfScreen, eventsOfUpload } from './analytics-events.ts';

const failure = new Failure('NETWORK');
const page = (more: Partial<PageState>): PageState => ({
  phase: 'shown',
  files: [],
  states: {},
  queue: [],
  isLimitReached: false,
  archive: { phase: 'idle' },
  isWaitingForNetwork: false,
  ...more,
});

it('tells of an upload that it ended, once, and nothing of what it held', () => {
  const done = { phase: 'done', pageId: 'secret', fileIds: ['secret'] } as const;
  expect(eventsOfUpload({ phase: 'idle' }, done)).toEqual([
    { event: 'file_upload_completed', facts: {} },
    { event: 'share_link_created', facts: {} },
  ]);
  expect(eventsOfUpload(done, done)).toEqual([]);
  expect(eventsOfUpload({ phase: 'idle' }, { phase: 'failed', failure, fileName: 'secret' })).toEqual([
    { event: 'error_occurred', facts: { during: 'upload', category: 'networkError' } },
  ]);
  expect(eventsOfUpload({ phase: 'idle' }, { phase: 'cancelled' })).toEqual([]);
});

it('tells of a download that it is complete or has failed, once for each file', () => {
  const running = page({ states: { secret: { phase: 'queued' }, other: { phase: 'idle' } } });
  const failed = page({ states: { secret: { phase: 'failed', failure }, other: { phase: 'idle' } } });
  expect(eventsOfPage(page({}), running)).toEqual([]);
  expect(eventsOfPage(running, failed)).toEqual([
    { event: 'error_occurred', facts: { during: 'download', category: 'networkError' } },
  ]);
  expect(eventsOfPage(failed, failed)).toEqual([]);
});

it('tells that somebody reads how files are protected', () => {
  expect(eventsOfScreen({ name: 'content', page: 'security' })).toEqual([
    { event: 'secure_info_action', facts: { page: 'security' } },
  ]);
  expect(eventsOfScreen({ name: 'content', page: 'terms' })).toEqual([]);
  expect(eventsOfScreen({ name: 'home' })).toEqual([]);
});

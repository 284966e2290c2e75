import { Failure } from '@furoshiki/api';
import { fileStatesOf, type PageState } from '@furoshiki/transfer';
import { expect, it } from 'vitest';
import { eventsOfScreen, eventsOfUpload } from './analytics-events.ts';
import { eventsOfPage } from './page-events.ts';

const failure = new Failure('NETWORK');
const page = (more: Partial<PageState>): PageState => ({
  phase: 'shown',
  files: [],
  states: fileStatesOf({}),
  queue: [],
  isLimitReached: false,
  archive: { phase: 'idle' },
  isWaitingForNetwork: false,
  ...more,
});

it('reports the end of an upload once, and nothing about its content', () => {
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

it('reports once per file that its download is complete or has failed', () => {
  const running = page({ states: fileStatesOf({ secret: { phase: 'queued' }, other: { phase: 'idle' } }) });
  const failed = page({ states: fileStatesOf({ secret: { phase: 'failed', failure }, other: { phase: 'idle' } }) });
  expect(eventsOfPage(page({}), running)).toEqual([]);
  expect(eventsOfPage(running, failed)).toEqual([
    { event: 'error_occurred', facts: { during: 'download', category: 'networkError' } },
  ]);
  expect(eventsOfPage(failed, failed)).toEqual([]);
});

it('reports that the files of an upload could not be grouped', () => {
  const separatePages = [{ fileName: 'secret', pageId: 'secret' }];
  const done = { phase: 'done', pageId: 'secret', fileIds: ['secret'], separatePages } as const;
  expect(eventsOfUpload({ phase: 'idle' }, done).at(-1)).toEqual({
    event: 'error_occurred',
    facts: { during: 'grouping' },
  });
});

it('reports once that a page could not be loaded', () => {
  const failed = page({ phase: 'failed', failure });
  expect(eventsOfPage(page({ phase: 'loading' }), failed)).toEqual([
    { event: 'error_occurred', facts: { during: 'page', category: 'networkError' } },
  ]);
  expect(eventsOfPage(failed, failed)).toEqual([]);
  expect(eventsOfPage(page({ phase: 'loading' }), page({ phase: 'not-found' }))).toEqual([]);
});

it('reports a deletion that failed, not one that succeeded', () => {
  const files = [{ id: 'secret' }] as unknown as PageState['files'];
  const deleting = page({ files, states: fileStatesOf({ secret: { phase: 'deleting' } }) });
  const states = fileStatesOf({ secret: { phase: 'idle' } });
  expect(eventsOfPage(deleting, page({ files, states }))).toEqual([
    { event: 'error_occurred', facts: { during: 'delete' } },
  ]);
  expect(eventsOfPage(deleting, page({ states }))).toEqual([]);
});

it('reports that the user reads how files are protected', () => {
  expect(eventsOfScreen({ name: 'content', page: 'security' })).toEqual([
    { event: 'secure_info_action', facts: { page: 'security' } },
  ]);
  expect(eventsOfScreen({ name: 'content', page: 'terms' })).toEqual([]);
  expect(eventsOfScreen({ name: 'home' })).toEqual([]);
});

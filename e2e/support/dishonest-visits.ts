// The same script, added to pages or modules for some visitors only.
import type { IncomingMessage } from 'node:http';
import {
  addCode,
  addScript,
  ALL,
  always,
  anotherPage,
  BROWSERS,
  type Check,
  type DishonestChange,
  fileLike,
  GIVEN_PAGE,
  header,
  NONE,
  OTHER_PAGE,
  type When,
} from './dishonest-changes.ts';

const page = (row: string, path: string, when: When, noticedBy: readonly Check[]): DishonestChange => ({
  row,
  path,
  change: addScript,
  when,
  noticedBy,
});
const isAgain: When = ({ url = '' }, { times }) => (times.get(url) ?? 0) > 1;
const namesOf = ({ rawHeaders }: IncomingMessage) => rawHeaders.filter((_, index) => index % 2 === 0);

/** These and those of dishonest-contents.ts run against real browsers in `npm test`. English pages, so that it costs little. */
export const REPRESENTATIVE_VISITS: readonly DishonestChange[] = [
  page('a page, for everyone', '/en/how-to-use', always, ALL),
  page('a page, for those who accept zstd', '/en/faq', header('accept-encoding', /zstd/u), ALL),
  page('a page, only for Firefox', '/en/security', header('user-agent', /Firefox/u), ['requests', 'firefox']),
  page('a page, only for Chromium', '/en/privacy', header('user-agent', /\) Chrome\//u), ['requests', 'chromium']),
  page('a page, with a cookie', '/en/terms', header('cookie', /./u), ALL),
  page('a page, without a cookie', '/', header('cookie', /^$/u), ALL),
  page('a page, only if it is requested again', '/en/encryption-info', isAgain, ALL),
  page('the page of a link, which is given to `verify`', GIVEN_PAGE, always, ALL),
  page('the page of another link', OTHER_PAGE, always, NONE),
  {
    row: 'a module, only after the page that loads it',
    path: fileLike(/^assets\/contact-screen-.*\.js$/u),
    change: addCode,
    // A browser requests what a page needs after that page. `verify` goes through a list.
    when: (_, visitor) => visitor.page === '/en/contact',
    noticedBy: BROWSERS,
  },
  page('a page, only for Safari', '/en/contact', header('user-agent', /Version\/.* Safari/u), NONE),
  page('a page, only in Korean', '/download', header('accept-language', /^ko/u), NONE),
  page('a page, only after 2,000 requests', '/en', (_, { requests }) => requests > 2000, NONE),
];

const some = (row: string, when: When, noticedBy: readonly Check[]) => page(row, anotherPage(), when, noticedBy);
const navigation = (name: string, pattern: RegExp) => header(`sec-fetch-${name}`, pattern);

export const MORE_VISITS: readonly DishonestChange[] = [
  some('a page, for those whose requests look like a browser’s', navigation('mode', /^navigate$/u), ALL),
  some('a page, for those whose requests look like a browser’s', navigation('dest', /^document$/u), ALL),
  some('a page, for those whose requests look like a browser’s', header('upgrade-insecure-requests', /1/u), ALL),
  some('a page, for those whose requests look like a browser’s', header('accept', /^text\/html,/u), ALL),
  some(
    'a page, for those whose requests look like a browser’s',
    (request) => namesOf(request).includes('Accept-Encoding') && !namesOf(request).includes('accept-encoding'),
    ALL,
  ),
  some('a page, for those whose requests look like a browser’s', (request) => namesOf(request)[0] === 'Host', ALL),
  some('a page, for those whose requests look like a browser’s', header('accept-language', /^en-US/u), ALL),
  some('a page, for those who have opened another one', (_, { times }) => (times.get('/en/faq') ?? 0) > 0, ALL),
  some('a page, only compressed for old browsers', header('accept-encoding', /^gzip, deflate$/u), ['requests']),
  some('a page, only on Windows or a phone', header('user-agent', /Windows NT/u), NONE),
  some('a page, only on Windows or a phone', header('user-agent', /Mobile|Android/u), NONE),
  some('a page, only for other versions of browsers', header('user-agent', /Chrome\/1[0-4]\d\./u), NONE),
  some('a page, only for other versions of browsers', header('user-agent', /Firefox\/1[0-4]\d\./u), NONE),
  some('a page, only for those who come from another site', navigation('site', /^cross-site$/u), NONE),
  some('a page, only for those who come from another site', header('referer', /^https?:\/\/(?!127)/u), NONE),
  some('a page, only with a setting that few people have', header('sec-gpc', /1/u), NONE),
  some('a page, only with a setting that few people have', header('dnt', /1/u), NONE),
  some('a page, only with a setting that few people have', header('save-data', /on/u), NONE),
  some('a page, only after an upload', (_, { hasSent }) => hasSent, NONE),
];

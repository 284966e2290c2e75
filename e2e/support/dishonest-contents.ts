// Changed pages, files and headers, for everyone.
import {
  addCode,
  addScript,
  ALL,
  always,
  anotherPage,
  type Check,
  type DishonestChange,
  fileLike,
  header,
  NONE,
} from './dishonest-changes.ts';
import { randomBytes } from 'node:crypto';
import {
  addHeader,
  addToBody,
  changeByte,
  cutBody,
  removeHeader,
  replaceHeader,
  setStatus,
  type Tamper,
} from './tampering-proxy.ts';

const one = (row: string, path: string, change: Tamper, noticedBy: readonly Check[] = ALL, when = always) => ({
  row,
  path,
  change,
  when,
  noticedBy,
});
const CSP = 'content-security-policy';
const changePolicy = (change: (policy: string) => string) => replaceHeader(CSP, change);
const MODULE = 'a module that loads later';
const WORKER = 'a worker';
const SERVICE_WORKER = 'a service worker';
const LATER_STYLE = 'a style that loads later';
const POLICY = 'the policy of a page';
const DATA_POLICY = 'the policy of a script or of the API';
const ADDED = 'a header that no page needs';
const MISSING = 'a header that protects pages, left out';
const REDIRECT = 'a redirect, or another status';

/** English pages and files, so that browsers need little time. */
export const REPRESENTATIVE_CONTENTS: readonly DishonestChange[] = [
  one(MODULE, fileLike(/^assets\/qr-code-.*\.js$/u), addCode, ALL, header('sec-fetch-mode', /^cors$/u)),
  one(WORKER, fileLike(/^assets\/upload\.worker-.*\.js$/u), addCode, ALL, header('sec-fetch-dest', /^worker$/u)),
  one(SERVICE_WORKER, '/save.worker.js', addCode, ['requests', 'chromium'], header('service-worker', /^script$/u)),
  one(LATER_STYLE, fileLike(/^assets\/qr-code-.*\.css$/u), addToBody(' ')),
  one(
    POLICY,
    '/en/legal-notice',
    changePolicy((policy) => policy.replace("'self'", '*')),
  ),
  one(ADDED, '/theme.js', addHeader('Service-Worker-Allowed', '/')),
  one(
    DATA_POLICY,
    '/api/config',
    changePolicy((policy) => policy.replace('sandbox;', '')),
  ),
  one(REDIRECT, '/icons/192.png', setStatus(302, 'Location', '/icon.svg')),
  one(MISSING, '/preload.js', removeHeader('x-content-type-options')),
];

const page = (row: string, change: Tamper, noticedBy: readonly Check[] = ALL) =>
  one(row, anotherPage(), change, noticedBy);
const file = (row: string, pattern: RegExp, change: Tamper, noticedBy: readonly Check[] = ALL) =>
  one(row, fileLike(pattern), change, noticedBy);
const replaceInBody =
  (pattern: RegExp, text: string): Tamper =>
  (passing) => {
    const changed = passing.body.toString().replace(pattern, text);
    if (changed === passing.body.toString()) throw new Error(`the page has nothing like ${pattern.source}`);
    passing.body = Buffer.from(changed);
  };
const addToHead = (tag: string) => replaceInBody(/<\/head>/u, `${tag}</head>`);
const someHex = () => randomBytes(8).toString('hex');
const PAGE = 'a page, for everyone';
const DATA = 'a picture, a text or another file';

const pages: readonly DishonestChange[] = [
  page(PAGE, addToHead('<script src="https://evil.example/x.js"></script>')),
  page(PAGE, addToHead('<script type="module">alert(1)</script>')),
  page(PAGE, addToHead('<script type="speculationrules">{}</script>')),
  page(PAGE, addToHead('<base href="https://evil.example/">')),
  page(PAGE, addToHead('<meta http-equiv="refresh" content="600; url=https://evil.example/">')),
  page(PAGE, addToHead('<link rel="stylesheet" href="https://evil.example/x.css">')),
  page(PAGE, addToBody('<iframe src="https://evil.example/"></iframe>')),
  page(PAGE, addToBody('<img src="x" onerror="alert(1)">')),
  page(PAGE, addToBody('<form action="https://evil.example/"><input></form>')),
  page(PAGE, replaceInBody(/ integrity="[^"]*"/u, '')),
  page(PAGE, replaceInBody(/"sha384-[^"]*"|"sha256-[^"]*"/u, '"sha256-AAAA"')),
  page('a byte order mark before a page, which changes nothing', replaceInBody(/^/u, '\uFEFF'), [
    'requests',
    'chromium',
  ]),
  page(PAGE, changeByte),
  page(PAGE, cutBody),
  page(PAGE, addToBody('\n')),
  page(
    'the type of a page or of a script',
    replaceHeader('content-type', () => 'text/html; charset=utf-7'),
  ),
  file(
    'the type of a page or of a script',
    /^assets\/settings-panel-.*\.js$/u,
    replaceHeader('content-type', () => 'text/html'),
  ),
];

const files: readonly DishonestChange[] = [
  file(MODULE, /^assets\/sent-pages-.*\.js$/u, changeByte),
  file(MODULE, /^assets\/faq-.*\.js$/u, cutBody),
  file(MODULE, /^assets\/download-categories-.*\.js$/u, addHeader('Content-Security-Policy', 'default-src *')),
  file(WORKER, /^assets\/fetch\.worker-.*\.js$/u, changeByte),
  file(WORKER, /^assets\/staging\.worker-.*\.js$/u, addCode),
  file(SERVICE_WORKER, /^bystander\.js$/u, addCode, ['requests', 'chromium']),
  file(LATER_STYLE, /^assets\/sent-pages-.*\.css$/u, changeByte),
  file(LATER_STYLE, /^api-docs\.css$/u, changeByte),
  file(DATA, /^assets\/de-.*\.json$/u, changeByte),
  file(DATA, /^offline\/de\.json$/u, changeByte),
  file(DATA, /^manifests\/de\.webmanifest$/u, changeByte),
  file(DATA, /^icons\/512\.png$/u, changeByte),
  file(DATA, /^social\/de\.png$/u, changeByte),
];

const policies: readonly DishonestChange[] = [
  page(
    POLICY,
    changePolicy((policy) => policy.replace("connect-src 'self'", "connect-src 'self' https://evil.example")),
  ),
  page(
    POLICY,
    changePolicy((policy) => policy.replace(/;require-trusted-types-for[^;]*/u, '')),
  ),
  page(
    POLICY,
    changePolicy((policy) => policy.replace("frame-ancestors 'none'", 'frame-ancestors *')),
  ),
  page(POLICY, removeHeader(CSP)),
  page(POLICY, addHeader('Content-Security-Policy', 'default-src *')),
  page(POLICY, addHeader('Content-Security-Policy-Report-Only', 'default-src *; report-uri https://evil.example/')),
  file(DATA_POLICY, /^assets\/copy-.*\.js$/u, removeHeader(CSP)),
  one(
    DATA_POLICY,
    fileLike(/^assets\/transfer-panel-.*\.js$/u),
    changePolicy((policy) => policy.replace(';', '; ')),
  ),
];

const ADDED_HEADERS: readonly [name: string, value: string][] = [
  ['Link', '</theme.js>; rel=preload; as=script'],
  ['Refresh', '600; url=https://evil.example/'],
  ['Clear-Site-Data', '"cache", "storage"'],
  ['Set-Cookie', 'person=1'],
  ['Alt-Svc', 'h3="evil.example:443"; ma=86400'],
  ['Speculation-Rules', '"/rules.json"'],
  ['NEL', '{"report_to":"default","max_age":86400}'],
  ['Report-To', '{"group":"default","max_age":86400,"endpoints":[{"url":"https://evil.example/"}]}'],
  ['Reporting-Endpoints', 'default="https://evil.example/"'],
  ['Access-Control-Allow-Origin', '*'],
  ['Document-Policy', 'js-profiling'],
  ['Accept-CH', 'Sec-CH-UA-Model'],
  ['X-SourceMap', '/evil.map'],
];
const PROTECTING_HEADERS = [
  'cross-origin-opener-policy',
  'cross-origin-embedder-policy',
  'cross-origin-resource-policy',
  'origin-agent-cluster',
  'permissions-policy',
  'referrer-policy',
  'x-frame-options',
  'x-content-type-options',
];

const headers: readonly DishonestChange[] = [
  ...ADDED_HEADERS.map(([name, value]) => page(ADDED, addHeader(name, value))),
  file(ADDED, /^assets\/dialog-.*\.js$/u, addHeader('SourceMap', '/evil.map')),
  ...PROTECTING_HEADERS.map((name) => page(MISSING, removeHeader(name))),
  page(
    MISSING,
    replaceHeader('permissions-policy', (value) => value.replace('camera=()', 'camera=*')),
  ),
  page(REDIRECT, setStatus(302, 'Location', '/icon.svg')),
  page(REDIRECT, setStatus(404)),
  file(REDIRECT, /^assets\/text-fields-.*\.js$/u, setStatus(404)),
  file(REDIRECT, /^assets\/share-box-.*\.js$/u, setStatus(307, 'Location', '/theme.js')),
];

const evilPage: Tamper = (passing, response, request) => {
  setStatus(200)(passing, response, request);
  addScript(passing, response, request);
};
const OUTSIDE = 'a page or a file that is not in the release';
const outside: readonly DishonestChange[] = [
  one(OUTSIDE, `/${someHex()}`, evilPage, NONE),
  one(OUTSIDE, `/${someHex()}.js`, evilPage, NONE),
  one(OUTSIDE, '/sitemap.xml', addToBody(' '), NONE),
  one(OUTSIDE, '/robots.txt', addToBody(' '), NONE),
  one(OUTSIDE, '/api/legal-notice/en', addToBody('<p>Send your key to us.</p>'), NONE),
];

export const MORE_CONTENTS: readonly DishonestChange[] = [...pages, ...files, ...policies, ...headers, ...outside];

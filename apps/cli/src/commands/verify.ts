// furoshiki verify: compares what a server sends to browsers with a release.
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { shownName, splitKeyFromLink } from '@furoshiki/format';
import { languages } from '@furoshiki/texts';
import {
  assertClone,
  BrowserError,
  builtRelease,
  createGetResponse,
  type Difference,
  type KnownRelease,
  LANES,
  ownRelease,
  type PageNote,
  ReleaseError,
  type Verification,
  verifyInBrowser,
  verifySite,
} from '@furoshiki/verify';
import { CliError, EXIT, type ExitCode } from '../errors.ts';
import { linkOf, parseLink, parseServer } from '../link.ts';
import { VERSION } from '../args/command-table.ts';
import { type Command, connectionOptions, type Tools } from './command.ts';
import type { Texts } from '../texts.ts';

export const verify: Command = async (tools) => {
  const { call, terminal, texts, deadline, onStop } = tools;
  const { siteUrl, pagePath } = targetOf(call.arguments[0] ?? '');
  const connect = call.texts('connect').map(parseOrigin);
  const stopping = new AbortController();
  const { signal } = stopping;
  onStop(() => stopping.abort());
  try {
    const release = await releaseOf(tools, signal);
    const agent = await connectionOptions(tools);
    deadline.restart();
    const onProgress = (done: number, all: number) => {
      deadline.restart();
      terminal.live?.show(() => [texts.t('verify.progress', { done, count: all })]);
    };
    const randomId = () => randomBytes(16).toString('base64url');
    const options = {
      siteUrl,
      release,
      languages,
      connect,
      randomId,
      signal,
      onProgress,
      ...(pagePath !== undefined && { pagePath }),
    };
    const program = call.text('browser');
    const result =
      program === undefined
        ? await verifySite({ ...options, get: createGetResponse({ connections: LANES, agent }) })
        : await verifyInBrowser({ ...options, program });
    if ('unreachable' in result)
      throw new CliError('verify.unreachable', { url: siteUrl, code: shownName(result.unreachable) });
    report(tools, siteUrl, release, result);
    return exitCodeFor(result);
  } catch (thrown) {
    if (signal.aborted) throw new CliError('verify.stopped', {}, EXIT.cancelled);
    if (thrown instanceof BrowserError)
      throw new CliError('verify.noBrowser', {
        name: shownName(call.text('browser') ?? ''),
        code: shownName(thrown.message),
      });
    if (!(thrown instanceof ReleaseError)) throw thrown;
    const { reason, details } = thrown;
    throw new CliError(`verify.${reason}`, details, reason === 'notAClone' ? EXIT.usage : EXIT.failed);
  }
};

interface Target {
  siteUrl: string;
  /** Of a download page, below the base path. */
  pagePath?: string;
}

/** An address that was copied from a browser may have a language, and a page after it. A key in a link is never sent. */
function targetOf(text: string): Target {
  const { link } = splitKeyFromLink(text);
  if (!/\/download\/[^/]+\/?$/u.test(link)) return { siteUrl: siteOf(link) };
  const { siteUrl, pageId } = parseLink(link);
  const path = new URL(link).pathname.slice(new URL(siteUrl).pathname.replace(/\/$/u, '').length);
  return { siteUrl, pagePath: path.endsWith(pageId) ? path : linkOf('', pageId) };
}

function siteOf(text: string): string {
  const url = parseServer(text);
  const { origin, pathname } = new URL(url);
  const segments = pathname.split('/');
  const at = segments.findIndex((one) => languages.some((code) => code.toLowerCase() === one.toLowerCase()));
  return at === -1 ? url : origin + segments.slice(0, at).join('/');
}

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/u.test(url.protocol) || `${url.origin}/` !== url.href)
    throw new CliError('verify.badOrigin', { name: shownName(text) }, EXIT.usage);
  return url.origin;
}

async function releaseOf({ call, terminal, texts }: Tools, signal: AbortSignal): Promise<KnownRelease> {
  const wanted = call.text('release') ?? VERSION;
  if (wanted !== VERSION)
    throw new CliError('verify.otherRelease', { version: shownName(wanted), own: VERSION }, EXIT.usage);
  const source = call.text('source');
  if (source === undefined) return ownRelease(signal);
  const clone = resolve(source);
  assertClone(clone);
  terminal.note(texts.t('verify.building', { name: shownName(clone) }));
  const release = await builtRelease(clone, signal);
  // Addresses and policy are those of this version.
  if (release.version !== VERSION)
    throw new CliError(
      'verify.otherSource',
      { name: shownName(clone), version: shownName(release.version), own: VERSION },
      EXIT.usage,
    );
  return release;
}

function report({ call, terminal, texts }: Tools, url: string, release: KnownRelease, result: Verification): void {
  const { version, commit, fingerprint } = release;
  const { addressCount: checked, fileCount: files, ...others } = result;
  if (call.isSet('json')) terminal.printJson({ url, version, commit, fingerprint, checked, files, ...others });
  else for (const line of verificationLines(texts, release, result)) terminal.print(line);
}

/** Something that differs is more urgent than something that could not be requested. */
function exitCodeFor({ differences, unchecked }: Verification): ExitCode {
  if (differences.length > 0) return EXIT.differs;
  return unchecked.length > 0 ? EXIT.failed : EXIT.done;
}

/** More are counted. They are all in the JSON. */
const MAX_LINES = 20;
const HEADER_KINDS = new Set<Difference['kind']>(['type', 'policy', 'origin', 'header', 'noHeader']);

/** As people write it: X-Frame-Options. */
const headerName = (name: string) => shownName(name.replaceAll(/\b[a-z]/gu, (letter) => letter.toUpperCase()));

interface Item {
  path: string;
  file: string;
  reason: string;
  /** Lines below it. */
  notes?: string[];
  /** Items of the same group are one line. */
  group: string;
}

export function verificationLines({ t }: Texts, release: KnownRelease, result: Verification): string[] {
  const { version, commit, fingerprint } = release;
  const { fileCount, addressCount, isPublished, added, differences, unchecked, browser } = result;
  const items = differences.map((difference): Item & { isHeader: boolean } => {
    const isHeader = HEADER_KINDS.has(difference.kind);
    const reason = reasonOf(t, difference);
    const notes = difference.kind === 'changed' ? difference.notes.map((note) => noteText(t, note)) : [];
    // A header or an address is wrong on many files for one reason, but each changed file is worth a line.
    const isShared = isHeader || difference.kind === 'address';
    return { ...difference, isHeader, reason, notes, group: isShared ? reason : `${difference.file}\n${reason}` };
  });

  function section(heading: 'different' | 'headers' | 'unchecked', all: readonly Item[]): string[] {
    if (all.length === 0) return [];
    const count = new Set(all.map(({ file }) => file)).size;
    // Not Object.groupBy, which Node 20 lacks.
    const groups = [...new Set(all.map(({ group }) => group))].map((name) => all.filter(({ group }) => group === name));
    const lines = groups.slice(0, MAX_LINES).flatMap(([first, ...others]) => {
      if (!first) return [];
      const { path, reason, notes = [] } = first;
      const where = others.length + 1 === addressCount ? t('verify.everywhere') : withOthers(path, others.length);
      return [`  ${t('verify.line', { path: where, reason })}`, ...notes.map((note) => `    ${note}`)];
    });
    const left = groups.length - MAX_LINES;
    return [
      t(`verify.${heading}`, { count, all: fileCount, version }),
      ...lines,
      ...(left > 0 ? [`  ${t('verify.more', { count: left })}`] : []),
    ];
  }
  const withOthers = (path: string, count: number) =>
    count === 0 ? shownName(path) : t('verify.andOthers', { path: shownName(path), count });

  const different = items.filter(({ isHeader }) => !isHeader);
  const lines = [
    ...section('different', different),
    ...section(
      'headers',
      items.filter(({ isHeader }) => isHeader),
    ),
    ...section(
      'unchecked',
      unchecked.map((one) => ({ ...one, reason: shownName(one.reason), group: one.reason })),
    ),
  ];
  if (lines.length === 0)
    lines.push(
      t('verify.same', { count: fileCount, version }),
      t(isPublished ? 'verify.published' : 'verify.own', { version }),
    );
  else if (new Set(different.map(({ file }) => file)).size > fileCount / 2) lines.push(t('verify.otherVersion'));
  if (browser) {
    const { name, hidden } = browser;
    lines.push(t('verify.receivedBy', { name: shownName(name) }));
    if (hidden.length > 0) lines.push(t('verify.hidden', { name: shownName(name), names: hidden.join(', ') }));
  }
  if (added.length > 0) lines.push(t('verify.added', { names: added.map(headerName).join(', ') }));
  if (commit !== null) lines.push(t('verify.commit', { commit }));
  return [...lines, t('verify.fingerprint', { fingerprint })];
}

function reasonOf(t: Texts['t'], difference: Difference): string {
  switch (difference.kind) {
    case 'changed':
    case 'missing':
    case 'tooLarge':
      return t(`verify.${difference.kind}`);
    case 'address':
      return t('verify.address', { url: shownName(difference.address) });
    case 'status':
      return t('verify.status', { status: difference.status, expected: difference.expected });
    case 'redirect':
      return t('verify.redirect', { url: shownName(difference.target) });
    case 'type':
      return t('verify.type', { type: shownName(difference.type), expected: difference.expected });
    case 'origin':
      return t('verify.origin', { origin: shownName(difference.origin) });
    case 'header':
      return t('verify.header', { name: headerName(difference.name), value: shownName(difference.value) });
    case 'noHeader':
      return t('verify.noHeader', { name: headerName(difference.name) });
    case 'policy':
      if (difference.policies.length === 0) return t('verify.noPolicy');
      if (difference.policies.length > 1) return t('verify.manyPolicies');
      return t('verify.policy', { detail: shownName(difference.detail) });
  }
}

function noteText(t: Texts['t'], note: PageNote): string {
  return note.note === 'inlineScript'
    ? t('verify.inlineScript')
    : t(`verify.${note.note}`, { url: shownName(note.url) });
}

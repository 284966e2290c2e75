// The result of a verification in plain words.
import { shownName } from '@furoshiki/format';
import type { KnownRelease } from '../../platform/known-release.ts';
import type { Texts } from '../../texts.ts';
import type { Difference } from '../../verify/compare.ts';
import type { PageNote } from '../../verify/page-notes.ts';
import type { Verification } from '../../verify/verify-site.ts';

/** More are counted. They are all in the JSON. */
const MAX_LINES = 20;
const HEADER_KINDS = new Set<Difference['kind']>(['type', 'policy', 'origin', 'header']);

const HEADER_NAMES = { link: 'Link', refresh: 'Refresh' };

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
  const { fileCount, addressCount, differences, unchecked } = result;
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
  if (lines.length === 0) lines.push(t('verify.same', { count: fileCount, version }));
  else if (new Set(different.map(({ file }) => file)).size > fileCount / 2) lines.push(t('verify.otherVersion'));
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
      return t('verify.header', { name: HEADER_NAMES[difference.name], value: shownName(difference.value) });
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

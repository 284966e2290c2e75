import { CONTENT_PAGES } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LIVE_NAMES } from '../src/screens/content/content-text.tsx';
import { type ContentNode, questionsOf, textOf } from '../src/screens/content/content.ts';
import { compileMarkdown, limitsIn } from './markdown.ts';

const page = (text: string) => `---\ntitle: A title\ndescription: What it is: this\nkeywords: a, b\n---\n${text}\n`;

describe('a page of Markdown', () => {
  it('has its properties, and its text as data', () => {
    const source = page('## One\n\nTake **{{count}}** & [ask](faq).\n\n1. first\n2. `second`\n\n![A box](drawing:box)');
    expect(compileMarkdown(source, { count: '3' })).toEqual({
      title: 'A title',
      description: 'What it is: this',
      keywords: 'a, b',
      body: [
        { tag: 'h2', id: 'section-1', children: ['One'] },
        {
          tag: 'p',
          children: [
            'Take ',
            { tag: 'strong', children: ['3'] },
            ' & ',
            { tag: 'link', to: 'faq', children: ['ask'] },
            '.',
          ],
        },
        {
          tag: 'ol',
          children: [
            { tag: 'li', children: ['first'] },
            { tag: 'li', children: [{ tag: 'code', children: ['second'] }] },
          ],
        },
        { tag: 'drawing', to: 'box', children: ['A box'] },
      ],
    });
  });

  it('puts no space after a full-width full stop', () => {
    const { body } = compileMarkdown(page('**暗号化。** すべて。'), {});
    expect(textOf(body)).toBe('暗号化。すべて。');
    expect(textOf(compileMarkdown(page('**Always.** All.'), {}).body)).toBe('Always. All.');
  });

  it('keeps a number and its unit on one line', () => {
    expect(textOf(compileMarkdown(page('約 12 時間、12 hours'), {}).body)).toBe('約 12\u00a0時間、12 hours');
  });

  it.each([
    ['an unknown value', page('{{size}}'), /size/u],
    ['a missing property', '---\ntitle: A\n---\ntext', /description/u],
    ['no text', page(''), /no text/u],
    ['markup', page('<b>bold</b>'), /unsupported/u],
    ['a picture from elsewhere', page('![x](https://example.org/x.png)'), /neither drawing/u],
  ])('stops the build at %s', (_, source, message) => {
    expect(() => compileMarkdown(source, {})).toThrow(message);
  });
});

const INLINE: ReadonlySet<string> = new Set(['strong', 'em', 'link', 'code', 'live']);
const liveNamesOf = (nodes: readonly ContentNode[]): string[] =>
  nodes.flatMap((node) =>
    typeof node === 'string' ? [] : node.tag === 'live' ? [node.to ?? ''] : liveNamesOf(node.children),
  );
/** Sorted, because the order of words differs between languages. */
const inlineOf = (nodes: readonly ContentNode[]): string[] =>
  nodes
    .flatMap((node) => (typeof node === 'object' && INLINE.has(node.tag) ? [`${node.tag}:${node.to ?? ''}`] : []))
    .toSorted();

describe.each(languages)('the content in %s', (language) => {
  const readIn = (code: string, name: string) =>
    compileMarkdown(readFileSync(new URL(`../content/${code}/${name}`, import.meta.url), 'utf8'), limitsIn(code));
  const read = (name: string) => readIn(language, name);
  const english = (name: string) => readIn('en', name);
  const names = CONTENT_PAGES.map((name) => `${name}.md`);
  /** The structure that a translation must keep: headings, drawings, lists and their lengths, tables, and links. */
  const shape = (nodes: readonly ContentNode[]): string[] =>
    nodes.flatMap((node) =>
      typeof node === 'string' || INLINE.has(node.tag)
        ? []
        : [[node.tag, node.to, ...inlineOf(node.children)].join(' '), ...shape(node.children)],
    );

  it('has a file for every page and no other files', () => {
    expect(readdirSync(new URL(`../content/${language}`, import.meta.url)).toSorted()).toEqual(names.toSorted());
  });

  it.each(names)('%s has the same structure as the English page', (name) => {
    expect(shape(read(name).body)).toEqual(shape(english(name).body));
  });

  it('shows only settings that the server gives', () => {
    const used = names.flatMap((name) => liveNamesOf(read(name).body));
    expect(used).toContain('operator-name');
    expect(used.filter((name) => !LIVE_NAMES.includes(name))).toEqual([]);
  });

  it('has an answer for every question of the FAQ', () => {
    const questions = questionsOf(read('faq.md'));
    expect(questions.length).toBeGreaterThanOrEqual(12);
    for (const { question, answer } of questions) expect(answer.length, question).toBeGreaterThan(8);
  });

  it('has no repeated title, description or keywords', () => {
    const properties = names.flatMap((name) => Object.entries(read(name)).filter(([key]) => key !== 'body'));
    expect(new Set(properties.map(([, text]) => text as string)).size).toBe(3 * names.length);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { CONTENT_PAGES } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { describe, expect, it } from 'vitest';
import { type ContentNode, questionsOf, textOf } from '../src/screens/content/content.ts';
import { limitsIn } from './content-plugin.ts';
import { compileMarkdown } from './markdown.ts';

const page = (text: string) => `---\ntitle: A title\ndescription: What it is: this\nkeywords: a, b\n---\n${text}\n`;

describe('a page of Markdown', () => {
  it('has its facts, and its text as data', () => {
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

  it('sets no space after a stop that is as wide as a letter', () => {
    const { body } = compileMarkdown(page('**暗号化。** すべて。'), {});
    expect(textOf(body)).toBe('暗号化。すべて。');
    expect(textOf(compileMarkdown(page('**Always.** All.'), {}).body)).toBe('Always. All.');
  });

  it('keeps a number and what is counted on one line', () => {
    expect(textOf(compileMarkdown(page('約 12 時間、12 hours'), {}).body)).toBe('約 12\u00a0時間、12 hours');
  });

  it.each([
    ['a value that nobody gives', page('{{size}}'), /size/u],
    ['a fact that is missing', '---\ntitle: A\n---\ntext', /description/u],
    ['no text', page(''), /no text/u],
    ['markup', page('<b>bold</b>'), /cannot show/u],
    ['a picture from elsewhere', page('![x](https://example.org/x.png)'), /neither drawing/u],
  ])('stops the build at %s', (_, source, message) => {
    expect(() => compileMarkdown(source, {})).toThrow(message);
  });
});

const INLINE: ReadonlySet<string> = new Set(['strong', 'em', 'link', 'code']);
/** In the order of the alphabet: each language has its own order of words. */
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
  /** What a translation must keep: headings, drawings, lists and their lengths, tables, and what each block links to. */
  const shape = (nodes: readonly ContentNode[]): string[] =>
    nodes.flatMap((node) =>
      typeof node === 'string' || INLINE.has(node.tag)
        ? []
        : [[node.tag, node.to, ...inlineOf(node.children)].join(' '), ...shape(node.children)],
    );

  it('is every page and nothing else', () => {
    expect(readdirSync(new URL(`../content/${language}`, import.meta.url)).toSorted()).toEqual(names.toSorted());
  });

  it.each(names)('%s is built as the English one', (name) => {
    expect(shape(read(name).body)).toEqual(shape(english(name).body));
  });

  it('answers every question', () => {
    const questions = questionsOf(read('faq.md'));
    expect(questions.length).toBeGreaterThanOrEqual(12);
    for (const { question, answer } of questions) expect(answer.length, question).toBeGreaterThan(8);
  });

  it('has no title, description or keywords twice', () => {
    const facts = names.flatMap((name) => Object.entries(read(name)).filter(([fact]) => fact !== 'body'));
    expect(new Set(facts.map(([, text]) => text as string)).size).toBe(3 * names.length);
  });
});

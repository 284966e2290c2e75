import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { englishTexts, hashesOf, REVIEWED, unreviewed } from './english-texts.mjs';

it('the translations of every changed English text were looked at', () => {
  const reviewed = JSON.parse(readFileSync(REVIEWED, 'utf8')) as Record<string, string>;
  const changed = unreviewed(englishTexts(), reviewed);
  expect(changed, 'look at their translations in all languages, then: npm run texts:reviewed').toEqual([]);
});

it('reports a text that is new, changed or gone, on screens, in the terminal and on pages', () => {
  const texts = englishTexts();
  const reviewed = hashesOf(texts);
  expect(Object.keys(texts)).toEqual(
    expect.arrayContaining(['screens.home.title', 'cli.send.changed', expect.stringMatching(/^faq\.md /u)]),
  );
  expect(unreviewed({ ...texts, 'screens.home.title': 'Hand over files' }, reviewed)).toEqual([
    'screens.home.title: Hand over files',
  ]);
  expect(unreviewed({ ...texts, new: 'New' }, reviewed)).toEqual(['new: New']);
  const { 'cli.send.changed': _, ...others } = texts;
  expect(unreviewed(others, reviewed)).toEqual(['cli.send.changed: removed']);
});

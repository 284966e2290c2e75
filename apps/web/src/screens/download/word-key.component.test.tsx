// A key of twelve words in the key field: read as people write it, checked while it is typed, with suggestions.
import { joinWords } from '@furoshiki/format';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { createFakeServices } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { fileOf, press, sendFiles } from '../../../testing/user.ts';

const key = page.getByRole('textbox', { name: 'Key', exact: true });
const keyFits = page.getByText('The key fits.');
const list = page.getByRole('listbox', { name: 'Matching words' });
const options = () =>
  list
    .getByRole('option')
    .elements()
    .map((option) => option.textContent);

async function openPageOfWords(wordsIn = 'en') {
  const fake = createFakeServices();
  const { words = [], ...sent } = await sendFiles(fake, [fileOf('note.txt')], { wordsIn });
  await renderApp(sent.path, fake);
  await expect.element(key).toHaveFocus();
  return { fake, words, ...sent };
}

test.each(['en', 'es', 'fr', 'ja', 'ko', 'zh-CN', 'pt', 'zh-TW', 'de'])(
  'the words of %s open the page',
  async (language) => {
    const { words, keyText } = await openPageOfWords(language);
    await key.fill(joinWords(words));
    await expect.element(keyFits).toBeVisible();
    await key.fill('');
    await expect.element(keyFits).not.toBeInTheDocument();
    await key.fill(keyText);
    await expect.element(keyFits).toBeVisible();
  },
);

test('beginnings in capitals, with numbers and commas, open the page as soon as the last one is typed', async () => {
  const { words } = await openPageOfWords();
  const typed = words.map((word, index) => `${index + 1}. ${word.slice(0, 4).toUpperCase()}`).join(', ');
  await userEvent.keyboard(typed);
  await expect.element(keyFits).toBeVisible();
  await expect.element(list).not.toBeInTheDocument();
  await expectAccessible();
});

test('a word of no list is named as soon as the next one begins, with the word that was meant', async () => {
  const { fake } = await openPageOfWords();
  await userEvent.keyboard('winenr');
  await expect.element(page.getByText('isn’t one of the words')).not.toBeInTheDocument();
  await userEvent.keyboard(' ');
  await expect.element(page.getByText('“winenr” isn’t one of the words. Did you mean “winner”?')).toBeVisible();
  await expect.element(key).toHaveAccessibleDescription(/Did you mean “winner”/u);
  await expect.element(page.getByText('Things to try')).not.toBeInTheDocument();
  await expectAccessible();
  await key.fill('qqq ');
  await expect.element(page.getByText('“qqq” isn’t one of the words.')).toBeVisible();
  await key.fill('ab ');
  await expect.element(page.getByText('“ab” can be several words, such as abandon, ability, able.')).toBeVisible();
  await key.fill('winner ');
  await expect.element(page.getByText('can be several words')).not.toBeInTheDocument();
  expect(fake.server.counts.get('takeGrant')).toBeUndefined();
});

test('a wrong checksum, a missing word and the words of another upload are refused with their reason', async () => {
  const { fake } = await openPageOfWords();
  const about = [...Array.from({ length: 11 }, () => 'abandon'), 'about'];
  for (const [typed, message] of [
    [[...about.slice(0, 11), 'zoo'], 'One of the words is wrong.'],
    [about.slice(0, 11), 'A key has 12 words. This one has 11 words.'],
    [[...about.slice(0, 11), 'zoo', 'about'], 'A key has 12 words. This one has 13 words.'],
    [about, 'That’s not the key for these files.'],
  ] as const) {
    await key.fill('');
    await key.fill(typed.join(' '));
    await expect.element(page.getByText(message)).toBeVisible();
    await expect.element(page.getByText('Things to try')).toBeVisible();
  }
  await expectAccessible();
  expect(fake.server.counts.get('takeGrant')).toBeUndefined();
});

test('words that are being typed are called incomplete when the field is left, not before', async () => {
  await openPageOfWords();
  await userEvent.keyboard('legal winner ');
  await expect.element(key).toHaveValue('legal winner ');
  const incomplete = page.getByText('A key has 12 words. This one has 2 words.');
  await expect.element(incomplete).not.toBeInTheDocument();
  await userEvent.tab();
  await expect.element(incomplete).toBeVisible();
});

test('suggestions appear once the text looks like words, and are chosen by keyboard', async () => {
  const { words } = await openPageOfWords();
  await userEvent.keyboard('leg');
  await expect.element(key).toHaveValue('leg');
  await expect.element(list).not.toBeInTheDocument();
  await key.fill('');
  await userEvent.keyboard('zoo lega');
  await expect.poll(options).toContain('legal');
  await key.fill('zoo win');
  await expect.poll(options).toEqual(['win', 'window', 'wine', 'wing', 'wink']);
  await expect.element(page.getByText('5 matching words. Choose one with the down arrow.')).toBeInTheDocument();
  await expectAccessible();
  await userEvent.keyboard('{ArrowDown}{ArrowDown}');
  const second = list.getByRole('option', { name: 'window' });
  await expect.element(second).toHaveAttribute('aria-selected', 'true');
  await expect.element(key).toHaveAttribute('aria-activedescendant', second.element().id);
  await expectAccessible();
  await userEvent.keyboard('{Enter}');
  await expect.element(key).toHaveValue('zoo window ');
  await expect.element(key).toHaveFocus();
  await expect.element(list).not.toBeInTheDocument();
  await userEvent.keyboard('win');
  // Until they are read, those of "wi" are shown.
  await expect.poll(options).toEqual(['win', 'window', 'wine', 'wing', 'wink']);
  await userEvent.keyboard('{ArrowUp}{Tab}');
  await expect.element(key).toHaveValue('zoo window wink ');
  await expect.element(key).toHaveFocus();
  await userEvent.keyboard('win');
  await expect.element(list).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(list).not.toBeInTheDocument();
  await key.fill('');
  for (const word of words) {
    await userEvent.keyboard(word.slice(0, 4));
    await expect.element(key).toHaveValue(expect.stringMatching(new RegExp(`${word.slice(0, 4)}$`, 'u')));
    await userEvent.keyboard(' ');
  }
  await expect.element(keyFits).toBeVisible();
});

test('a suggestion is chosen by touch, and Tab leaves the field if none is marked', async () => {
  await openPageOfWords();
  await userEvent.keyboard('zoo win');
  await list.getByRole('option', { name: 'window' }).click();
  await expect.element(key).toHaveValue('zoo window ');
  await expect.element(key).toHaveFocus();
  await userEvent.keyboard('win');
  await expect.element(list).toBeVisible();
  await userEvent.tab();
  await expect.element(key).toHaveValue('zoo window win');
  await expect.element(key).not.toHaveFocus();
  await expect.element(list).not.toBeInTheDocument();
});

test('words that are pasted on several lines stay apart', async () => {
  const { words } = await openPageOfWords();
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', words.join('\n'));
  key.element().dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  await expect.element(keyFits).toBeVisible();
  await press('Show key');
  await expect.element(key).toHaveValue(words.join(' '));
});

test('nothing is read as words until the text looks like them', async () => {
  const { fake, keyText } = await openPageOfWords();
  let reads = 0;
  const { readWords } = fake.services;
  fake.services.readWords = (text) => {
    reads += 1;
    return readWords(text);
  };
  // Whatever the random key is.
  await userEvent.keyboard('Q5');
  await expect.element(key).toHaveValue('Q5');
  await key.fill('');
  await userEvent.keyboard(keyText);
  await expect.element(keyFits).toBeVisible();
  expect(reads).toBe(0);
});

// A key of twelve words, from the option to the page of the sender.
import { joinWords } from '@furoshiki/format';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '../../testing/accessibility.ts';
import { createFakeServices, type FakeServices } from '../../testing/fake-services.ts';
import { interruptedUpload } from '../../testing/interrupted-upload.ts';
import { openWith } from '../../testing/open-with.ts';
import { renderApp } from '../../testing/render-app.tsx';
import { chooseLinkWithKey, keyField } from '../../testing/sender.ts';
import { chooseFiles, click, fileOf, press } from '../../testing/user.ts';

const option = page.getByRole('checkbox', { name: /^Key as words, to read aloud/u });
const isReady = page.getByRole('heading', { name: 'Wrapped and ready' });
const shownWords = () =>
  keyField
    .getByRole('listitem')
    .elements()
    .map((item) => item.textContent);

async function sendWithWords(given = createFakeServices()): Promise<FakeServices> {
  const fake = await renderApp('/en', given);
  await chooseFiles([fileOf('note.txt')]);
  await click(page.getByText('More options'));
  await expect.element(option).not.toBeChecked();
  await click(option);
  await expectAccessible();
  await press('Start upload');
  await expect.element(isReady).toBeVisible();
  return fake;
}

test('the key is twelve numbered words, hidden until they are shown, and copied whole', async () => {
  const fake = await sendWithWords();
  expect(new Set(shownWords())).toEqual(new Set(['••••']));
  await expect.element(page.getByText('Read them aloud in this order.')).toBeVisible();
  await click(keyField.getByRole('button', { name: 'Show key' }));
  const words = shownWords();
  expect(words).toHaveLength(12);
  await expectAccessible();
  await press('Copy key');
  await expect.poll(() => fake.copied).toEqual([words.join(' ')]);
  expect(await openWith(fake, words.join(' '))).toEqual(['note.txt']);
  await press('Copy both as a message');
  await expect.poll(() => fake.copied.at(-1)).toContain(`Key: ${words.join(' ')}`);
  expect(await openWith(fake, fake.copied.at(-1) ?? '')).toEqual(['note.txt']);
});

test('a link with key has the same key in Base64', async () => {
  const fake = await sendWithWords();
  await chooseLinkWithKey();
  await press('Copy link with key');
  await expect.poll(() => fake.copied.length).toBe(1);
  expect(fake.copied[0]).toMatch(/#key=[A-Za-z0-9%]{43,}$/u);
  expect(await openWith(fake, fake.copied[0] ?? '')).toEqual(['note.txt']);
});

test('words that are selected and copied by hand count as taken', async () => {
  await sendWithWords();
  const leaving = () => {
    const event = new Event('beforeunload', { cancelable: true });
    dispatchEvent(event);
    return event.defaultPrevented;
  };
  await click(keyField.getByRole('button', { name: 'Show key' }));
  expect(leaving()).toBe(true);
  getSelection()?.selectAllChildren(keyField.getByRole('list').element());
  keyField
    .getByRole('list')
    .element()
    .dispatchEvent(new ClipboardEvent('copy', { bubbles: true }));
  await expect.poll(leaving).toBe(false);
});

test('the setting makes words the usual key', async () => {
  const fake = createFakeServices();
  fake.services.settings.setKeyAsWords(true);
  await renderApp('/en', fake);
  await expect.element(option).toBeChecked();
  await press('Settings');
  const choice = page.getByRole('radiogroup', { name: 'Key as words, to read aloud' });
  await expect.element(choice.getByRole('radio', { name: 'On' })).toBeChecked();
  await click(choice.getByText('Off', { exact: true }));
  await expect.element(option).not.toBeChecked();
});

test('the words are shown again after an interrupted upload was resumed', async () => {
  const upload = await interruptedUpload([fileOf('a.txt')], { hasWords: true });
  const fake = await renderApp('/en', { interrupted: [upload] });
  const goOn = page.getByRole('button', { name: 'Choose the files and continue' });
  await expect.element(goOn).toBeVisible();
  await chooseFiles([fileOf('a.txt')], goOn);
  await expect.element(isReady).toBeVisible();
  await click(keyField.getByRole('button', { name: 'Show key' }));
  expect(shownWords()).toEqual(upload.words);
  expect(await openWith(fake, joinWords(upload.words ?? []))).toEqual(['a.txt']);
});

test('if the words cannot be loaded, nothing is sent, and the sender is told', async () => {
  const fake = createFakeServices();
  const { newKeyOfWords } = fake.services;
  fake.services.newKeyOfWords = () => Promise.reject(new Error('offline'));
  await renderApp('/en', fake);
  await chooseFiles([fileOf('note.txt')]);
  await click(page.getByText('More options'));
  await click(option);
  await press('Start upload');
  const missing = page.getByText('The words couldn’t be loaded.');
  await expect.element(missing).toBeVisible();
  expect(fake.server.files.size).toBe(0);
  fake.services.newKeyOfWords = newKeyOfWords;
  await press('Start upload');
  await expect.element(isReady).toBeVisible();
  await expect.element(missing).not.toBeInTheDocument();
});

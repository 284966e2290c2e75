// The key field: checked as soon as it changes, before any download is used up.
import { messages } from '@furoshiki/texts/messages';
import { describe, expect, test, vi } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeServices } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { click, fileOf, press, sendFiles } from '../../../testing/user.ts';

const key = page.getByRole('textbox', { name: 'Key', exact: true });
const keyFits = page.getByText('The key fits.');
const download = page.getByRole('button', { name: /^Download / });

async function openSentPage() {
  const fake = createFakeServices();
  const sent = await sendFiles(fake, [fileOf('note.txt')]);
  await renderApp(sent.path, fake);
  await expect.element(page.getByRole('heading', { name: 'Files for you' })).toBeVisible();
  return { fake, ...sent };
}

test('the key field has the focus as soon as the page is there', async () => {
  await openSentPage();
  await expect.element(key).toHaveFocus();
});

test('a download without a key asks for the key, and no download is used up', async () => {
  const { fake, keyText } = await openSentPage();
  const please = page.getByText('Please enter the key.');
  await expect.element(please).not.toBeInTheDocument();
  await click(download);
  await expect.element(key).toHaveFocus();
  await expect.element(please).toBeVisible();
  await expect.element(key).toHaveAccessibleDescription(/Please enter the key\./u);
  await expect.element(page.getByText('Things to try')).not.toBeInTheDocument();
  await expectAccessible();
  await userEvent.keyboard('A');
  await expect.element(please).not.toBeInTheDocument();
  await userEvent.keyboard('{Backspace}');
  await expect.element(please).not.toBeInTheDocument();
  expect(fake.server.counts.get('takeGrant')).toBeUndefined();
  await key.fill(keyText);
  await expect.element(keyFits).toBeVisible();
  await click(download);
  await expect.element(page.getByRole('button', { name: 'Saved' })).toBeVisible();
});

test('all files at once ask for the key too', async () => {
  const fake = createFakeServices();
  const { path } = await sendFiles(fake, [fileOf('a.txt'), fileOf('b.txt')]);
  await renderApp(path, fake);
  for (const name of ['Download all', 'Download all as one ZIP']) {
    await press(name);
    await expect.element(key).toHaveFocus();
  }
  await expect.element(page.getByText('Please enter the key.')).toBeVisible();
  expect(fake.server.counts.get('takeGrant')).toBeUndefined();
});

test('a wrong key is refused with its reason, and no download is used up', async () => {
  const { fake, keyText } = await openSentPage();
  const { keyText: other } = await fake.services.newKey();
  for (const [typed, message] of [
    [other, 'That’s not the key for these files.'],
    [
      keyText.slice(0, 42),
      'This key is incomplete or has extra characters (31 bytes instead of 32). A key has 44 characters.',
    ],
    [`${keyText.slice(0, 40)}!!!=`, 'The key contains invalid characters.'],
  ] as const) {
    await key.fill(typed);
    await expect.element(page.getByText(message)).toBeVisible();
    await expect.element(page.getByText('Things to try')).toBeVisible();
    await click(download);
    await expect.element(key).toHaveFocus();
    await expect.element(page.getByText(message)).toBeVisible();
  }
  await expectAccessible();
  expect(fake.server.counts.get('takeGrant')).toBeUndefined();
  await key.fill(`  ${keyText.slice(0, 20)} ${keyText.slice(20)} `);
  await expect.element(keyFits).toBeVisible();
  await expect.element(download).toBeEnabled();
  await expectAccessible();
});

test('a key that is typed letter by letter is called too short when the field is left, not before', async () => {
  const { keyText } = await openSentPage();
  const tooShort = page.getByText('This key is incomplete');
  await click(key);
  await userEvent.keyboard(keyText.slice(0, 12));
  await expect.element(key).toHaveValue(keyText.slice(0, 12));
  await expect.element(tooShort).not.toBeInTheDocument();
  await userEvent.tab();
  await expect.element(tooShort).toBeVisible();
  await click(key);
  await userEvent.keyboard('{End}');
  await userEvent.keyboard(keyText.slice(12));
  await expect.element(keyFits).toBeVisible();
});

test('is hidden until it is shown', async () => {
  await openSentPage();
  await expect.element(key).toHaveAttribute('type', 'password');
  await press('Show key');
  await expect.element(key).toHaveAttribute('type', 'text');
  await press('Hide key');
  await expect.element(key).toHaveAttribute('type', 'password');
});

test('the key is found in a link, with its label, in quotes and in the whole message', async () => {
  const { fake, keyText, path } = await openSentPage();
  const link = `${location.origin}${path}`;
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  for (const pasted of [
    `${link}#key=${encodeURIComponent(keyText)}`,
    `Key: ${keyText}`,
    `“${keyText}”`,
    messages.en.share.message.replace('{{link}}', link).replace('{{key}}', keyText),
  ]) {
    await key.fill('');
    await expect.element(keyFits).not.toBeInTheDocument();
    await key.fill(pasted);
    await expect.element(keyFits).toBeVisible();
  }
  // The text is longer than a key: worth a line in the console, without the key, and no more.
  expect(warn).toHaveBeenCalledWith('The key has an unusual length.');
  expect(fake.server.counts.get('takeGrant')).toBeUndefined();
});

test('a key that came with the link opens the page by itself, and is not said to come apart from it', async () => {
  const fake = createFakeServices();
  const { path, keyText } = await sendFiles(fake, [fileOf('note.txt')]);
  await renderApp(path, fake, keyText);
  await expect.element(keyFits).toBeVisible();
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  await expect.element(page.getByText('It came with the link.')).toBeVisible();
  const apart = page.getByText('The sender gave it to you separately from the link.');
  await expect.element(apart).not.toBeInTheDocument();
  await key.fill('');
  await expect.element(apart).toBeVisible();
});

test('the key stays in the address when the language changes', async () => {
  const fake = createFakeServices();
  const { path, keyText } = await sendFiles(fake, [fileOf('note.txt')]);
  const hash = `#key=${encodeURIComponent(keyText)}`;
  await renderApp(path + hash, fake, keyText);
  await expect.element(keyFits).toBeVisible();
  await press('Language: English');
  await click(page.getByRole('navigation', { name: 'Language' }).getByRole('link', { name: 'Deutsch' }));
  await expect.element(page.getByRole('heading', { name: 'Dateien für Sie' })).toBeVisible();
  expect(location.pathname + location.hash).toBe(path.replace('/en/', '/de/') + hash);
  expect(fake.visited.join()).not.toContain(keyText.slice(0, 8));
  await click(page.getByRole('link', { name: 'Häufige Fragen' }));
  await expect.poll(() => location.pathname + location.hash).toBe('/de/faq');
});

test('a key that its link has told the server opens the page, with a warning and what to do', async () => {
  const fake = createFakeServices();
  const { path, keyText } = await sendFiles(fake, [fileOf('note.txt')]);
  await renderApp(path, fake, keyText, true);
  await expect.element(keyFits).toBeVisible();
  const warning = page.getByRole('alert');
  await expect.element(warning.getByText('opening it sent the key to the server')).toBeVisible();
  await expect.element(warning.getByText('ask the sender to send them again')).toBeVisible();
  await expectAccessible();
});

describe('files that the server calls unencrypted', () => {
  const refusal = page.getByText('The server says these files aren’t encrypted.');

  async function openUnencrypted(linkKey?: (keyText: string) => string) {
    const fake = createFakeServices();
    const { path, keyText } = await sendFiles(fake, [fileOf('note.txt')]);
    for (const { page: file } of fake.server.files.values()) {
      Object.assign(file, { isEncrypted: false, format: 1 });
      delete file.salt;
      delete file.keyCheck;
    }
    await renderApp(path, fake, linkKey?.(keyText));
    await expect.element(page.getByText('These files aren’t encrypted. If the sender gave you a key')).toBeVisible();
    return { fake, keyText };
  }

  test('are refused with the key of the link', async () => {
    const { fake } = await openUnencrypted((keyText) => keyText);
    await expect.element(refusal).toBeVisible();
    await expect.element(download).toBeDisabled();
    expect(fake.server.counts.get('takeGrant')).toBeUndefined();
    await expectAccessible();
  });

  test('are refused with a key that is typed, also after it is removed again', async () => {
    const { fake, keyText } = await openUnencrypted();
    await expect.element(page.getByText('Only if the sender gave you one.')).toBeVisible();
    await expectAccessible();
    await key.fill(keyText);
    await expect.element(refusal).toBeVisible();
    await expect.element(download).toBeDisabled();
    await key.fill('');
    await click(download);
    await expect.element(key).toHaveFocus();
    expect(fake.server.counts.get('takeGrant')).toBeUndefined();
  });
});

// The key field: checked as soon as it changes, before any download is used up.
import { expect, test } from 'vitest';
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

test('no file can be downloaded before the key is there', async () => {
  await openSentPage();
  await expect.element(download).toBeDisabled();
  await expectAccessible();
});

test('a wrong key is refused with its reason, and no download is used up', async () => {
  const { fake, keyText } = await openSentPage();
  const { keyText: other } = await fake.services.newKey();
  for (const [typed, message] of [
    [other, 'The key is incorrect or incompatible with these files.'],
    [keyText.slice(0, 42), 'The key must be 32 bytes long, and this one is 31. Was it copied completely?'],
    [`${keyText.slice(0, 40)}!!!=`, 'The key contains invalid characters.'],
  ] as const) {
    await key.fill(typed);
    await expect.element(page.getByText(message)).toBeVisible();
    await expect.element(page.getByText('What may help')).toBeVisible();
    await expect.element(download).toBeDisabled();
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
  const tooShort = page.getByText('The key must be 32 bytes long');
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

test('a whole link with its key is taken for the key', async () => {
  const { keyText, path } = await openSentPage();
  await key.fill(`${location.origin}${path}#key=${encodeURIComponent(keyText)}`);
  await expect.element(keyFits).toBeVisible();
});

test('a key that came with the link opens the page by itself', async () => {
  const fake = createFakeServices();
  const { path, keyText } = await sendFiles(fake, [fileOf('note.txt')]);
  await renderApp(path, fake, keyText);
  await expect.element(keyFits).toBeVisible();
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
});

test('a key that its link has told the server opens the page, with a warning and what to do', async () => {
  const fake = createFakeServices();
  const { path, keyText } = await sendFiles(fake, [fileOf('note.txt')]);
  await renderApp(path, fake, keyText, true);
  await expect.element(keyFits).toBeVisible();
  const warning = page.getByRole('alert');
  await expect.element(warning.getByText('the server and its logs may have seen the key')).toBeVisible();
  await expect.element(warning.getByText('ask the sender to send the files again')).toBeVisible();
  await expectAccessible();
});

test('with a key, files that the server calls unencrypted are not trusted', async () => {
  const fake = createFakeServices();
  const { path, keyText } = await sendFiles(fake, [fileOf('note.txt')]);
  for (const { page: file } of fake.server.files.values()) {
    file.isEncrypted = false;
    delete file.salt;
    delete file.keyCheck;
  }
  await renderApp(path, fake, keyText);
  await expect.element(page.getByText('The key is incorrect or incompatible with these files.')).toBeVisible();
  await expect.element(download).toBeDisabled();
  await expect.element(page.getByText('These files are not encrypted.')).toBeVisible();
});

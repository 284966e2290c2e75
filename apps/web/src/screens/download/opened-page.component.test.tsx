// What the key reveals: hidden names, the sender's note, files that are missing, and tampering.
import type { PageFile } from '@furoshiki/api';
import { importKey, parseKey } from '@furoshiki/format';
import { describe, expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { forgetFileCount } from '../../../../../packages/transfer/testing/older-client.ts';
import { expectAccessible, NARROW } from '../../../testing/accessibility.ts';
import { createFakeServices } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { button, click, fileOf, press, sendFiles } from '../../../testing/user.ts';

const key = page.getByRole('textbox', { name: 'Key', exact: true });
const FILES = [fileOf('Kündigung.pdf'), fileOf('b.txt', 'second'), fileOf('c.txt', 'third')];
const NOTE = { title: 'Photos', message: 'Of the trip.\nEnjoy!' };

async function send(options: Parameters<typeof sendFiles>[2] = {}) {
  const fake = createFakeServices();
  const sent = await sendFiles(fake, FILES, options);
  const stored = [...fake.server.files.values()].map((file) => file.page);
  return { fake, stored, ...sent };
}

test('hidden names are shown only after the key is entered', async () => {
  const { fake, path, keyText } = await send({ hidesNames: true, note: NOTE });
  await renderApp(path, fake);
  await expect.element(page.getByText('3 files, about 3 KB')).toBeVisible();
  await expect.element(page.getByText('The sender has hidden the names.')).toBeVisible();
  await expect.element(page.getByText(/file-1|Kündigung|Photos/u)).not.toBeInTheDocument();
  await expect.element(page.getByRole('button', { name: /^Download/u })).not.toBeInTheDocument();
  await expectAccessible();
  await key.fill(keyText);
  await expect.element(page.getByText('Kündigung.pdf')).toBeVisible();
  await expect.element(page.getByText(/The sender has hidden|about 3 KB/u)).not.toBeInTheDocument();
  await expect.element(page.getByRole('heading', { name: 'Photos' })).toBeVisible();
  await expect.element(page.getByText('Of the trip.')).toBeVisible();
  await expectAccessible();
  await press('Download b.txt');
  await expect.element(button('Saved')).toBeVisible();
  const saved = [...fake.disks.values()].map((disk) => new TextDecoder().decode(Uint8Array.from(disk.bytes)));
  expect(saved).toEqual(['second']);
});

test('a note of 280 characters without a space stays within a phone', async () => {
  const { fake, path, keyText } = await send({ note: { title: 'T'.repeat(280), message: 'm'.repeat(280) } });
  await page.viewport(NARROW.width, NARROW.height);
  await renderApp(path, fake);
  await key.fill(keyText);
  await expect.element(page.getByText('m'.repeat(280))).toBeVisible();
  expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(NARROW.width);
  await page.viewport(1280, 900);
});

test('the page says how many files are still there', async () => {
  const { fake, path, keyText, stored } = await send();
  fake.server.files.delete(stored[0]?.id ?? '');
  await renderApp(path, fake);
  await expect.element(button('Download b.txt')).toBeVisible();
  await expect.element(page.getByText(/files are left/u)).not.toBeInTheDocument();
  await key.fill(keyText);
  await expect.element(page.getByText('2 of 3 files are left.')).toBeVisible();
});

test('a page without its list says so, and how many files there are', async () => {
  const { fake, path, keyText, stored } = await send();
  fake.server.lists.clear();
  fake.server.files.delete(stored[0]?.id ?? '');
  await renderApp(path, fake);
  await key.fill(keyText);
  await expect
    .element(page.getByText('The sender’s list is missing from this page. Files here: 2 of 3.'))
    .toBeVisible();
  await expect.element(button('Download b.txt')).toBeEnabled();
});

test('a page says that it is unknown whether files are missing, if nothing on it has their number', async () => {
  const { fake, path, pageId, keyText } = await send();
  await forgetFileCount(fake.server, pageId, await importKey(crypto.subtle, parseKey(keyText)));
  await renderApp(path, fake);
  await key.fill(keyText);
  await expect.element(page.getByText('We can’t tell whether files are missing here.')).toBeVisible();
  await expect.element(button('Download b.txt')).toBeEnabled();
});

describe('a server that changes the page', () => {
  test.each<[string, (files: PageFile[]) => void]>([
    ['The name of a file was changed.', ([file]) => void (file && (file.fileName = 'other.pdf'))],
    ['The size of a file was changed.', ([file]) => void (file && (file.fileSize = 6))],
    ['Files that have a key always are.', ([file]) => void (file && (file.isEncrypted = false))],
    ['Not encrypted: Kündigung.pdf', ([file]) => void (file && (file.isEncrypted = false))],
    ['A file’s encryption details were changed.', ([file]) => void delete file?.keyCheck],
    ['damaged or swapped', ([file, other]) => void (file && (file.details = other?.details))],
  ])('is reported: %s', async (text, change) => {
    const { fake, path, keyText, stored } = await send();
    change(stored);
    await renderApp(path, fake);
    await key.fill(keyText);
    await expect.element(page.getByText('These aren’t the files the sender sent.')).toBeVisible();
    await expect.element(page.getByText(text)).toBeVisible();
    await expect.element(button('Download all')).toBeDisabled();
    await expect.element(page.getByText('Things to try')).not.toBeInTheDocument();
    await expectAccessible();
    expect(fake.server.counts.get('takeGrant')).toBeUndefined();
  });

  test('while it is open is reported, too', async () => {
    const { fake, path, keyText, stored } = await send({ limit: 5 });
    await renderApp(path, fake);
    await key.fill(keyText);
    await expect.element(page.getByText('The key fits.')).toBeVisible();
    if (stored[2]) stored[2].fileName = 'evil.exe';
    // The list is loaded again after a download.
    await click(button('Download b.txt'));
    await expect.element(page.getByText('The name of a file was changed.')).toBeVisible();
    await expect.element(button('Download all')).toBeDisabled();
  });
});

test('a sender who returns sees the hidden names after entering the key', async () => {
  const { fake, path, pageId, keyText } = await send({ hidesNames: true });
  fake.services.ownPages.add(pageId);
  await renderApp(path, fake);
  await expect.element(page.getByText('3 files, about 3 KB')).toBeVisible();
  await key.fill(keyText);
  await expect.element(page.getByText('Kündigung.pdf')).toBeVisible();
});

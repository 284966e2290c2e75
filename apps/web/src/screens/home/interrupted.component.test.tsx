// The offer to continue an upload that an earlier tab left unfinished.
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeServices } from '../../../testing/fake-services.ts';
import { interruptedUpload } from '../../../testing/interrupted-upload.ts';
import { openWith } from '../../../testing/open-with.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { button, chooseFiles, click, fileOf, press } from '../../../testing/user.ts';

const offer = page.getByRole('status').filter({ hasText: 'You have an unfinished upload' });
const goOn = offer.getByRole('button', { name: 'Choose the files and continue' });
const giveUp = offer.getByRole('button', { name: 'Discard upload' });
const isReady = page.getByText('Your files are ready to share.');
const FILES = [fileOf('a.txt'), fileOf('b.txt')];

test('is offered with its files and what has arrived', async () => {
  await renderApp('/en', { interrupted: [await interruptedUpload(FILES)] });
  await expect.element(offer).toMatchTextContent('a.txt, b.txt');
  await expect.element(offer).toMatchTextContent('0 B of 10 B uploaded.');
  await expect.element(goOn).toBeVisible();
  await expect.element(giveUp).toBeVisible();
  await expectAccessible();
});

test('continues under its own key when its files are chosen again', async () => {
  const upload = await interruptedUpload(FILES);
  const fake = await renderApp('/en', { interrupted: [upload] });
  await expect.element(goOn).toBeVisible();
  await chooseFiles(FILES, goOn);
  await expect.element(isReady).toBeVisible();
  expect(await openWith(fake, upload.keyText)).toEqual(['a.txt', 'b.txt']);
});

test('continues when its files are chosen below, one after the other', async () => {
  const upload = await interruptedUpload(FILES);
  const fake = await renderApp('/en', { interrupted: [upload] });
  await expect.element(goOn).toBeVisible();
  await chooseFiles(FILES.slice(0, 1));
  await expect.element(button('Start upload')).toBeEnabled();
  await chooseFiles(FILES.slice(1));
  await expect.element(isReady).toBeVisible();
  expect(await openWith(fake, upload.keyText)).toEqual(['a.txt', 'b.txt']);
});

test('continues when its files are dropped, and it is not the latest one', async () => {
  const latest = await interruptedUpload([fileOf('other.txt')]);
  const upload = await interruptedUpload(FILES);
  const fake = await renderApp('/en', { interrupted: [latest, upload] });
  await expect.element(goOn).toBeVisible();
  const dataTransfer = new DataTransfer();
  for (const file of FILES) dataTransfer.items.add(file);
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
  await expect.element(isReady).toBeVisible();
  expect(await openWith(fake, upload.keyText)).toEqual(['a.txt', 'b.txt']);
});

test('waits if there are other files among those that are chosen below', async () => {
  await renderApp('/en', { interrupted: [await interruptedUpload(FILES)] });
  await expect.element(goOn).toBeVisible();
  await chooseFiles([...FILES, fileOf('c.txt')]);
  await expect.element(page.getByText('3 files')).toBeVisible();
  await expect.element(offer).toBeVisible();
  await expect.element(button('Start upload')).toBeEnabled();
});

test('names the files that are missing, and stays', async () => {
  await renderApp('/en', { interrupted: [await interruptedUpload(FILES, { missing: ['b.txt'] })] });
  await expect.element(goOn).toBeVisible();
  await chooseFiles(FILES.slice(0, 1), goOn);
  await expect.element(offer).toMatchTextContent('Missing from your selection: b.txt');
});

test('a file that has changed is sent as a new upload, and the offer stays', async () => {
  await renderApp('/en', { interrupted: [await interruptedUpload(FILES, { changed: ['a.txt'] })] });
  await expect.element(goOn).toBeVisible();
  await chooseFiles([fileOf('a.txt', 'hullo')], goOn);
  await expect.element(page.getByText('a.txt has changed.')).toBeVisible();
  await expect.element(offer).toBeVisible();
  await press('Start upload');
  await expect.element(isReady).toBeVisible();
});

test('is given up only after a question, and removed from the server', async () => {
  const fake = createFakeServices();
  const uploadRef = await fake.services.api.call('initUpload', {
    body: { fileName: 'a.txt', fileSize: 5, contentType: '', totalParts: 1, isEncrypted: true, downloadLimit: 5 },
  });
  const upload = await interruptedUpload(FILES, { openUpload: uploadRef });
  fake.services.resumeRecords.findInterrupted = async () => [upload];
  await renderApp('/en', fake);
  await click(giveUp);
  await press('Keep');
  expect(fake.server.uploads.size).toBe(1);
  await click(giveUp);
  await click(page.getByRole('alertdialog').getByRole('button', { name: 'Discard upload' }));
  await expect.element(offer).not.toBeInTheDocument();
  await expect.poll(() => fake.server.uploads.size).toBe(0);
  await expect.element(button('Choose files')).toBeVisible();
});

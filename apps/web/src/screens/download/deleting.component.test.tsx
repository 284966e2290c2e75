// Deleting and reporting: a question first, and a message for five seconds after.
import { Failure } from '@furoshiki/api';
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeServices, type FakeServicesOptions } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { button, click, fileOf, press, sendFiles } from '../../../testing/user.ts';
import { holdTime, passTime } from '../../../testing/virtual-time.ts';

const dialog = page.getByRole('alertdialog');

async function openPage(options: FakeServicesOptions = {}) {
  const fake = createFakeServices(options);
  const { path } = await sendFiles(fake, [fileOf('note.txt'), fileOf('list.txt')]);
  await renderApp(path, fake);
  await expect.element(page.getByRole('heading', { name: 'Files for you' })).toBeVisible();
  return fake;
}

async function remove(name: string): Promise<void> {
  await press(`Delete ${name}`);
  await click(dialog.getByRole('button', { name: 'Delete' }));
}

async function expectForFiveSeconds(text: string): Promise<void> {
  const message = page.getByText(text);
  await passTime(200);
  await expect.element(message).toBeVisible();
  await passTime(4500);
  expect(message.query()).not.toBeNull();
  await passTime(500);
  expect(message.query()).toBeNull();
}

test('the question can be declined, by its button and by Escape, and the focus returns', async () => {
  const { server } = await openPage();
  await press('Delete note.txt');
  await expect.element(dialog).toMatchTextContent('Delete note.txt for everyone?');
  await expectAccessible();
  await press('Keep');
  await expect.element(dialog).not.toBeInTheDocument();
  await press('Delete note.txt');
  await expect.element(dialog).toBeVisible();
  await userEvent.keyboard('{Escape}');
  await expect.element(button('Delete note.txt')).toHaveFocus();
  expect(server.files.size).toBe(2);
});

test('a deletion is shown for five seconds', async () => {
  const { server } = await openPage();
  holdTime();
  await remove('note.txt');
  await expectForFiveSeconds('note.txt was deleted.');
  await expect.poll(() => server.files.size).toBe(1);
});

test('a deletion that failed is shown for five seconds', async () => {
  const { server } = await openPage({
    onCall(name) {
      if (name === 'deleteFile') throw new Failure('VALIDATION_FAILED', { status: 400 });
    },
  });
  holdTime();
  await remove('list.txt');
  await expectForFiveSeconds('Couldn’t delete list.txt');
  expect(server.files.size).toBe(2);
});

test('the number of files that could not be deleted is shown', async () => {
  await openPage({
    onCall(name) {
      if (name === 'deleteFile') throw new Failure('VALIDATION_FAILED', { status: 400 });
    },
  });
  await press('Delete all files');
  await click(dialog.getByRole('button', { name: 'Delete all files' }));
  await expect.element(page.getByRole('alert')).toMatchTextContent('2 files couldn’t be deleted.');
});

test('the button that deletes all files comes after the files', async () => {
  await openPage();
  const last = page.getByRole('listitem').last().element();
  const position = last.compareDocumentPosition(button('Delete all files').element());
  expect(position & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
});

test('all files are deleted after one question', async () => {
  const second = Promise.withResolvers<void>();
  let calls = 0;
  const { server } = await openPage({
    onCall: (name) => (name === 'deleteFile' && (calls += 1) === 2 ? second.promise : undefined),
  });
  await expect.element(page.getByRole('heading', { name: 'Files for you' })).toBeVisible();
  await press('Delete all files');
  await click(dialog.getByRole('button', { name: 'Delete all files' }));
  await expect.element(button('Deleting (50%)')).toBeDisabled();
  second.resolve();
  await expect.element(page.getByRole('heading', { name: 'There are no files here' })).toBeVisible();
  await expect.poll(() => server.files.size).toBe(0);
});

test('a report is sent with its reason and, if wanted, an address for the answer', async () => {
  const { messages } = await openPage();
  await press('Report this page');
  const report = page.getByRole('dialog', { name: 'Report this page' });
  await expect.element(report).toBeVisible();
  await expect.element(button('Send report')).toBeDisabled();
  await expectAccessible();
  await report.getByRole('textbox', { name: 'What’s wrong' }).fill('It is not theirs.');
  const email = report.getByRole('textbox', { name: 'Your email address' });
  await email.fill('visitor');
  await press('Send report');
  await expect.element(report.getByText('Please enter a valid email address.')).toBeVisible();
  expect(messages).toEqual([]);
  await email.fill('visitor@example.org');
  await press('Send report');
  await expect.element(page.getByText('Thank you. We’ll look into it.')).toBeVisible();
  await expect
    .poll(() => messages)
    .toEqual([expect.objectContaining({ reason: 'It is not theirs.', email: 'visitor@example.org' })]);
});

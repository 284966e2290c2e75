// Choosing files: by dialog, folder, drop and paste; what is refused; what is removed again.
import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { button, chooseFiles, click, fileInFolder, fileOf, largeFile, press } from '../../../testing/user.ts';

const list = page.getByRole('list', { name: 'Files to send' });
const start = button('Start upload');
const GB = 1024 ** 3;

test('an empty selection is sound and cannot be sent', async () => {
  await renderApp('/en');
  await expect.element(page.getByRole('heading', { name: 'Lay your files on the cloth' })).toBeVisible();
  await expect.element(page.getByText('Encryption is always on.')).toBeVisible();
  await expect.element(start).toBeDisabled();
  await expectAccessible('everywhere');
});

test('lists the chosen files with their count and their total size', async () => {
  await renderApp('/en');
  await chooseFiles([fileOf('a.txt'), fileOf('b.txt', 'hello!')]);
  await expect.element(list.getByRole('listitem').nth(1)).toMatchTextContent('b.txt6 B');
  await expect.element(page.getByText('2 files')).toBeVisible();
  await expect.element(page.getByText('Total: 11 B')).toBeVisible();
  await expect.element(start).toBeEnabled();
});

test('adds more files to those that are there', async () => {
  await renderApp('/en');
  await chooseFiles([fileOf('a.txt')]);
  await chooseFiles([fileOf('b.txt')], button('Add more files'));
  await expect.element(page.getByText('2 files')).toBeVisible();
});

test('lists the files of a folder under their paths', async () => {
  await renderApp('/en');
  await chooseFiles([fileInFolder('trip/day 1/a.jpg'), fileInFolder('trip/list.txt')], button('Choose a folder'));
  await expect.element(list).toMatchTextContent('trip/day 1/a.jpg');
  await expect.element(list).toMatchTextContent('trip/list.txt');
});

test('asks the browser for several files, or for one folder', async () => {
  await renderApp('/en');
  await expect.element(button('Choose files')).toBeVisible();
  const inputs = [...document.querySelectorAll<HTMLInputElement>('input[type=file]')];
  expect(inputs.map(({ multiple, webkitdirectory }) => ({ multiple, webkitdirectory }))).toEqual([
    { multiple: true, webkitdirectory: false },
    { multiple: false, webkitdirectory: true },
  ]);
});

describe('a file that cannot be sent', () => {
  test('is named with the reason, and the others stay', async () => {
    await renderApp('/en');
    await chooseFiles([fileOf('a.txt'), fileOf(`${'a-very-long-name-'.repeat(12)}.txt`), fileOf('void.txt', '')]);
    await expect.element(page.getByRole('alert')).toMatchTextContent(/^void\.txt: this file is empty$/u);
    expect(list.getByRole('listitem').all()).toHaveLength(2);
    await expect.element(start).toBeEnabled();
    await expectAccessible();
  });

  test('is too large on its own', async () => {
    await renderApp('/en');
    await chooseFiles([largeFile('film.mkv', 11 * GB)]);
    await expect.element(page.getByRole('alert')).toMatchTextContent('film.mkv: too large. The limit is 10 GB.');
  });

  test('is in the list already', async () => {
    await renderApp('/en');
    const file = fileOf('a.txt');
    await chooseFiles([file]);
    await chooseFiles([file]);
    await expect.element(page.getByRole('alert')).toMatchTextContent('a.txt: already in the list');
  });
});

test('a selection that is too large as a whole cannot be sent', async () => {
  await renderApp('/en');
  await chooseFiles([largeFile('a.bin', 6 * GB), largeFile('b.bin', 6 * GB)]);
  await expect.element(page.getByRole('alert')).toMatchTextContent('That’s more than 10 GB in total');
  await expect.element(start).toBeDisabled();
  await expectAccessible();
  await press('Remove b.bin');
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
  await expect.element(start).toBeEnabled();
});

test('a thousand files are listed, and removing one leaves the other rows as they are', async () => {
  await renderApp('/en');
  await chooseFiles(Array.from({ length: 1000 }, (_, n) => fileOf(`picture ${n}.jpg`)));
  await expect.element(page.getByText('1,000 files')).toBeVisible();
  const rows = [...list.element().children];
  list.element().querySelectorAll('button')[500]?.click();
  await expect.element(page.getByText('999 files')).toBeVisible();
  const left = rows.toSpliced(500, 1);
  expect([...list.element().children].every((row, index) => row === left[index])).toBe(true);
});

test('more than a thousand files cannot be sent', async () => {
  await renderApp('/en');
  await chooseFiles(Array.from({ length: 1001 }, (_, n) => fileOf(`picture ${n}.jpg`)));
  await expect
    .element(page.getByRole('alert'))
    .toMatchTextContent('That’s too many files. One link can hold up to 1,000.');
  await expect.element(start).toBeDisabled();
});

test('all files are removed at once', async () => {
  await renderApp('/en');
  await chooseFiles([fileOf('a.txt'), fileOf('b.txt')]);
  await press('Remove all');
  await expect.element(page.getByRole('heading', { name: 'Lay your files on the cloth' })).toBeVisible();
  await expect.element(start).toBeDisabled();
});

test('added files are in view', async () => {
  await renderApp('/en');
  await chooseFiles(Array.from({ length: 30 }, (_, n) => fileOf(`picture ${n}.jpg`)));
  await chooseFiles([fileOf('new.txt')], button('Add more files'));
  const row = list.getByRole('listitem').filter({ hasText: 'new.txt' });
  await expect.element(row).toBeInTheDocument();
  await expect.element(row).toBeInViewport({ ratio: 0.9 });
});

test('the keyboard stays in the list when a file is removed', async () => {
  await renderApp('/en');
  await chooseFiles(['a.txt', 'b.txt', 'c.txt'].map((name) => fileOf(name)));
  await expect.element(button('Remove b.txt')).toBeVisible();
  button('Remove b.txt').element().focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(button('Remove c.txt')).toHaveFocus();
  await userEvent.keyboard('{Enter}');
  await expect.element(button('Remove a.txt')).toHaveFocus();
});

test('chosen files and options are still there after a visit to another page, until the logo is pressed', async () => {
  await renderApp('/en');
  await chooseFiles([fileOf('a.txt')]);
  await click(page.getByText('2 days'));
  await click(page.getByRole('link', { name: 'How your files are protected' }));
  await expect.element(list).not.toBeInTheDocument();
  history.back();
  await expect.element(list).toMatchTextContent('a.txt');
  await expect.element(page.getByRole('radio', { name: '2 days' })).toBeChecked();
  await click(page.getByRole('link', { name: 'Furoshiki, start over' }));
  await expect.element(list).not.toBeInTheDocument();
  await expect.element(page.getByRole('radio', { name: '1 day' })).toBeChecked();
});

test('the keyboard continues from the empty list when the last file is removed', async () => {
  await renderApp('/en');
  await chooseFiles([fileOf('a.txt')]);
  await expect.element(button('Remove a.txt')).toBeVisible();
  button('Remove a.txt').element().focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(page.getByRole('heading', { name: 'Lay your files on the cloth' })).toBeVisible();
  await expect.poll(() => document.activeElement === document.body).toBe(false);
  await userEvent.tab();
  expect(page.getByRole('main').element().contains(document.activeElement)).toBe(true);
});

function dataOf(name: string): DataTransfer {
  const data = new DataTransfer();
  data.items.add(fileOf(name));
  return data;
}

test('two additions before the next render are both kept', async () => {
  await renderApp('/en');
  await expect.element(button('Choose files')).toBeVisible();
  const { body } = document;
  for (const name of ['first.txt', 'second.txt'])
    body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: dataOf(name), bubbles: true }));
  await expect.element(list).toMatchTextContent('second.txt');
  expect(list.getByRole('listitem').all()).toHaveLength(2);
});

test('files can be dropped and pasted anywhere on the page', async () => {
  await renderApp('/en');
  await expect.element(button('Choose files')).toBeVisible();
  const footer = page.getByRole('contentinfo').element();
  const drag = { dataTransfer: dataOf('dropped.txt'), bubbles: true, cancelable: true };
  // A browser repeats this event as long as the files are over the page.
  const dragging = setInterval(() => footer.dispatchEvent(new DragEvent('dragover', drag)), 50);
  await expect.element(page.getByRole('heading', { name: 'Drop to add' })).toBeVisible();
  clearInterval(dragging);
  footer.dispatchEvent(new DragEvent('drop', drag));
  await expect.element(page.getByText('1 file', { exact: true })).toBeVisible();
  footer.dispatchEvent(new ClipboardEvent('paste', { clipboardData: dataOf('pasted.txt'), bubbles: true }));
  await expect.element(page.getByText('2 files')).toBeVisible();
  await expect.element(list).toMatchTextContent('pasted.txt');
});

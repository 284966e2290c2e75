// A folder that was sent as one archive: its name, what is in it, and what was left out.
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { createFakeServices, type FakeServices } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { button, click, fileOf, press, sendFiles } from '../../../testing/user.ts';
import type { SavedFolder } from '../../services.ts';

const file = (name: string, size = 5) => ({ path: `trip/${name}`, size, modifiedAtSeconds: 0, crc32: 0, startsAt: 0 });
const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name }).last();

/** Downloads a folder. The fake saver does not read the archive, so its content does not matter. */
async function downloadFolder(folder: Partial<SavedFolder>): Promise<FakeServices> {
  const savedFolder = { files: [], emptyFolders: [], links: [], save: undefined, ...folder };
  const fake = createFakeServices({ savedFolder });
  const facts = { files: savedFolder.files.length, folders: 1, links: savedFolder.links.length, bytes: 5 };
  const { path, keyText } = await sendFiles(fake, [fileOf('trip.tar')], { folder: facts });
  await renderApp(path, fake, keyText);
  await press('Download trip');
  await expect.element(button('Saved')).toBeVisible();
  return fake;
}

test('a folder is shown under its own name, and lists its files, each of which can be saved', async () => {
  const saved: string[] = [];
  await downloadFolder({
    files: [file('a.jpg', 2048), file('in/b.txt')],
    save: ({ path }) => void saved.push(path),
  });
  await expect.element(page.getByText('Folder with 2 files (ZIP)')).toBeVisible();
  await expect.element(page.getByText('trip.tar')).not.toBeInTheDocument();
  await expect.element(page.getByText('in/b.txt')).not.toBeVisible();
  await click(page.getByText('Show what’s in it'));
  await expect.element(rowOf('a.jpg').getByText('2 KB')).toBeVisible();
  await expectAccessible('everywhere');
  await press('Save in/b.txt');
  expect(saved).toEqual(['trip/in/b.txt']);
  await expect.element(page.getByText('left out')).not.toBeInTheDocument();
});

test('only the first files of a large folder are listed, until more are wanted', async () => {
  const files = Array.from({ length: 1150 }, (_, index) => file(`${index}.txt`));
  await downloadFolder({ files });
  await click(page.getByText('Show what’s in it'));
  await expect.element(page.getByText('99.txt', { exact: true })).toBeInTheDocument();
  await expect.element(page.getByText('100.txt', { exact: true })).not.toBeInTheDocument();
  await press('Show 1,000 more');
  await press('Show 50 more');
  await expect.element(page.getByText('1149.txt', { exact: true })).toBeInTheDocument();
  await expect.element(page.getByText('more', { exact: false })).not.toBeInTheDocument();
});

test('links are named that were left out, and files that the browser no longer has cannot be saved', async () => {
  const links = Array.from({ length: 7 }, (_, index) => `trip/link ${index}`);
  await downloadFolder({ files: [file('a.txt')], links });
  const notice = page.getByText('7 symbolic links were left out');
  await expect.element(notice).toMatchTextContent('trip/link 4 and 2 more');
  await click(page.getByText('Show what’s in it'));
  await expect.element(rowOf('a.txt')).toBeVisible();
  await expect.element(button('Save a.txt')).not.toBeInTheDocument();
});

// Downloads and pages that fail: what has failed, with the status, and a way to try again.
import { Failure } from '@furoshiki/api';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeServices, type FakeServicesOptions } from '../../../testing/fake-services.ts';
import { openReceivedPage, renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { fileOf, press, sendFiles } from '../../../testing/user.ts';
import { holdTime, passTime } from '../../../testing/virtual-time.ts';

const FILES = [fileOf('a.txt'), fileOf('b.txt')];
const rowOf = (name: string) => page.getByRole('listitem').filter({ hasText: name });

const openPage = (options?: FakeServicesOptions) => openReceivedPage(FILES, options);

test('says what is wrong when the server refuses, and offers to try again', async () => {
  await openPage({
    onCall(name) {
      if (name === 'takeGrant') throw new Failure('NOT_FOUND', { status: 404 });
    },
  });
  await press('Download a.txt');
  await expect
    .element(rowOf('a.txt').getByRole('alert'))
    .toHaveTextContent('File not found. It may have been deleted.');
  await expect.element(rowOf('a.txt').getByRole('button', { name: 'Try again' })).toBeVisible();
});

test('a page that cannot be loaded says so with the status, and can be loaded again', async () => {
  let isBroken = true;
  const fake = createFakeServices({
    onCall(name) {
      if (name === 'page' && isBroken) throw new Failure('API_ERROR', { status: 418 });
    },
  });
  const { path, keyText } = await sendFiles(fake, FILES);
  await renderApp(path, fake, keyText);
  await expect.element(page.getByRole('alert')).toMatchTextContent('Couldn’t load the list of files (status 418).');
  await expectAccessible();
  isBroken = false;
  await press('Try again');
  await expect.element(page.getByText('The key fits.')).toBeVisible();
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
});

test('a storage that refuses is named with its status, not taken for a limit, and can be tried again', async () => {
  const { server } = await openPage();
  server.faultOf = ({ name }) => (name === 'getRange' ? 'refuse' : undefined);
  holdTime();
  await press('Download a.txt');
  await passTime(60_000);
  const alert = rowOf('a.txt').getByRole('alert');
  await expect.element(alert).toMatchTextContent('The file storage refused the download (status 403).');
  await expect.element(page.getByText(/limit|expired/u)).not.toBeInTheDocument();
  await expect.element(rowOf('a.txt').getByRole('button', { name: 'Try again' })).toBeEnabled();
});

test('a link without an id says so', async () => {
  await renderApp('/en/download');
  await expect.element(page.getByRole('heading', { name: 'This link is incomplete' })).toBeVisible();
  await expect.element(page.getByText('Check that you copied all of it.')).toBeVisible();
});

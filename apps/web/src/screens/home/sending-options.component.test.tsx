// How long and how often files can be downloaded, and what only some instances ask for.
import { Failure, type InstanceConfig } from '@furoshiki/core';
import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeServices } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { button, chooseFiles, click, fileOf, press } from '../../../testing/user.ts';

const limit = page.getByRole('textbox', { name: 'Another number, 1 to 100' });
const radio = (name: string) => page.getByRole('radio', { name, exact: true });
const isReady = page.getByText('Your files are ready to hand over.');

test('the chosen days and the typed limit are sent with the file', async () => {
  const { server } = await renderApp('/en');
  await chooseFiles([fileOf('note.txt')]);
  await click(page.getByText('2 days'));
  await limit.fill('42');
  await press('Start upload');
  await expect.element(isReady).toBeVisible();
  const [file] = [...server.files.values()];
  expect(file?.page).toMatchObject({ maxDownloads: 42, retentionPeriod: 2 });
});

test('the defaults are chosen at first', async () => {
  await renderApp('/en');
  await expect.element(radio('1 day')).toBeChecked();
  await expect.element(radio('5')).toBeChecked();
  await expect.element(limit).toHaveValue('');
});

test('a typed limit replaces the shortcut, is kept within 1 to 100, and gives way to a shortcut again', async () => {
  await renderApp('/en');
  await limit.fill('250');
  await expect.element(radio('5')).not.toBeChecked();
  await userEvent.tab();
  await expect.element(limit).toHaveValue('100');
  await click(page.getByText('10', { exact: true }));
  await expect.element(limit).toHaveValue('');
  await expect.element(radio('10')).toBeChecked();
});

test.each([
  ['0', 1],
  ['101', 100],
  ['1e2', 100],
  ['1e3', 100],
  ['many', 1],
  ['', 1],
  ['２５', 25],
])('a typed limit of %j is shown and sent as %i', async (typed, counted) => {
  const { server } = await renderApp('/en');
  await chooseFiles([fileOf('note.txt')]);
  await limit.fill('8');
  await limit.fill(typed);
  await userEvent.tab();
  await expect.element(limit).toHaveValue(String(counted));
  await press('Start upload');
  await expect.element(isReady).toBeVisible();
  expect([...server.files.values()].map(({ page: file }) => file.maxDownloads)).toEqual([counted]);
});

test('visiting the field without typing keeps the shortcut', async () => {
  await renderApp('/en');
  await click(limit);
  await userEvent.tab();
  await expect.element(radio('5')).toBeChecked();
  await expect.element(limit).toHaveValue('');
});

test('the mouse wheel over the field scrolls the page and changes nothing', async () => {
  await renderApp('/en');
  await limit.fill('42');
  await userEvent.wheel(limit, { delta: { y: 100 } });
  await userEvent.wheel(limit, { delta: { y: -300 } });
  await expect.element(limit).toHaveValue('42');
});

test('a typed limit is still there after a cancelled upload', async () => {
  const { bytes } = await renderApp('/en');
  bytes.hold();
  await chooseFiles([fileOf('a.txt')]);
  await limit.fill('42');
  await press('Start upload');
  await press('Cancel');
  await expect.element(page.getByText('The upload was cancelled')).toBeVisible();
  await expect.element(limit).toHaveValue('42');
});

test('no claim about encryption is shown before the config is loaded', async () => {
  const fake = createFakeServices();
  const config = Promise.withResolvers<InstanceConfig>();
  const { instanceConfig } = fake.services;
  fake.services.instanceConfig = () => config.promise;
  await renderApp('/en', fake);
  await expect.element(button('Choose files')).toBeVisible();
  await expect.element(page.getByRole('main').getByText(/encrypt/iu)).not.toBeInTheDocument();
  config.resolve(await instanceConfig());
  await expect.element(page.getByText('Encryption is always on.')).toBeVisible();
});

describe('an instance that allows unencrypted files', () => {
  test('sends them without a key only if the sender says so', async () => {
    const { server, events } = await renderApp('/en', { config: { allowUnencrypted: true } });
    const encrypt = page.getByRole('checkbox', { name: /Encrypt the files/u });
    await expect.element(encrypt).toBeChecked();
    await expect.element(page.getByText('Encryption is always on.')).not.toBeInTheDocument();
    await expectAccessible();
    await click(encrypt);
    await chooseFiles([fileOf('note.txt')]);
    await press('Start upload');
    await expect.element(isReady).toBeVisible();
    await expect.element(page.getByRole('group', { name: 'Key', exact: true })).not.toBeInTheDocument();
    expect([...server.files.values()].map(({ page: file }) => file.isEncrypted)).toEqual([false]);
    expect(events).toEqual([{ event: 'encryption_toggled', facts: { to: 'off' } }]);
  });
});

describe('a private instance', () => {
  test('asks for its token, and says when it is the wrong one', async () => {
    const fake = await renderApp('/en', {
      config: { uploadTokenRequired: true },
      onCall(name) {
        if (name === 'initUpload' && fake.uploadToken() !== 'right') throw new Failure('FORBIDDEN', { status: 403 });
      },
    });
    await chooseFiles([fileOf('note.txt')]);
    const token = page.getByRole('textbox', { name: 'Upload token' });
    await token.fill('a guess');
    await press('Show token');
    await expect.element(button('Hide token')).toBeVisible();
    await expectAccessible();
    await press('Start upload');
    await expect.element(page.getByText('No upload permission.')).toBeVisible();
    await token.fill('right');
    await press('Start upload');
    await expect.element(isReady).toBeVisible();
  });

  test('does not ask for a token where none is needed', async () => {
    await renderApp('/en');
    await expect.element(button('Choose files')).toBeVisible();
    await expect.element(page.getByRole('textbox', { name: 'Upload token' })).not.toBeInTheDocument();
  });
});

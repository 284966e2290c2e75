// How long and how often files can be downloaded, and what only some instances ask for.
import { Failure, type InstanceConfig } from '@furoshiki/api';
import { describe, expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeServices } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { loadOnce } from '../../ui/lazy.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { button, chooseFiles, click, fileOf, press } from '../../../testing/user.ts';

const limit = page.getByRole('textbox', { name: 'Custom number (1–100)' });
const radio = (name: string) => page.getByRole('radio', { name, exact: true });
const isReady = page.getByText('Your files are ready to share.');

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
  await expect.element(radio('1 day')).toBeVisible();
  const offered = page
    .getByRole('radio')
    .elements()
    .map((option) => option.parentElement?.textContent);
  expect(offered).toEqual(['1 day', '2 days', '3 days', '1', '3', '5', '10']);
  await expect.element(radio('1 day')).toBeChecked();
  await expect.element(radio('5')).toBeChecked();
  await expect.element(limit).toHaveValue('');
  await expect.element(page.getByRole('checkbox', { name: /^Encrypt/u })).not.toBeInTheDocument();
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

describe('hidden names and a note', () => {
  const hideNames = page.getByRole('checkbox', { name: /^Hide file names and exact sizes/u });
  const more = page.getByText('More options');

  test('are sent sealed, for this upload only, and the list on the device has no name', async () => {
    const stored = new Map<string, string>();
    const fake = await renderApp('/en', { stored });
    await chooseFiles([fileOf('Kündigung.pdf')]);
    await expect.element(hideNames).not.toBeInTheDocument();
    await click(more);
    await expect.element(hideNames).not.toBeChecked();
    await click(hideNames);
    await page.getByLabelText('Title').fill(' Photos ');
    await page.getByLabelText('Message').fill('Of the trip');
    await expectAccessible();
    await press('Start upload');
    await expect.element(isReady).toBeVisible();
    // The sender sees the names, on this page and on the home page.
    await expect.element(page.getByText('Kündigung.pdf')).toBeVisible();
    await expect.element(page.getByRole('heading', { name: 'Photos' })).toBeVisible();
    await click(page.getByRole('link', { name: 'Back to the home page' }));
    await expect.element(page.getByText('Kündigung.pdf')).toBeVisible();
    const [file] = [...fake.server.files.values()];
    expect(file?.page).toMatchObject({ fileName: 'file-1', fileSize: 1024 });
    const [sent] = [...fake.server.uploads.values()];
    expect(sent?.init.contentType).toBe('application/octet-stream');
    expect(JSON.stringify([...stored])).not.toContain('Kündigung');
    await renderApp('/en', { stored });
    await expect.element(page.getByText('1 file with a hidden name')).toBeVisible();
    await click(more);
    await expect.element(hideNames).not.toBeChecked();
  });

  test('can be the usual choice, by a setting', async () => {
    const stored = new Map<string, string>();
    await renderApp('/en', { stored });
    await press('Settings');
    await click(page.getByRole('radiogroup', { name: 'Hide file names and exact sizes' }).getByText('On'));
    const { server } = await renderApp('/en', { stored });
    // Open, because it has something that is not the default.
    await expect.element(hideNames).toBeChecked();
    await chooseFiles([fileOf('a.txt')]);
    await click(hideNames);
    await press('Start upload');
    await expect.element(isReady).toBeVisible();
    expect([...server.files.values()].map((file) => file.page.fileName)).toEqual(['a.txt']);
  });

  test('outlive a look at another page', async () => {
    await renderApp('/en');
    await click(more);
    await page.getByLabelText('Message').fill('Of the trip');
    await click(page.getByRole('link', { name: 'FAQ' }));
    await expect.element(page.getByRole('heading', { level: 1, name: 'Frequently asked questions' })).toBeVisible();
    history.back();
    await expect.element(page.getByLabelText('Message')).toHaveValue('Of the trip');
  });

  test('of an instance that always hides names needs no switch', async () => {
    const fake = await renderApp('/en', { config: { hideNames: 'always' } });
    await expect.element(page.getByText('This server hides file names')).toBeVisible();
    await expect.element(hideNames).not.toBeInTheDocument();
    await chooseFiles([fileOf('Kündigung.pdf')]);
    await press('Start upload');
    await expect.element(isReady).toBeVisible();
    expect([...fake.server.files.values()].map((file) => file.page.fileName)).toEqual(['file-1']);
  });

  test('are not offered for unencrypted files', async () => {
    await renderApp('/en', { config: { allowUnencrypted: true } });
    await expect.element(more).toBeVisible();
    await click(page.getByRole('checkbox', { name: /^Encrypt/u }));
    await expect.element(more).not.toBeInTheDocument();
  });
});

test('no claim about encryption is shown before the config is loaded', async () => {
  const fake = createFakeServices();
  const config = Promise.withResolvers<InstanceConfig>();
  const { instanceConfig } = fake.services;
  fake.services.instanceConfig = loadOnce(() => config.promise);
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
    await expect.element(page.getByText('You can’t upload here.')).toBeVisible();
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

// An upload while it runs: its progress, its end, and what stops it.
import { Failure } from '@furoshiki/api';
import { messages } from '@furoshiki/texts/messages';
import { describe, expect, test, vi } from 'vitest';
import { type Locator, page } from 'vitest/browser';
import type { FakeServices, FakeServicesOptions } from '../../../testing/fake-services.ts';
import { openWith } from '../../../testing/open-with.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible, NARROW } from '../../../testing/accessibility.ts';
import { button, chooseFiles, click, fileOf, press } from '../../../testing/user.ts';
import { holdTime, passTime } from '../../../testing/virtual-time.ts';

const FILES = ['a.txt', 'b.txt', 'c.txt'].map((name) => fileOf(name));
const bar = page.getByRole('progressbar');
const isReady = page.getByText('Your files are ready to share.');

/** Starts an upload whose bytes wait. */
async function startHeld(files: readonly File[], options: FakeServicesOptions = {}): Promise<FakeServices> {
  const fake = await renderApp('/en', options);
  fake.bytes.hold();
  await chooseFiles(files);
  await press('Start upload');
  await expect.poll(() => fake.bytes.held.length).toBeGreaterThan(0);
  return fake;
}

test('shows the file, the part, the bytes and which files wait', async () => {
  await startHeld(FILES);
  await expect.element(bar).toHaveAccessibleName('a.txt');
  // As much as the bytes beside it: a part that only has its URL counts nothing.
  await expect.element(bar).toHaveAttribute('aria-valuetext', '0%');
  await expect.element(page.getByText('Part 1 of 1')).toBeVisible();
  await expect.element(page.getByText('File 1 of 3')).toBeVisible();
  await expect.element(page.getByText('0 B of 15 B')).toBeVisible();
  const badges = page.getByRole('list', { name: 'Files to send' }).getByRole('listitem');
  expect(badges.all().map((badge) => badge.element().textContent)).toEqual([
    'a.txt5\u00a0BUploading',
    'b.txt5\u00a0BWaiting',
    'c.txt5\u00a0BWaiting',
  ]);
  await expectAccessible('everywhere');
});

test('counts the file also if it is the only one', async () => {
  await startHeld([fileOf('a.txt')]);
  await expect.element(page.getByText('File 1 of 1')).toBeVisible();
});

test('shows the link and the masked key when it is done, notifies, and lets the device sleep', async () => {
  const { bytes, awakeCount, notified } = await startHeld(FILES);
  await expect.poll(awakeCount).toBe(1);
  bytes.release();
  await expect.element(isReady).toBeVisible();
  await expect.poll(awakeCount).toBe(0);
  await expect.poll(() => notified).toEqual(['Your files are ready to share.']);
  await expect.element(page.getByRole('group', { name: 'Link', exact: true })).toBeVisible();
  const key = page.getByRole('group', { name: 'Key', exact: true }).getByRole('status');
  await expect.element(key).toMatchTextContent(/^[\w+/]{4}•{36}[\w+/]{3}=$/u);
  expect(location.pathname).toMatch(/^\/en\/download\/\w/u);
});

test('nothing moves while the numbers change, and the progress is on the tab', async () => {
  await page.viewport(NARROW.width, NARROW.height);
  holdTime();
  const fake = await startHeld([fileOf('a.bin', new Uint8Array(1024 * 1024))]);
  await expect.element(bar).toBeVisible();
  // Without the message that comes and goes, which has its own place.
  const boxes = () =>
    [...page.getByRole('main').element().querySelectorAll('section, section *, ul, li')]
      .filter(
        (element) => element.closest('svg, [aria-hidden]') === null && getComputedStyle(element).display !== 'inline',
      )
      .map((element) => {
        const { top, height } = element.getBoundingClientRect();
        return [element.tagName, top, height];
      });
  await passTime(1000);
  const before = boxes();
  for (const [percent, sent] of [
    [11, 120_000],
    [33, 349_525],
    [66, 700_000],
    [99, 1_040_000],
  ] as const) {
    for (const request of fake.bytes.held) request.onProgress(sent);
    await passTime(1700);
    await expect.poll(() => Number(bar.element().getAttribute('aria-valuenow'))).toBeGreaterThanOrEqual(percent);
    expect(boxes()).toEqual(before);
  }
  await expect.element(page.getByText(/\/s$/u)).toBeVisible();
  await expect.element(page.getByText(/seconds? left$/u)).toBeVisible();
  await expect.poll(() => document.title).toMatch(/^99% · Furoshiki/u);
  await expect
    .poll(() => document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href)
    .toMatch(/^data:image\/svg\+xml/u);
  vi.useRealTimers();
  fake.bytes.release();
  await expect.element(isReady).toBeVisible();
  await expect.poll(() => document.title).not.toContain('%');
  await expect.poll(() => document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href).toMatch(/icon\.svg$/u);
  await page.viewport(1280, 900);
});

test('shows a random message for three seconds out of every five', async () => {
  holdTime();
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  await startHeld(FILES);
  const message = () => page.getByRole('main').element().querySelector('[aria-hidden=true][data-shown]');
  await expect.poll(() => message()?.textContent).toMatch(/\S/u);
  const first = message()?.textContent;
  random.mockReturnValue(0.999);
  await passTime(2700);
  expect(message()?.textContent).toMatch(/\S/u);
  await passTime(400);
  expect(message()?.textContent).toBe('');
  await passTime(1600);
  expect(message()?.textContent).toBe('');
  await passTime(500);
  const last = message()?.textContent;
  expect(last).toMatch(/\S/u);
  expect(last).not.toBe(first);
  random.mockReturnValue(0);
  await passTime(5000);
  expect(message()?.textContent).toBe(first);
});

describe('cancelling', () => {
  test('ends the upload and leaves nothing on the server', async () => {
    const { server } = await startHeld(FILES);
    expect(server.uploads.size).toBe(3);
    await press('Cancel');
    // Not an alert: it is what the sender wanted.
    await expect.element(page.getByRole('status').filter({ hasText: 'The upload was cancelled.' })).toBeVisible();
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
    expect(server.uploads.size).toBe(0);
    await expect.element(page.getByText('3 files')).toBeVisible();
    await expectAccessible();
  });

  test('is shown while the server does not respond, for three seconds at most', async () => {
    const { server } = await startHeld([...FILES, fileOf('void.txt', '')]);
    // What was refused before the start is no longer shown.
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
    server.faultOf = ({ name }) => (name === 'cancelUpload' ? 'hang' : undefined);
    holdTime();
    await press('Cancel');
    await expect.element(page.getByRole('paragraph').filter({ hasText: 'Cancelling' })).toBeVisible();
    await expect.element(button('Cancel')).toBeDisabled();
    await expectAccessible();
    await passTime(2600);
    expect(button('Cancel').query()).not.toBeNull();
    await passTime(600);
    expect(page.getByText('The upload was cancelled.').query()).not.toBeNull();
  });

  test('shows its messages in turn, the next one each time', async () => {
    const texts = Object.values(messages.en.progress.stopping);
    const { server } = await startHeld(FILES);
    server.faultOf = ({ name }) => (name === 'cancelUpload' ? 'hang' : undefined);
    holdTime();
    const shownWhileCancelling = async () => {
      await press('Cancel');
      const message = () => page.getByRole('main').element().querySelector('[aria-hidden=true][data-shown]');
      const shown = () => texts.indexOf(message()?.textContent ?? '');
      await expect.poll(shown).toBeGreaterThanOrEqual(0);
      const index = shown();
      await passTime(3000);
      return index;
    };
    const first = await shownWhileCancelling();
    await press('Start upload');
    expect(await shownWhileCancelling()).toBe((first + 1) % texts.length);
  });

  test('leaves nothing under the pointer that a second click would press', async () => {
    // It lasts for part of a second. A slow machine would see only its end.
    const held = document.head.appendChild(document.createElement('style'));
    held.textContent = '* { animation-play-state: paused !important }';
    await startHeld(FILES);
    await press('Cancel');
    const remove = button('Remove a.txt');
    await expect.element(remove).toBeVisible();
    const isUnderPointer = (locator: Locator) => {
      const element = locator.element();
      element.scrollIntoView({ block: 'center' });
      const { left, top, width, height } = element.getBoundingClientRect();
      return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
    };
    expect([remove, button('Start upload')].map(isUnderPointer)).toEqual([false, false]);
    held.remove();
    await expect.poll(() => isUnderPointer(remove)).toBe(true);
  });

  test('happens when the screen is left, and leaves nothing on the server', async () => {
    const { server } = await startHeld(FILES);
    expect(server.uploads.size).toBe(3);
    history.pushState(null, '', '/en/nowhere');
    await expect.element(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
    await expect.poll(() => server.uploads.size).toBe(0);
  });
});

test('without a network it waits, says so, and continues by itself', async () => {
  const { bytes, network } = await startHeld(FILES);
  network.pull();
  bytes.breakOff();
  await expect
    .element(page.getByText('Waiting for the server. Your transfer will pick up where it left off.'))
    .toBeVisible();
  await expectAccessible();
  network.plug();
  bytes.release();
  await expect.element(isReady).toBeVisible();
});

test('pressing start twice shows the key of the upload that runs', async () => {
  const fake = await renderApp('/en');
  await chooseFiles([fileOf('a.txt')]);
  await expect.element(button('Start upload')).toBeEnabled();
  const start = button('Start upload').element() as HTMLButtonElement;
  start.click();
  start.click();
  await expect.element(isReady).toBeVisible();
  const key = page.getByRole('group', { name: 'Key', exact: true });
  await click(key.getByRole('button', { name: 'Show key' }));
  const keyText = key.getByRole('status').element().textContent;
  expect(await openWith(fake, keyText)).toEqual(['a.txt']);
});

test.each([
  ['FILE_TOO_LARGE', 413, 'The file is too large. The limit is 10 GB.'],
  ['QUOTA_EXCEEDED', 507, 'The server has no space for this file right now.'],
  ['FORBIDDEN', 403, 'You can’t upload here.'],
  ['ENCRYPTION_REQUIRED', 400, 'This server only accepts encrypted files.'],
] as const)('says what is wrong when the server refuses with %s', async (code, status, text) => {
  await renderApp('/en', {
    onCall(name) {
      if (name === 'initUpload') throw new Failure(code, { status });
    },
  });
  await chooseFiles([fileOf('a.txt')]);
  await press('Start upload');
  await expect.element(page.getByRole('alert')).toHaveTextContent(text);
  await expect.element(button('Start upload')).toBeEnabled();
});

// A start that fails: what happened, and what may help.
import { Failure } from '@furoshiki/api';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '../../testing/accessibility.ts';
import { createFakeServices } from '../../testing/fake-services.ts';
import { renderApp } from '../../testing/render-app.tsx';
import { button, press } from '../../testing/user.ts';
import { loadOnce } from '../ui/lazy.tsx';

const cookies = page.getByRole('listitem').filter({ hasText: 'cookies' });

test('without a server it says so, and does not blame the cookies', async () => {
  const { reloadCount, events } = await renderApp('/en', { prepare: () => Promise.reject(new Failure('NETWORK')) });
  await expect.element(page.getByRole('alert')).toMatchTextContent('Couldn’t connect to the server.');
  await expect.element(page.getByText('Check your internet connection.')).toBeVisible();
  await expect.element(cookies).not.toBeInTheDocument();
  await expectAccessible('everywhere');
  await press('Reload the page');
  await expect.poll(reloadCount).toBe(1);
  expect(events).toContainEqual({ event: 'error_occurred', facts: { during: 'start-up', category: 'server' } });
});

test('without a security token it advises to clear the cookies', async () => {
  await renderApp('/en', { prepare: () => Promise.reject(new Failure('INTERNAL', { status: 500 })) });
  await expect.element(page.getByRole('heading', { name: 'Furoshiki couldn’t start' })).toBeVisible();
  await expect.element(cookies).toBeVisible();
});

test('if the code of a screen cannot be loaded, it advises to clear the cache, unless the network is the cause', async () => {
  const { services } = createFakeServices();
  services.loadDownloads = loadOnce(() => Promise.reject(new TypeError('Failed to fetch dynamically imported module')));
  const fake = { ...createFakeServices(), services };
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const path = '/en/download/AAAAAAAAAAAAAAAAAAAAAA';
  await renderApp(path, fake);
  await expect.element(page.getByRole('alert')).toMatchTextContent('This page didn’t load.');
  await expect.element(cookies).toBeVisible();
  await expectAccessible();
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  await renderApp(path, fake);
  await expect.element(page.getByRole('button', { name: 'Reload the page' })).toBeVisible();
  await expect.element(cookies).not.toBeInTheDocument();
});

test('while the server is asked it says what the page is for', async () => {
  await renderApp('/en', { prepare: () => new Promise(() => undefined) });
  await expect.element(page.getByRole('heading', { name: 'Send files' })).toBeVisible();
  await expect.element(page.getByText('Getting ready…').first()).toBeInTheDocument();
  await expect.element(button('Choose files')).not.toBeInTheDocument();
});

test.each([
  [false, 'You’re offline. Transfers will continue when you’re back online.'],
  [true, 'Meanwhile you can keep reading these pages.'],
])('offline, it promises pages only if they are cached: %s', async (canReadOffline, text) => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  await renderApp('/en/faq', { canReadOffline });
  await expect.element(page.getByRole('alert')).toMatchTextContent(text);
  await expect.poll(() => page.getByText('reading these pages').query() !== null).toBe(canReadOffline);
});

test('an address that is not secure says so', async () => {
  await renderApp('/en', { canEncrypt: false });
  await expect.element(page.getByRole('heading', { name: 'This address isn’t secure' })).toBeVisible();
  await expectAccessible();
});

// The screen that people reach by signing in at the proxy.
import { Failure } from '@furoshiki/api';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeServices, type FakeServicesOptions } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { press } from '../../../testing/user.ts';

const heading = (name: string) => page.getByRole('heading', { level: 1, name });
const config = { uploadTokenRequired: true, signIn: true };

async function openSignIn(needsSignIn: boolean, options: FakeServicesOptions = {}) {
  const fake = createFakeServices({ config, ...options });
  fake.server.needsSignIn = needsSignIn;
  return renderApp('/sign-in', fake);
}

test('says that the tab can be closed, and sends a message to other tabs', async () => {
  const { announcedCount } = await openSignIn(false);
  await expect.element(heading('You’re signed in')).toBeVisible();
  await expect.element(page.getByText('You can close this tab.')).toBeVisible();
  await expect.element(page.getByRole('link', { name: 'Back to the home page' })).toHaveAttribute('href', 'en');
  await expect.poll(announcedCount).toBeGreaterThan(0);
  await expectAccessible('everywhere');
});

test('asks to inform the operator if the server does not know of the sign-in', async () => {
  const { announcedCount } = await openSignIn(true);
  await expect.element(heading('Signing in didn’t work')).toBeVisible();
  await expect.element(page.getByRole('alert')).toMatchTextContent('the proxy isn’t passing on the sign-in');
  // The whole page is loaded again, because only the proxy can do something about it.
  await expect
    .element(page.getByRole('link', { name: 'Sign in again' }))
    .toHaveAttribute('href', `${location.origin}/sign-in`);
  expect(announcedCount()).toBe(0);
  await expectAccessible();
});

test('waits for the network to find out', async () => {
  const fake = createFakeServices({ config });
  fake.network.pull();
  await renderApp('/sign-in', fake);
  await expect.element(page.getByText('Checking whether you’re signed in…')).toBeVisible();
  await expect.poll(fake.network.isUnreachable).toBe(true);
  fake.network.plug();
  await expect.element(heading('You’re signed in')).toBeVisible();
});

test('does not blame the proxy if the server cannot say, and checks again', async () => {
  let isLimited = true;
  const { announcedCount } = await openSignIn(false, {
    onCall(name) {
      if (name === 'uploadPermission' && isLimited) throw new Failure('RATE_LIMITED', { retryAfterSeconds: 3600 });
    },
  });
  await expect.element(heading('We couldn’t check whether you’re signed in')).toBeVisible();
  await expectAccessible();
  isLimited = false;
  await press('Check again');
  await expect.element(heading('You’re signed in')).toBeVisible();
  await expect.poll(announcedCount).toBeGreaterThan(0);
});

test('is not there on an instance without sign-in', async () => {
  await openSignIn(false, { config: {} });
  await expect.element(heading('Page not found')).toBeVisible();
});

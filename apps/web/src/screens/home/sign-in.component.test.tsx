// An instance where people sign in to send: the upload waits, and the files stay.
import { expect, test } from 'vitest';
import { page, userEvent } from 'vitest/browser';
import { createFakeServices, type FakeServices } from '../../../testing/fake-services.ts';
import { interruptedUpload } from '../../../testing/interrupted-upload.ts';
import { openWith } from '../../../testing/open-with.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { button, chooseFiles, fileOf, press } from '../../../testing/user.ts';

const FILES = [fileOf('a.txt'), fileOf('b.txt')];
const notice = page.getByRole('status').filter({ hasText: 'Sign in to send files' });
const signInLink = notice.getByRole('link', { name: 'Sign in', exact: true });
const notYet = page.getByText('You’re not signed in yet.');
const waiting = page.getByText('Waiting for you to sign in');
const isReady = page.getByText('Your files are ready to share.');

async function openHome(): Promise<FakeServices> {
  const fake = createFakeServices({ config: { uploadTokenRequired: true, signIn: true } });
  fake.server.needsSignIn = true;
  return renderApp('/en', fake);
}

async function startUpload(): Promise<FakeServices> {
  const fake = await openHome();
  await chooseFiles(FILES);
  await press('Start upload');
  await expect.element(notice).toBeVisible();
  return fake;
}

function signIn({ server, signIn: gate }: FakeServices): void {
  server.needsSignIn = false;
  gate.suggest();
}

test('the home screen asks for no token, and does not promise that no account is needed', async () => {
  await renderApp('/en', { config: { uploadTokenRequired: true, signIn: true, allowUnencrypted: true } });
  await expect.element(page.getByText('You need to sign in to send, but not to receive.')).toBeVisible();
  await expect.element(page.getByText('No account.')).not.toBeInTheDocument();
  // The field for the token would be loaded together with this one.
  await expect.element(page.getByRole('checkbox', { name: /Encrypt the files/u })).toBeVisible();
  await expect.element(page.getByRole('textbox', { name: 'Upload token' })).not.toBeInTheDocument();
});

test('an upload waits, says so, and continues by itself', async () => {
  const fake = await startUpload();
  await expect.element(waiting).toBeVisible();
  await expect.element(signInLink).toHaveAttribute('href', `${location.origin}/sign-in`);
  await expect.element(signInLink).toHaveAttribute('target', '_blank');
  await expect.element(page.getByText('a.txt').first()).toBeVisible();
  await expect.element(notYet).not.toBeInTheDocument();
  expect(fake.notified).toEqual(['Sign in so your upload can continue.']);
  await expectAccessible();
  signIn(fake);
  await expect.element(isReady).toBeVisible();
  expect(fake.server.files.size).toBe(2);
});

test('a user who comes back without having signed in sees that, and can say when it is done', async () => {
  const fake = await startUpload();
  fake.signIn.suggest();
  await expect.element(notYet).toBeVisible();
  await expectAccessible();
  fake.server.needsSignIn = false;
  await press('I’ve signed in');
  await expect.element(isReady).toBeVisible();
});

test('the user can sign in with the keyboard alone', async () => {
  const fake = await openHome();
  await chooseFiles(FILES);
  (button('Start upload').element() as HTMLElement).focus();
  await userEvent.keyboard('{Enter}');
  await expect.element(notice).toBeVisible();
  await expect.poll(() => document.activeElement === document.body).toBe(false);
  const names: (string | null | undefined)[] = [];
  while (names.at(-1) !== 'Sign in' && names.length < 5) {
    await userEvent.tab();
    names.push(document.activeElement?.textContent);
  }
  expect(names.at(-1)).toBe('Sign in');
  await userEvent.tab();
  expect(document.activeElement?.textContent).toBe('I’ve signed in');
  fake.server.needsSignIn = false;
  fake.bytes.hold();
  await userEvent.keyboard('{Enter}');
  await expect.element(notice).not.toBeInTheDocument();
  await expect.poll(() => document.activeElement === document.body).toBe(false);
  fake.bytes.release();
  await expect.element(isReady).toBeVisible();
});

test('after cancelling, the files are still chosen and can be sent again', async () => {
  const fake = await startUpload();
  await press('Cancel');
  await expect.element(page.getByText('The upload was cancelled')).toBeVisible();
  await expect.element(page.getByText('2 files')).toBeVisible();
  expect(fake.signIn.listenerCount()).toBe(0);
  fake.server.needsSignIn = false;
  await press('Start upload');
  await expect.element(isReady).toBeVisible();
});

test('without a network it waits for that first', async () => {
  const fake = await startUpload();
  fake.network.pull();
  signIn(fake);
  await expect.element(page.getByText('Waiting for the server.')).toBeVisible();
  fake.network.plug();
  await expect.element(isReady).toBeVisible();
});

test('a pass that expires between two files interrupts nothing that has begun', async () => {
  const fake = await openHome();
  fake.server.needsSignIn = false;
  fake.server.faultOf = ({ name, nth }) => {
    if (name === 'initUpload' && nth === 2) fake.server.needsSignIn = true;
    return undefined;
  };
  await chooseFiles(FILES);
  await press('Start upload');
  await expect.element(notice).toBeVisible();
  await expect.poll(() => fake.server.files.size).toBe(1);
  await expect.element(page.getByText('Wrapped', { exact: true })).toBeVisible();
  await expectAccessible();
  signIn(fake);
  await expect.element(isReady).toBeVisible();
  expect(fake.server.files.size).toBe(2);
});

test('an interrupted upload continues when its files are chosen again, and waits for the sign-in', async () => {
  const upload = await interruptedUpload(FILES);
  const fake = createFakeServices({ config: { uploadTokenRequired: true, signIn: true }, interrupted: [upload] });
  fake.server.needsSignIn = true;
  await renderApp('/en', fake);
  await expect.element(page.getByText('You have an unfinished upload')).toBeVisible();
  await expect.element(page.getByText('You need to sign in to send')).toBeVisible();
  await chooseFiles(FILES);
  await expect.element(notice).toBeVisible();
  signIn(fake);
  await expect.element(isReady).toBeVisible();
  expect(await openWith(fake, upload.keyText)).toEqual(['a.txt', 'b.txt']);
});

// The contact form, and the page that does not exist.
import { Failure } from '@furoshiki/api';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { renderApp } from '../../../testing/render-app.tsx';
import { expectAccessible } from '../../../testing/accessibility.ts';
import { press } from '../../../testing/user.ts';

const name = page.getByRole('textbox', { name: 'Name' });
const email = page.getByRole('textbox', { name: 'Email address' });
const message = page.getByRole('textbox', { name: 'Message' });

test('asks for what is missing and for a valid address, sends, and starts again', async () => {
  const response = Promise.withResolvers<void>();
  const { messages } = await renderApp('/en/contact', {
    onCall: (called) => (called === 'contact' ? response.promise : undefined),
  });
  await press('Send');
  await expect.poll(() => page.getByText('Please fill in this field.').all().length).toBe(3);
  await expect.element(name).toHaveFocus();
  await expectAccessible('everywhere');
  await name.fill('Aki');
  await email.fill('aki at example');
  await message.fill('Hello!');
  await press('Send');
  await expect.element(page.getByText('Please enter a valid email address')).toBeVisible();
  expect(messages).toEqual([]);
  await email.fill('aki@example.org');
  await press('Send');
  await expect.element(page.getByRole('button', { name: 'Sending…' })).toBeDisabled();
  response.resolve();
  await expect.element(page.getByRole('heading', { name: 'Thank you' })).toBeVisible();
  await expect.poll(() => messages).toEqual([{ name: 'Aki', email: 'aki@example.org', message: 'Hello!' }]);
  await expectAccessible();
  await press('Send another message');
  await expect.element(name).toHaveValue('');
});

test('says that it could not be sent, and keeps what was typed', async () => {
  await renderApp('/en/contact', {
    onCall(called) {
      if (called === 'contact') throw new Failure('INTERNAL', { status: 500 });
    },
  });
  await name.fill('Aki');
  await email.fill('aki@example.org');
  await message.fill('Hello!');
  await press('Send');
  await expect.element(page.getByText('Your message couldn’t be sent. Please try again later.')).toBeVisible();
  await expect.element(message).toHaveValue('Hello!');
});

test('shows what the server says about the failure', async () => {
  const text = 'Too many requests.';
  const { events } = await renderApp('/en/contact', {
    onCall(called) {
      if (called === 'contact') throw new Failure('RATE_LIMITED', { status: 429, message: text });
    },
  });
  await name.fill('Aki');
  await email.fill('aki@example.org');
  await message.fill('Hello!');
  await press('Send');
  await expect.element(page.getByRole('alert').getByText(text)).toBeVisible();
  expect(events).toEqual([{ event: 'error_occurred', facts: { during: 'contact', category: 'apiError' } }]);
  await expect.element(page.getByText('Your message couldn’t be sent. Please try again later.')).toBeVisible();
});

test('shows the address of the operator, and links to answers', async () => {
  await renderApp('/en/contact', { config: { contactEmail: 'help@example.org' } });
  const main = page.getByRole('main');
  await expect
    .element(main.getByRole('link', { name: 'help@example.org' }))
    .toHaveAttribute('href', 'mailto:help@example.org');
  await expect.element(main.getByRole('link', { name: 'FAQ' })).toHaveAttribute('href', 'en/faq');
  await expect.element(main.getByRole('link', { name: 'How to use' })).toHaveAttribute('href', 'en/how-to-use');
});

test('a page that does not exist says so, with a picture', async () => {
  await renderApp('/en/nowhere');
  await expect.element(page.getByRole('heading', { name: 'Page not found' })).toBeVisible();
  await expect.element(page.getByText('The page may have been moved or deleted.')).toBeVisible();
  await expect.element(page.getByRole('img', { name: /dinosaur/u })).toBeVisible();
  await expectAccessible('everywhere');
});

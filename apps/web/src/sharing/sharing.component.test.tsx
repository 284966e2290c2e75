// What the sender gets after an upload: the link and the key, apart or as one link, on the screen and on paper.
import { LANGUAGES } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { expect, test, vi } from 'vitest';
import { cdp, page } from 'vitest/browser';
import { expectAccessible } from '../../testing/accessibility.ts';
import { chooseLinkWithKey, keyField, linkField, linkText, sendByScreen } from '../../testing/sender.ts';
import { button, click, press } from '../../testing/user.ts';
import { holdTime, passTime } from '../../testing/virtual-time.ts';

const LONG = `${'a-very-long-name-'.repeat(12)}.txt`;
const linkWithKeyField = page.getByRole('group', { name: 'Link with key', exact: true });

test('a copy is confirmed for three seconds', async () => {
  const { copied } = await sendByScreen(['note.txt']);
  holdTime();
  await click(linkField.getByRole('button', { name: 'Copy link' }));
  await expect.element(linkField.getByRole('button', { name: 'Copied' })).toBeVisible();
  await expect.poll(() => copied).toEqual([linkText()]);
  await passTime(2700);
  expect(linkField.getByRole('button', { name: 'Copied' }).query()).not.toBeNull();
  await passTime(400);
  expect(linkField.getByRole('button', { name: 'Copy link' }).query()).not.toBeNull();
});

test('link and key can be copied on the first screen of a phone', async () => {
  await page.viewport(390, 844);
  await sendByScreen(['note.txt']);
  for (const language of ['en', 'de', 'ja'] as const) {
    if (language !== 'en') {
      await click(page.getByRole('banner').getByRole('button').first());
      await click(page.getByRole('banner').getByRole('link', { name: LANGUAGES[language].name, exact: true }));
    }
    scrollTo(0, 0);
    const { copyLink, copyKey } = messages[language].share;
    for (const name of [copyLink, copyKey])
      await expect.element(page.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 });
  }
  await page.viewport(1280, 900);
});

test('the success message hides after five seconds', async () => {
  await sendByScreen(['note.txt']);
  const success = page.getByText('Your files are ready to share.');
  // Leaves the screen and returns to it, so that its timers start in held time.
  await click(page.getByRole('link', { name: 'Back to the home page' }));
  await expect.poll(() => location.pathname).toBe('/en');
  holdTime();
  history.back();
  await expect.poll(() => location.pathname).not.toBe('/en');
  await passTime(100);
  expect(success.query()).not.toBeNull();
  await passTime(5000);
  expect(success.query()).toBeNull();
});

test('the key is masked until it is shown, and copied whole either way', async () => {
  const { copied } = await sendByScreen(['note.txt']);
  const masked = keyField.getByRole('status').element().textContent;
  await press('Copy key');
  await expect.poll(() => copied.length).toBe(1);
  expect(copied[0]).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
  expect(masked).not.toBe(copied[0]);
  expect(linkText()).not.toContain(copied[0]);
  await click(keyField.getByRole('button', { name: 'Show key' }));
  await expect.element(keyField.getByRole('status')).toHaveTextContent(copied[0]);
});

test('link and key apart are offered first: a QR code, the share sheet, and a message that warns', async () => {
  const { copied, shared } = await sendByScreen(['note.txt', LONG], { hasShareSheet: true });
  await expect.poll(() => page.getByRole('radiogroup').getByRole('radio').elements().length).toBe(2);
  await expect.element(page.getByRole('radio').first()).toHaveAccessibleName('Link and key, separately');
  await expect.element(page.getByRole('radio').first()).toBeChecked();
  await press('Share link');
  // The link alone: the key is sent separately.
  await expect.poll(() => shared).toEqual([linkText()]);
  await press('Copy both as a message');
  await expect.poll(() => copied.length).toBe(1);
  expect(copied[0]).toContain(`Link: ${linkText()}`);
  await expect.element(page.getByText('anyone who reads it can open the files')).toBeVisible();
  await press('QR code');
  await expect.element(page.getByRole('img', { name: 'QR code of the link' })).toBeVisible();
  await expectAccessible('everywhere');
});

test('a link with key is shown and copied as one link, and its QR code only if wished', async () => {
  const { copied, shared } = await sendByScreen(['note.txt'], { hasShareSheet: true });
  const link = linkText();
  await press('QR code');
  await chooseLinkWithKey();
  const shown = linkWithKeyField.getByRole('status').element().textContent;
  expect(shown).toMatch(/#key=/u);
  expect(shown.startsWith(link)).toBe(true);
  await expect.element(page.getByRole('img')).not.toBeInTheDocument();
  await expect.element(keyField).not.toBeInTheDocument();
  await press('Copy link with key');
  await press('Share link with key');
  await expect.poll(() => [copied, shared]).toEqual([[shown], [shown]]);
  await press('QR code with key');
  await expect.element(page.getByRole('img', { name: 'QR code of the link with key' })).toBeVisible();
  await expectAccessible();
});

test('offers no share sheet where the system has none', async () => {
  await sendByScreen(['note.txt']);
  await expect.element(button('Share link')).not.toBeInTheDocument();
});

test('a text that cannot be copied is shown whole and selected', async () => {
  await sendByScreen(['note.txt'], { hasNoClipboard: true });
  await press('Copy key');
  await expect.element(keyField.getByRole('alert')).toBeVisible();
  const selected = () => String(getSelection());
  await expect.poll(selected).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
  await press('Copy both as a message');
  await expect.poll(selected).toContain(`Link: ${linkText()}`);
  // A second attempt selects it again.
  await press('Copy key');
  await expect.poll(selected).toMatch(/^[A-Za-z0-9+/]{43}=$/u);
  await expectAccessible();
});

test('prints a sheet with link, QR code and expiry, and with the key only in a link with key', async () => {
  const print = vi.spyOn(window, 'print').mockReturnValue(undefined);
  await sendByScreen(['note.txt']);
  await press('Print');
  expect(print).toHaveBeenCalledTimes(1);
  await cdp().send('Emulation.setEmulatedMedia', { media: 'print' });
  try {
    const paper = () => document.body.innerText;
    expect(paper()).toContain(`Files for you`);
    expect(paper()).toContain(`/en/download/`);
    expect(paper()).toContain('Deleted automatically on');
    expect(paper()).not.toMatch(/#key=|Wrapped and ready|FAQ/u);
    await expect.element(page.getByRole('img', { name: 'QR code of the link' })).toBeVisible();
    document.querySelectorAll<HTMLInputElement>('main input[type=radio]')[1]?.click();
    await expect.poll(paper).toMatch(/#key=/u);
  } finally {
    await cdp().send('Emulation.setEmulatedMedia', { media: '' });
  }
});

// The frame around every screen: the language menu and the settings.
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '../../testing/accessibility.ts';
import { renderApp } from '../../testing/render-app.tsx';
import { click, press } from '../../testing/user.ts';

const paper = () => getComputedStyle(document.body).backgroundColor;

test('the language menu marks the current language, links to the same page, and closes on a press outside', async () => {
  await renderApp('/de/contact');
  await expect.element(page.getByRole('textbox', { name: 'Name' })).toBeVisible();
  await press('Sprache: Deutsch');
  await expect.element(page.getByRole('link', { name: 'Deutsch' })).toHaveAttribute('aria-current', 'true');
  await expect.element(page.getByRole('link', { name: 'Français' })).toHaveAttribute('href', 'fr/contact');
  await expectAccessible();
  // By a real pointer, because the browser itself closes the popover.
  await page.getByRole('heading', { level: 1 }).click();
  await expect.element(page.getByRole('link', { name: 'Français' })).not.toBeInTheDocument();
});

test('the chosen theme counts, whatever the system says', async () => {
  await renderApp('/en');
  const light = paper();
  await press('Settings');
  await expect.element(page.getByRole('radiogroup', { name: 'Theme' })).toBeVisible();
  await expectAccessible();
  await click(page.getByText('Dark', { exact: true }));
  await expect.element(page.getByRole('radio', { name: 'Dark' })).toBeChecked();
  await expect.poll(paper).not.toBe(light);
  await click(page.getByText('System', { exact: true }));
  await expect.poll(paper).toBe(light);
});

test('notifications stay off, with the reason, where the browser does not allow them', async () => {
  const fake = await renderApp('/en');
  await press('Settings');
  await expect.element(page.getByText('Get notified when a transfer finishes in the background')).toBeVisible();
  fake.services.settings.setNotifications = async () => false;
  await click(page.getByRole('radiogroup', { name: 'Notifications' }).getByText('On', { exact: true }));
  await expect.element(page.getByText('Your browser blocks notifications from this site.')).toBeVisible();
  await expect
    .element(page.getByRole('radiogroup', { name: 'Notifications' }).getByRole('radio', { name: 'Off' }))
    .toBeChecked();
});

test('the language is a setting too', async () => {
  await renderApp('/en/faq');
  await press('Settings');
  await page.getByRole('combobox', { name: 'Language' }).selectOptions('Deutsch');
  await expect.element(page.getByRole('heading', { name: 'Häufige Fragen' })).toBeVisible();
  await expect.poll(() => location.pathname).toBe('/de/faq');
});

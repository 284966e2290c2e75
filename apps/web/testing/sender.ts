// What a sender does up to the page with the link and the key.
import { expect } from 'vitest';
import { page } from 'vitest/browser';
import type { FakeServices, FakeServicesOptions } from './fake-services.ts';
import { renderApp } from './render-app.tsx';
import { chooseFiles, click, fileOf, press } from './user.ts';

export const linkField = page.getByRole('group', { name: 'Link', exact: true });
export const keyField = page.getByRole('group', { name: 'Key', exact: true });
export const linkText = () => linkField.getByRole('status').element().textContent;

export async function sendByScreen(
  names: readonly string[],
  options: FakeServicesOptions = {},
  limit = 5,
): Promise<FakeServices> {
  const fake = await renderApp('/en', options);
  await chooseFiles(names.map((name) => fileOf(name)));
  await click(page.getByRole('radio', { name: String(limit), exact: true }));
  await press('Start upload');
  await expect.element(page.getByRole('heading', { name: 'Wrapped and ready' })).toBeVisible();
  return fake;
}

export const chooseLinkWithKey = () => click(page.getByRole('radio', { name: 'Link with key', exact: true }));

/** Whether the browser would ask before it closes the tab. */
export function wouldAskOnUnload(): boolean {
  const event = new Event('beforeunload', { cancelable: true });
  dispatchEvent(event);
  return event.defaultPrevented;
}

// What the download page says before anything is done with it.
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { createFakeServices } from '../../../testing/fake-services.ts';
import { renderApp } from '../../../testing/render-app.tsx';
import { button, click, fileOf, sendFiles } from '../../../testing/user.ts';

test('the page leads back home, and says that one key opens all files', async () => {
  const fake = createFakeServices();
  const { path } = await sendFiles(fake, [fileOf('note.txt'), fileOf('list.txt')]);
  await renderApp(path, fake);
  await expect.element(page.getByText('One key opens all the files here.')).toBeVisible();
  await expect.element(page.getByText(/^Deleted automatically on /u).first()).toBeVisible();
  await click(page.getByRole('link', { name: 'Back to the home page' }));
  await expect.element(button('Choose files')).toBeVisible();
});

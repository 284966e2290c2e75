// What the sender sees if the files could not be put on one page.
import { Failure } from '@furoshiki/api';
import { expect, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { expectAccessible } from '../../testing/accessibility.ts';
import { renderApp } from '../../testing/render-app.tsx';
import { wouldAskOnUnload } from '../../testing/sender.ts';
import { button, chooseFiles, click, fileOf, press } from '../../testing/user.ts';

test('a link for each file, the key for all, and a message', async () => {
  const fake = await renderApp('/en', {
    onCall(name) {
      if (name === 'groupFiles') throw new Failure('SIZE_EXCEEDED', { status: 413 });
    },
  });
  await chooseFiles([fileOf('a.txt'), fileOf('b.txt')]);
  await press('Start upload');
  await expect.element(page.getByRole('alert').getByText('we couldn’t put them behind one link')).toBeVisible();
  await expect.element(page.getByRole('group', { name: 'Key', exact: true })).toBeVisible();
  await expectAccessible('everywhere');
  await click(page.getByRole('group', { name: 'b.txt' }).getByRole('button', { name: 'Copy link' }));
  await press('Copy all links');
  await expect.poll(() => fake.copied.length).toBe(2);
  const [linkOfB = '', all = ''] = fake.copied;
  expect(all).toContain(`b.txt\n${linkOfB}`);
  expect(all.match(/\/en\/download\/page/gu)).toHaveLength(2);
  // The link leads to that file, which is still there.
  await renderApp(new URL(linkOfB).pathname, fake);
  await expect.element(button('Download b.txt')).toBeVisible();
  await expect.element(button('Download a.txt')).not.toBeInTheDocument();
});

test('the next upload begins without them, after a question about the key', async () => {
  const { copied } = await renderApp('/en', {
    onCall(name) {
      if (name === 'groupFiles') throw new Failure('SIZE_EXCEEDED', { status: 413 });
    },
  });
  await chooseFiles([fileOf('a.txt'), fileOf('b.txt')]);
  await press('Start upload');
  // The links alone are not the key.
  await press('Copy all links');
  await expect.poll(() => copied.length).toBe(1);
  await expect.poll(wouldAskOnUnload).toBe(true);
  vi.spyOn(window, 'confirm').mockReturnValue(true);
  await press('Send more files');
  expect(confirm).toHaveBeenCalledTimes(1);
  await expect.element(button('Choose files')).toBeVisible();
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
});

// What a download leaves in the browser's profile after a crash, a cancelled save and a closed tab, and what a file leaves that was
// only opened: nothing readable.
import { randomUUID } from 'node:crypto';
import type { Page } from '@playwright/test';
import { BrowserProfile, keySecrets, textSecret } from '../support/browser-profile.ts';
import { pngOf, wavOf } from '../support/hostile-files.ts';
import { holdSecondChunk } from '../support/held-requests.ts';
import { stagedBytes } from '../support/staged-files.ts';
import { expect, test } from '../support/test.ts';
import { downloadFile, openPage, send, sha256, sha256Of } from '../support/user-actions.ts';

const MB = 1024 * 1024;
const MARKER = `readable ${randomUUID()} `;
const CONTENT = textSecret('content', MARKER);
const FILE = { name: 'two parts.bin', mimeType: '', buffer: Buffer.alloc(26 * MB, MARKER) };
const OTHER = { name: 'cancelled.bin', mimeType: '', buffer: Buffer.alloc(10 * MB, MARKER) };

test('nothing readable stays in the profile after a crash, a cancelled save and a closed tab', async ({
  page: sender,
  server,
}) => {
  const share = await send(sender, server.url, [FILE, OTHER]);
  const profile = await BrowserProfile.create();
  try {
    const crashing = await (await profile.start()).newPage();
    await holdSecondChunk(crashing, server);
    await openPage(crashing, share);
    await crashing.getByRole('button', { name: `Download ${FILE.name}`, exact: true }).click();
    await expect.poll(() => stagedBytes(crashing)).toBe(25 * MB);
    await profile.kill();
    expect(await profile.search([...CONTENT, ...keySecrets('key', share.key)])).toEqual([]);

    const context = await profile.start();
    const ranges: string[] = [];
    context.on('request', (request) => ranges.push(request.headers()['range'] ?? ''));
    const page = await context.newPage();
    await page.clock.install();
    await openPage(page, share);
    expect(await sha256Of(await downloadFile(page, FILE.name))).toBe(sha256(FILE.buffer));
    expect(ranges.filter((range) => range.startsWith('bytes=0-'))).toEqual([]);
    await (await downloadFile(page, OTHER.name)).cancel();
    // While the tab is open, both files can be saved again. That of one chunk is in memory only.
    expect(await profile.search(CONTENT)).toHaveLength(1);

    // The browser may still be copying the other one, so the service worker removes it a few seconds later.
    await page.clock.fastForward('00:28');
    // Not closed: Chromium ends a closed tab that has not run its handlers after half a second.
    await page.goto('about:blank');
    await expect.poll(() => profile.search([...CONTENT, ...keySecrets('key', share.key)])).toEqual([]);
  } finally {
    await profile.discard();
  }
});

/** Resolves when a part of the sound has been heard, in the second chunk too. */
const hasPlayed = (page: Page) =>
  page.locator('audio').evaluate(
    (audio: HTMLAudioElement) =>
      new Promise<void>((resolve) => {
        audio.addEventListener('timeupdate', () => {
          if (audio.currentTime > audio.duration - 30) resolve();
          else if (!audio.seeking && audio.currentTime > 0) audio.currentTime = audio.duration - 20;
        });
      }),
  );

test('nothing of a file that is opened without saving it is in the profile, while it is open, after a crash and at the end', async ({
  page: sender,
  server,
}) => {
  const text = { name: 'opened.txt', mimeType: 'text/plain', buffer: Buffer.from(FILE.buffer) };
  const picture = { name: 'opened.png', mimeType: 'image/png', buffer: pngOf(64, 64, MARKER.repeat(200_000)) };
  const sound = { name: 'opened.wav', mimeType: 'audio/wav', buffer: wavOf(26 * MB, MARKER) };
  const share = await send(sender, server.url, [text, picture, sound]);
  const secrets = [...CONTENT, ...keySecrets('key', share.key)];
  const profile = await BrowserProfile.create();
  try {
    const opened = [
      [picture.name, 'canvas'],
      [sound.name, 'audio'],
      [text.name, 'pre'],
    ] as const;
    // A crash, and an end as usual: the browser writes some of what it stores only then.
    for (const end of [() => profile.kill(), () => profile.quit()]) {
      const page = await (await profile.start()).newPage();
      await openPage(page, share);
      for (const [name, shown] of opened) {
        await page.getByRole('button', { name: `Open ${name}`, exact: true }).click();
        await expect(page.getByRole('dialog').locator(shown)).toBeVisible();
        if (name === sound.name) await hasPlayed(page);
        expect(await profile.search(secrets)).toEqual([]);
        if (name === text.name) continue;
        await page.goBack();
        await expect(page.getByRole('dialog')).toHaveCount(0);
      }
      await end();
      expect(await profile.search(secrets)).toEqual([]);
    }
  } finally {
    await profile.discard();
  }
});

// Upload, download, a wrong key and deletion in Debian's Firefox and WebKit. Playwright only drives its own builds.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { IS_LONG } from './support/long.ts';
import { BROWSERS, type OtherBrowser } from './support/other-browsers.ts';
import { pageFiles, sha256 } from './support/people.ts';
import { expect, test } from './support/test.ts';
import { lookAgain } from './support/watching.ts';

/** Three parts, or eight. */
const MEGABYTES = IS_LONG ? 200 : 55;
const BYTES = MEGABYTES * 1024 * 1024;
const NAME = '贈り物 1.bin';

const textOf = (browser: OtherBrowser) => browser.run(() => document.body.innerText);

/** Returns whether there was such a button. */
const press = (browser: OtherBrowser, name: string) =>
  browser.run((wanted) => {
    const buttons = [...document.querySelectorAll('button')];
    const button = buttons.find((one) => (one.getAttribute('aria-label') ?? one.textContent) === wanted);
    if (!button || button.disabled) return false;
    button.click();
    return true;
  }, name);

async function untilShown(browser: OtherBrowser, text: string): Promise<void> {
  await expect.poll(() => textOf(browser), { timeout: 120_000, intervals: [250] }).toContain(text);
}

async function untilPressed(browser: OtherBrowser, name: string): Promise<void> {
  await expect.poll(() => press(browser, name)).toBe(true);
}

/** The name of the only file in the folder, once it has its full length. */
async function untilSaved(folder: string): Promise<string> {
  // A browser saves under a temporary name first.
  const saved = () =>
    lookAgain(async () => {
      const names = await readdir(folder);
      const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
      return names.filter((_, index) => sizes[index] === BYTES);
    });
  await expect.poll(saved).toHaveLength(1);
  const [name = ''] = await saved();
  return name;
}

for (const [name, { program, start }] of Object.entries(BROWSERS)) {
  test(`${name} sends a file in parts, refuses a wrong key, fetches it byte for byte, and deletes it`, {
    tag: '@long',
  }, async ({ server }) => {
    // A browser that is not Chromium needs many seconds to start.
    test.setTimeout(400_000);
    test.skip(program === undefined, `${name} is not installed`);
    const folder = await mkdtemp(join(tmpdir(), 'furoshiki-other-'));
    const bytes = randomBytes(BYTES);
    await writeFile(join(folder, NAME), bytes);
    const browser = await start(program ?? '');
    try {
      await browser.open(`${server.url}/en`);
      await untilShown(browser, 'Start upload');
      await browser.giveFile(join(folder, NAME));
      await untilShown(browser, `Total: ${MEGABYTES} MB`);
      await untilPressed(browser, 'Start upload');
      await untilShown(browser, 'Your files are ready to be handed over.');
      await untilPressed(browser, 'Show key');
      const [link, key] = await browser.run(() => {
        const values = [...document.querySelectorAll('output')].map((output) => output.innerText);
        return [values[0] ?? '', values[1] ?? ''] as const;
      });

      await browser.open(link);
      await untilShown(browser, 'Files for you');
      await browser.type('input[type=password]', randomBytes(32).toString('base64'));
      await untilShown(browser, 'The key is incorrect or incompatible with these files.');
      expect(await press(browser, `Download ${NAME}`)).toBe(false);
      expect((await pageFiles(server.url, link))[0]?.currentDownloads).toBe(0);

      // The link contains the key, so nothing has to be typed.
      await browser.open('about:blank');
      await browser.open(`${link}#key=${encodeURIComponent(key)}`);
      await untilShown(browser, 'The key fits.');
      await untilPressed(browser, `Download ${NAME}`);
      await untilShown(browser, 'Saved');
      const saved = await untilSaved(browser.downloads);
      expect(saved).toBe(NAME);
      expect(sha256(await readFile(join(browser.downloads, saved)))).toBe(sha256(bytes));
      await untilShown(browser, '4 downloads left');

      await untilPressed(browser, 'Delete all files');
      await untilShown(browser, 'Delete all files for everybody?');
      await browser.run(() => {
        const dialog = document.querySelector('[role=alertdialog]');
        [...(dialog?.querySelectorAll('button') ?? [])].at(-1)?.click();
      });
      await untilShown(browser, 'There are no files here');
      expect(await pageFiles(server.url, link)).toEqual([]);
    } finally {
      await browser.end();
      await rm(folder, { recursive: true });
    }
  });
}

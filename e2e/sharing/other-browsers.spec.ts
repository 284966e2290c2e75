// Upload, download, a wrong key and deletion in Debian's Firefox and WebKit, and offline reading in Firefox. Playwright only
// drives its own builds.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STEP_MS } from '../support/limits.ts';
import { IS_LONG } from '../support/long.ts';
import { BROWSERS, type OtherBrowser, startFirefox } from '../support/other-browsers.ts';
import { pageFiles, sha256 } from '../support/user-actions.ts';
import { ServerProcess } from '../support/server-process.ts';
import { expect, test } from '../support/test.ts';
import { retryIfGone } from '../support/probes.ts';

/** Three parts, or eight. */
const MEGABYTES = IS_LONG ? 200 : 55;
const BYTES = MEGABYTES * 1024 * 1024;
const NAME = '贈り物 1.bin';

/** With plain spaces: there is a no-break space between a number and its unit. */
const textOf = (browser: OtherBrowser) => browser.run(() => document.body.innerText.replaceAll('\u00a0', ' '));

/** Clicks the button if it exists and is enabled. Returns whether it did. */
const press = (browser: OtherBrowser, name: string) =>
  browser.run((wanted) => {
    const buttons = [...document.querySelectorAll('button')];
    const button = buttons.find((element) => (element.getAttribute('aria-label') ?? element.textContent) === wanted);
    if (!button || button.disabled) return false;
    button.click();
    return true;
  }, name);

/** Not every browser can store every kind of key: counts the resume records that this one stores and can read again. */
const countStoredRecords = (browser: OtherBrowser) =>
  browser.run(() => {
    const page = globalThis as { stored?: number };
    page.stored = 0;
    const { put } = IDBObjectStore.prototype;
    IDBObjectStore.prototype.put = function count(...record) {
      const request = put.apply(this, record);
      request.addEventListener('success', () => {
        const reading = this.get(request.result) as IDBRequest<{ localSecret: unknown }>;
        reading.addEventListener('success', () => {
          if (reading.result.localSecret instanceof CryptoKey) page.stored = (page.stored ?? 0) + 1;
        });
      });
      return request;
    };
  });

async function untilShown(browser: OtherBrowser, text: string): Promise<void> {
  try {
    await expect.poll(() => textOf(browser), { timeout: STEP_MS, intervals: [250] }).toContain(text);
  } catch (error) {
    throw new Error(await describeState(browser), { cause: error });
  }
}

/** For a failure that cannot be repeated: what the page shows, loads and locks, and its service workers. */
async function describeState(browser: OtherBrowser): Promise<string> {
  const state = await browser.run(async () => {
    const registrations = await navigator.serviceWorker.getRegistrations();
    return JSON.stringify({
      loaded: performance.getEntriesByType('resource').map(({ name, duration }) => [name.slice(-50), duration]),
      locks: await navigator.locks.query(),
      workers: registrations.map(({ scope, installing, waiting, active }) =>
        [scope, installing?.state, waiting?.state, active?.state].join(' '),
      ),
    });
  });
  return `${(await textOf(browser)).replaceAll(/\s+/gu, ' ')} | ${state}`;
}

async function untilPressed(browser: OtherBrowser, name: string): Promise<void> {
  await expect.poll(() => press(browser, name)).toBe(true);
}

/** Waits until the only file in the folder is complete and returns its name. */
async function untilSaved(folder: string): Promise<string> {
  // A browser saves under a temporary name first.
  const saved = () =>
    retryIfGone(async () => {
      const names = await readdir(folder);
      const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
      return names.filter((_, index) => sizes[index] === BYTES);
    });
  await expect.poll(saved).toHaveLength(1);
  const [name = ''] = await saved();
  return name;
}

for (const [name, { program, start }] of Object.entries(BROWSERS)) {
  test(`${name} uploads a file in parts, rejects a wrong key, downloads the file unchanged, and deletes it`, {
    tag: '@long',
  }, async ({ server }) => {
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
      await countStoredRecords(browser);
      await untilPressed(browser, 'Start upload');
      await untilShown(browser, 'Wrapped and ready');
      expect(await browser.run(() => (globalThis as { stored?: number }).stored)).toBeGreaterThan(0);
      await untilPressed(browser, 'Show key');
      const [link, key] = await browser.run(() => {
        const values = [...document.querySelectorAll('output')].map((output) => output.innerText);
        return [values[0] ?? '', values[1] ?? ''] as const;
      });

      await browser.open(link);
      await untilShown(browser, 'Files you sent');
      await browser.type('input[type=password]', randomBytes(32).toString('base64'));
      await untilShown(browser, 'That’s not the key for these files.');
      // It asks for the key again instead.
      await untilPressed(browser, `Download ${NAME}`);
      await untilShown(browser, 'That’s not the key for these files.');
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
      await untilShown(browser, 'Delete all files for everyone?');
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

test('Firefox shows cached pages offline', async () => {
  const { program } = BROWSERS.Firefox;
  test.skip(program === undefined, 'Firefox is not installed');
  const profile = await mkdtemp(join(tmpdir(), 'furoshiki-profile-'));
  const server = await ServerProcess.start();
  const online = await startFirefox(program ?? '', { profile });
  try {
    await online.open(`${server.url}/en`);
    await online.run(async () => {
      await navigator.serviceWorker.ready;
      while ((await (await caches.open('kept-pages /')).match('offline/en.json')) === undefined)
        await new Promise((resolve) => setTimeout(resolve, 50));
    });
  } finally {
    await online.end();
  }
  const { url } = server;
  await server.discard();
  const offline = await startFirefox(program ?? '', { profile, isOffline: true });
  try {
    await offline.open(`${url}/en/faq`);
    await untilShown(offline, 'You’re offline.');
    expect(await textOf(offline)).toContain('Do I need an account?');
  } finally {
    await offline.end();
    await rm(profile, { recursive: true });
  }
});

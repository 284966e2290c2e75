// What users do on the screens, in Chromium under chromedriver. Times are taken in the page, from the click to the end.
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chromium, WebDriver } from '../e2e/support/web-driver.ts';

export interface Timed {
  ms: number;
  longTaskMs: number[];
}

/** How the end of a transfer shows: the box with the link, "Saved" in every row, or the message about the ZIP. */
type End = 'link' | 'rows' | 'zip';

const POLL_MS = 20;
/** Looking for messages searches the whole page. */
const POLLS_PER_LOOK = 50;
/** A thousand files, one by one over a slow link, take ten minutes on a busy machine. */
const TIMEOUT_MS = 3_600_000;

/** A browser that saves downloads into the folder, however many, without asking. */
export async function startSavingDriver(downloads: string): Promise<WebDriver> {
  const download = { default_directory: downloads, prompt_for_download: false };
  const profile = { default_content_setting_values: { automatic_downloads: 1 } };
  return WebDriver.start(await chromium({ download, profile }));
}

/** Opens the home screen and chooses the files. */
export async function chooseFiles(driver: WebDriver, url: string, paths: string[], downloadLimit = 5): Promise<void> {
  await driver.goto(`${url}/en`);
  await driver.untilText('Choose files');
  await driver.giveFiles('input[type=file]', paths);
  await driver.untilText('Total:');
  if (downloadLimit !== 5) await driver.type('input[inputmode=numeric]', String(downloadLimit));
}

/** Returns the share link, with the key in its fragment, from the screen after an upload. */
export async function readLink(driver: WebDriver): Promise<string> {
  await driver.click('Show key');
  const [link, key] = await driver.run(() =>
    [...document.querySelectorAll('output')].map((output) => output.innerText),
  );
  return `${link}#key=${encodeURIComponent(key ?? '')}`;
}

export async function openPage(driver: WebDriver, link: string): Promise<void> {
  await driver.goto('about:blank');
  await driver.goto(link);
  await driver.untilText('The key fits.');
}

/** Presses the button with this name and waits for the end. The page never reads its own text, which would force a layout. */
export function transfer(driver: WebDriver, button: string, end: End): Promise<Timed> {
  return driver.runLong(
    async (label, endName, pollMs, pollsPerLook, timeoutMs) => {
      const longTaskMs: number[] = [];
      const observer = new PerformanceObserver((list) => {
        for (const { duration } of list.getEntries()) longTaskMs.push(duration);
      });
      const rows = [...document.querySelectorAll('main li')].filter((row) => row.querySelector('button'));
      let savedRows = 0;
      const ends = {
        link: () => document.querySelector('output') !== null,
        rows: () => {
          while (rows[savedRows]?.querySelector('button')?.textContent === 'Saved') savedRows += 1;
          return savedRows === rows.length;
        },
        zip: () => document.querySelector('[aria-label="Save again: furoshiki.zip"]') !== null,
      };
      const throwMessage = () => {
        // In a network namespace without a gateway the page shows that it is offline, but it reaches the server.
        const shown = [...document.querySelectorAll('[role=alert]')].filter((alert) => alert.checkVisibility());
        const alerts = shown.map(({ textContent }) => textContent);
        const failure = alerts.find((text) => !text.startsWith('You’re offline'));
        if (failure !== undefined) throw new Error(failure);
      };
      const findButton = () =>
        [...document.querySelectorAll('button')].find(
          ({ ariaLabel, textContent, disabled }) => (ariaLabel ?? textContent) === label && !disabled,
        );
      while (!findButton()) await new Promise((resolve) => setTimeout(resolve, pollMs));
      observer.observe({ type: 'longtask' });
      const started = performance.now();
      findButton()?.click();
      for (let polls = 0; !ends[endName](); polls += 1) {
        if (polls % pollsPerLook === 0) throwMessage();
        if (performance.now() - started > timeoutMs) throw new Error(`"${label}" did not end`);
        await new Promise((resolve) => setTimeout(resolve, pollMs));
      }
      const ms = performance.now() - started;
      observer.disconnect();
      return { ms, longTaskMs };
    },
    button,
    end,
    POLL_MS,
    POLLS_PER_LOOK,
    TIMEOUT_MS,
  );
}

/** Waits until the browser has copied so many files, and removes them. */
export async function emptyFolder(downloads: string, count: number): Promise<void> {
  const whole = () => readdirSync(downloads).filter((name) => !name.endsWith('.crdownload'));
  while (whole().length < count) await sleep(50);
  for (const name of readdirSync(downloads)) rmSync(join(downloads, name));
}

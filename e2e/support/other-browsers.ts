// One interface for tests to drive Firefox and WebKit: open a page, choose a file, type, run a function.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import puppeteer from 'puppeteer-core';
import { findMiniBrowser, findProgram } from '../../scripts/ensure-programs.mjs';
import { WebDriver } from './web-driver.ts';

/** Longer than a test may take, so that the timeout of the test applies first. */
const DRIVER_TIMEOUT_MS = 600_000;

export interface OtherBrowser {
  /** The folder that downloads are saved to. */
  downloads: string;
  open(url: string): Promise<void>;
  /** Runs a function in the page. */
  run<Args extends unknown[], T>(work: (...args: Args) => T, ...args: Args): Promise<Awaited<T>>;
  giveFile(path: string): Promise<void>;
  type(css: string, text: string): Promise<void>;
  end(): Promise<void>;
}

export const BROWSERS = {
  Firefox: { program: findProgram('firefox-esr'), start: startFirefox },
  WebKit: { program: findProgram('WebKitWebDriver') && findProgram('Xvfb') && findMiniBrowser(), start: startWebKit },
};

interface FirefoxOptions {
  /** A folder that the caller removes. Without one the profile is new and is removed. */
  profile?: string;
  /** As if its user had chosen "Work Offline": pages and workers see that there is no network. */
  isOffline?: boolean;
  /** Whether it accepts every certificate. */
  isTrusting?: boolean;
}

export async function startFirefox(
  program: string,
  { profile, isOffline = false, isTrusting = false }: FirefoxOptions = {},
): Promise<OtherBrowser> {
  const downloads = await mkdtemp(join(tmpdir(), 'furoshiki-firefox-'));
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath: program,
    headless: true,
    acceptInsecureCerts: isTrusting,
    ...(profile !== undefined && { userDataDir: profile }),
    args: isOffline ? ['-offline'] : [],
    // A single call of the driver may wait for an upload of hundreds of megabytes.
    protocolTimeout: DRIVER_TIMEOUT_MS,
    timeout: DRIVER_TIMEOUT_MS,
    extraPrefsFirefox: {
      'browser.download.folderList': 2,
      'browser.download.dir': downloads,
      'browser.download.useDownloadDir': true,
      'browser.download.always_ask_before_handling_new_types': false,
      'intl.accept_languages': 'en-US',
    },
  });
  const page = await browser.newPage();
  page.setDefaultTimeout(DRIVER_TIMEOUT_MS);
  return {
    downloads,
    open: async (url) => void (await page.goto(url)),
    run: (work, ...args) => page.evaluate(work as never, ...(args as unknown as never[])),
    async giveFile(path) {
      const input = await page.waitForSelector('input[type=file]');
      await (input as unknown as { uploadFile(path: string): Promise<void> }).uploadFile(path);
    },
    type: (css, text) => page.type(css, text),
    async end() {
      await browser.close();
      await rm(downloads, { recursive: true });
    },
  };
}

async function startWebKit(miniBrowser: string): Promise<OtherBrowser> {
  const home = await mkdtemp(join(tmpdir(), 'furoshiki-webkit-'));
  const downloads = join(home, 'downloads');
  await mkdir(downloads);
  await writeFile(join(home, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`);
  const { display, server } = await startDisplay();
  const driver = await WebDriver.start({
    program: findProgram('WebKitWebDriver'),
    folder: home,
    args: ['--host=127.0.0.1'],
    // WebKit's sandbox needs permissions that a container does not have.
    env: { DISPLAY: display, HOME: home, XDG_CONFIG_HOME: home, WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1' },
    capabilities: { 'webkitgtk:browserOptions': { binary: miniBrowser, args: ['--automation'] } },
  });
  return {
    downloads,
    open: (url) => driver.goto(url),
    run: (work, ...args) => driver.run(work, ...args),
    giveFile: (path) => driver.giveFiles('input[type=file]', [path]),
    type: (css, text) => driver.type(css, text),
    async end() {
      await driver.discard();
      server.kill();
    },
  };
}

/** Starts a virtual display. Xvfb chooses a free number and writes it to the pipe when it is ready. */
async function startDisplay(): Promise<{ display: string; server: ChildProcess }> {
  const server = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', '1280x1024x24'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const displayPipe = server.stdio[3] as NodeJS.ReadableStream;
  let number = '';
  displayPipe.on('data', (text: Buffer) => (number += text.toString()));
  while (!number.includes('\n')) {
    if (server.exitCode !== null) throw new Error('Xvfb did not start');
    await sleep(20);
  }
  return { display: `:${number.trim()}`, server };
}

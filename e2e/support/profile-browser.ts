// A Chromium with its profile on disk, which a test can kill and start again, and the bytes of that profile.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { chromium, type Page } from '@playwright/test';
import { CHROMIUM_ARGS, findHeadlessChromium } from '../../scripts/ensure-chromium.mjs';

export interface ProfileBrowser {
  page: Page;
  /** Ends as usual: everything is written to the profile. */
  quit(): Promise<void>;
  /** Ends all processes of the browser at once, as a crash does. Does nothing the second time. */
  kill(): Promise<void>;
}

export async function startOnProfile(folder: string): Promise<ProfileBrowser> {
  const args = [
    ...CHROMIUM_ARGS,
    '--headless',
    `--user-data-dir=${folder}`,
    '--remote-debugging-port=0',
    'about:blank',
  ];
  // Its own process group, so that all of its processes can be killed together.
  const child = spawn(findHeadlessChromium() ?? '', args, { stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  const exited = once(child, 'exit');
  const browser = await chromium.connectOverCDP(await endpointOf(child.stderr));
  const [context] = browser.contexts();
  return {
    page: context?.pages()[0] ?? (await browser.newPage()),
    async quit() {
      await (await browser.newBrowserCDPSession()).send('Browser.close');
      await exited;
    },
    async kill() {
      if (child.exitCode === null && child.signalCode === null) process.kill(-(child.pid ?? 0), 'SIGKILL');
      await exited;
    },
  };
}

async function endpointOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, endpoint] = /^DevTools listening on (\S+)/u.exec(line) ?? [];
    if (endpoint !== undefined) return endpoint;
  }
  throw new Error('Chromium did not start');
}

/** Returns the contents of all files in a folder by their paths. */
export async function readFolder(folder: string): Promise<Map<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(path)] as const)));
}

/** Returns the paths of the files that contain the secret: as bytes, or as text in any usual encoding. */
export function filesWith(files: Map<string, Buffer>, secret: Buffer): string[] {
  const texts = (['base64', 'base64url', 'hex'] as const).map((encoding) => secret.toString(encoding));
  const forms = [secret, ...texts.flatMap((text) => [Buffer.from(text), Buffer.from(text, 'utf16le')])];
  return [...files].filter(([, content]) => forms.some((form) => content.includes(form))).map(([path]) => path);
}

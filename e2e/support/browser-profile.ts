// A Chromium with a profile on disk, which outlives the browser, so that a test can search what it leaves behind.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from '@playwright/test';
import { CHROMIUM_ARGS, findChromium, findHeadlessChromium } from '../../scripts/ensure-programs.mjs';
import { STEP_MS } from './limits.ts';

/** Bytes to search for, with a name for the message of a failed expectation. */
export interface Secret {
  name: string;
  bytes: Buffer;
}

export class BrowserProfile {
  readonly folder: string;
  #context: BrowserContext | undefined;

  static async create(): Promise<BrowserProfile> {
    return new BrowserProfile(await mkdtemp(join(tmpdir(), 'furoshiki-profile-')));
  }

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Starts the full browser if there is one: it stores more than one without a user interface. */
  async start(): Promise<BrowserContext> {
    const executablePath = findChromium() ?? findHeadlessChromium() ?? '';
    this.#context = await chromium.launchPersistentContext(this.folder, { executablePath, args: CHROMIUM_ARGS });
    this.#context.setDefaultTimeout(STEP_MS);
    return this.#context;
  }

  /** Kills the browser like a crash: no page and no worker can do anything before. */
  async kill(): Promise<void> {
    const context = this.#context;
    const session = await context?.browser()?.newBrowserCDPSession();
    const info = await session?.send('SystemInfo.getProcessInfo');
    const pid = info?.processInfo.find(({ type }) => type === 'browser')?.id;
    if (!context || pid === undefined) throw new Error('the browser has no process id');
    const closed = context.waitForEvent('close');
    process.kill(pid, 'SIGKILL');
    await closed;
  }

  /** Ends the browser as usual: everything is written to the profile. */
  async quit(): Promise<void> {
    await this.#context?.close();
  }

  /** Yields the path and the content of every file. */
  async *files(): AsyncGenerator<[path: string, content: Buffer]> {
    for (const entry of await readdir(this.folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      // A running browser removes files while they are listed.
      yield [path, await readFile(path).catch(() => Buffer.alloc(0))];
    }
  }

  /** Returns which secrets are in which files. */
  async search(secrets: readonly Secret[]): Promise<string[]> {
    const found: string[] = [];
    for await (const [path, content] of this.files())
      for (const { name, bytes } of secrets) if (content.includes(bytes)) found.push(`${name} in ${path}`);
    return found;
  }

  async discard(): Promise<void> {
    await this.quit();
    await rm(this.folder, { recursive: true, maxRetries: 50 });
  }
}

/** A text in the two ways in which Chromium stores texts. */
export function textSecret(name: string, text: string): Secret[] {
  return [
    { name, bytes: Buffer.from(text) },
    { name: `${name} as UTF-16`, bytes: Buffer.from(text, 'utf16le') },
  ];
}

/** A key as bytes, and as text in every usual form. */
export function keySecrets(name: string, keyBase64: string): Secret[] {
  const bytes = Buffer.from(keyBase64, 'base64');
  const texts = (['base64', 'base64url', 'hex'] as const).map((encoding) => bytes.toString(encoding).replace('=', ''));
  return [
    { name, bytes },
    ...[...texts, encodeURIComponent(keyBase64)].flatMap((text) => textSecret(`${name} as text`, text)),
  ];
}

// A browser by the plain W3C protocol. Playwright captures request bodies, which slows large parts to a crawl.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../apps/server/testing/process.ts';
import { CHROMIUM_ARGS, findChromium } from '../../scripts/ensure-chromium.mjs';
import { findProgram } from '../../scripts/ensure-debian-packages.mjs';

/** The key under which the protocol hands out elements. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const POLL_MS = 100;

type Element = Record<typeof ELEMENT, string>;

/** What a driver is started with, and what its browser shall be in the driver's own words. */
export interface DriverOptions {
  program: string | undefined;
  args?: string[];
  env?: Record<string, string>;
  /** Lives as long as the browser. */
  folder: string;
  capabilities: object;
}

/** `preferences` as in chrome://settings. */
export async function chromium(preferences: object = {}): Promise<DriverOptions> {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-chromium-'));
  const args = [...CHROMIUM_ARGS, '--headless=new', `--user-data-dir=${folder}`];
  const options = { binary: findChromium(), args, prefs: preferences };
  return {
    program: findProgram('chromedriver'),
    folder,
    capabilities: { browserName: 'chrome', 'goog:chromeOptions': options },
  };
}

export class WebDriver {
  readonly #driver: ChildProcess;
  readonly #folder: string;
  readonly #session: string;

  static async start(given?: DriverOptions): Promise<WebDriver> {
    const { program, args = [], env = {}, folder, capabilities } = given ?? (await chromium());
    if (!program) throw new Error('the driver was not found');
    const port = await freePort();
    const driver = spawn(program, [`--port=${port}`, ...args], { stdio: 'ignore', env: { ...process.env, ...env } });
    const url = `http://127.0.0.1:${port}/session`;
    while (!(await isReady(port))) {
      if (driver.exitCode !== null) throw new Error('the driver did not start');
      await sleep(POLL_MS);
    }
    const { sessionId } = await ask<{ sessionId: string }>('POST', url, {
      capabilities: { alwaysMatch: capabilities },
    });
    return new WebDriver(driver, folder, `${url}/${sessionId}`);
  }

  private constructor(driver: ChildProcess, folder: string, session: string) {
    this.#driver = driver;
    this.#folder = folder;
    this.#session = session;
  }

  /** Of the driver, whose descendants are all processes of the browser. */
  get pid(): number {
    return this.#driver.pid ?? 0;
  }

  async goto(url: string): Promise<void> {
    await ask('POST', `${this.#session}/url`, { url });
  }

  async reload(): Promise<void> {
    await ask('POST', `${this.#session}/refresh`, {});
  }

  /** Runs a function inside of the page. It sees nothing from outside but its arguments. */
  run<Args extends unknown[], Result>(script: (...args: Args) => Result, ...args: Args): Promise<Awaited<Result>> {
    return ask('POST', `${this.#session}/execute/sync`, { script: `return (${String(script)})(...arguments)`, args });
  }

  /** The same for what takes so long that a call to the driver would time out: it is asked for until it is there. */
  async runLong<Args extends unknown[], Result>(
    script: (...args: Args) => Promise<Result>,
    ...args: Args
  ): Promise<Result> {
    const begin = `globalThis.outcome = undefined;
      (${String(script)})(...arguments).then((result) => ({ result }), (error) => ({ error: String(error) }))
        .then((outcome) => { globalThis.outcome = outcome; });`;
    await ask('POST', `${this.#session}/execute/sync`, { script: begin, args });
    for (;;) {
      const outcome = await this.run(
        () => (globalThis as { outcome?: { result?: Result; error?: string } }).outcome ?? null,
      );
      if (outcome?.error !== undefined) throw new Error(outcome.error);
      if (outcome) return outcome.result as Result;
      await sleep(POLL_MS);
    }
  }

  /** Seconds that the page's main thread has computed so far, whatever else kept the machine's processors busy. */
  async mainThreadSeconds(): Promise<number> {
    const say = <Answer>(cmd: string, params = {}) =>
      ask<Answer>('POST', `${this.#session}/goog/cdp/execute`, { cmd, params });
    await say('Performance.enable', { timeDomain: 'threadTicks' });
    const { metrics } = await say<{ metrics: { name: string; value: number }[] }>('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  }

  /** Hands files of this machine to an <input type=file>, hidden or not. */
  giveFiles(selector: string, paths: string[]): Promise<void> {
    return this.type(selector, paths.join('\n'));
  }

  async type(selector: string, text: string): Promise<void> {
    const input = await ask<Element>('POST', `${this.#session}/element`, { using: 'css selector', value: selector });
    await ask('POST', `${this.#session}/element/${input[ELEMENT]}/value`, { text });
  }

  /** Clicks the button of this name as soon as there is one. */
  async click(name: string): Promise<void> {
    await this.until((wanted) => {
      const buttons = [...document.querySelectorAll('button')];
      const button = buttons.find(
        ({ textContent, ariaLabel, disabled }) => (ariaLabel ?? textContent) === wanted && !disabled,
      );
      button?.click();
      return button !== undefined;
    }, name);
  }

  async untilText(text: string): Promise<void> {
    await this.until((wanted) => document.body.innerText.includes(wanted), text);
  }

  /** Asks until the answer is true. The test's own timeout ends it otherwise. */
  async until<Args extends unknown[]>(condition: (...args: Args) => boolean, ...args: Args): Promise<void> {
    while (!(await this.run(condition, ...args))) await sleep(POLL_MS);
  }

  async discard(): Promise<void> {
    await ask('DELETE', this.#session).catch(() => undefined);
    this.#driver.kill('SIGTERM');
    if (this.#driver.exitCode === null) await once(this.#driver, 'exit');
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 50 });
  }
}

async function isReady(port: number): Promise<boolean> {
  const status = await ask<{ ready: boolean }>('GET', `http://127.0.0.1:${port}/status`).catch(() => undefined);
  return status?.ready ?? false;
}

async function ask<Answer>(method: string, url: string, body?: object): Promise<Answer> {
  const response = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: Answer & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

// Drives a browser over the W3C WebDriver protocol: Playwright captures request bodies, which makes large parts slow.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../apps/server/testing/process.ts';
import { CHROMIUM_ARGS, findChromium, findProgram } from '../../scripts/ensure-programs.mjs';

/** The key of an element reference in the protocol. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';
const POLL_MS = 100;
/** Each poll takes more than a millisecond of the page's main thread, which benchmarks measure. */
const LONG_POLL_MS = 250;

type Element = Record<typeof ELEMENT, string>;

/** How to start a driver, and the capabilities of its browser in the format of that driver. */
export interface DriverOptions {
  program: string | undefined;
  args?: string[];
  env?: Record<string, string>;
  /** The profile of the browser. It is deleted together with the browser. */
  folder: string;
  capabilities: object;
}

/** Options for Chromium. `preferences` are those of chrome://settings. */
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
    const { sessionId } = await call<{ sessionId: string }>('POST', url, {
      capabilities: { alwaysMatch: capabilities },
    });
    return new WebDriver(driver, folder, `${url}/${sessionId}`);
  }

  private constructor(driver: ChildProcess, folder: string, session: string) {
    this.#driver = driver;
    this.#folder = folder;
    this.#session = session;
  }

  /** The process ID of the driver. All processes of the browser are its descendants. */
  get pid(): number {
    return this.#driver.pid ?? 0;
  }

  async goto(url: string): Promise<void> {
    await call('POST', `${this.#session}/url`, { url });
  }

  async reload(): Promise<void> {
    await call('POST', `${this.#session}/refresh`, {});
  }

  /** Runs a function in the page. The function can use only its arguments. */
  run<Args extends unknown[], Result>(script: (...args: Args) => Result, ...args: Args): Promise<Awaited<Result>> {
    return call('POST', `${this.#session}/execute/sync`, { script: `return (${String(script)})(...arguments)`, args });
  }

  /** Like `run`, for functions that would exceed the timeout of a driver call: polls for the result. */
  async runLong<Args extends unknown[], Result>(
    script: (...args: Args) => Promise<Result>,
    ...args: Args
  ): Promise<Result> {
    const begin = `globalThis.outcome = undefined;
      (${String(script)})(...arguments).then((result) => ({ result }), (error) => ({ error: String(error) }))
        .then((outcome) => { globalThis.outcome = outcome; });`;
    await call('POST', `${this.#session}/execute/sync`, { script: begin, args });
    for (;;) {
      const outcome = await this.run(
        () => (globalThis as { outcome?: { result?: Result; error?: string } }).outcome ?? null,
      );
      if (outcome?.error !== undefined) throw new Error(outcome.error);
      if (outcome) return outcome.result as Result;
      await sleep(LONG_POLL_MS);
    }
  }

  /** Returns the CPU seconds of the page's main thread so far. Other load on the machine does not change it. */
  async mainThreadSeconds(): Promise<number> {
    const cdp = <Value>(cmd: string, params = {}) =>
      call<Value>('POST', `${this.#session}/goog/cdp/execute`, { cmd, params });
    await cdp('Performance.enable', { timeDomain: 'threadTicks' });
    const { metrics } = await cdp<{ metrics: { name: string; value: number }[] }>('Performance.getMetrics');
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
  }

  /** Chooses local files in an <input type=file>, which may be hidden. */
  giveFiles(selector: string, paths: string[]): Promise<void> {
    return this.type(selector, paths.join('\n'));
  }

  async type(selector: string, text: string): Promise<void> {
    const input = await call<Element>('POST', `${this.#session}/element`, { using: 'css selector', value: selector });
    await call('POST', `${this.#session}/element/${input[ELEMENT]}/value`, { text });
  }

  /** Waits for an enabled button with this name and clicks it. */
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

  /** Polls until the condition is true. Only the timeout of the test limits it. */
  async until<Args extends unknown[]>(condition: (...args: Args) => boolean, ...args: Args): Promise<void> {
    while (!(await this.run(condition, ...args))) await sleep(POLL_MS);
  }

  async discard(): Promise<void> {
    await call('DELETE', this.#session).catch(() => undefined);
    this.#driver.kill('SIGTERM');
    if (this.#driver.exitCode === null) await once(this.#driver, 'exit');
    await rm(this.#folder, { recursive: true, force: true, maxRetries: 50 });
  }
}

async function isReady(port: number): Promise<boolean> {
  const status = await call<{ ready: boolean }>('GET', `http://127.0.0.1:${port}/status`).catch(() => undefined);
  return status?.ready ?? false;
}

async function call<Value>(method: string, url: string, body?: object): Promise<Value> {
  const response = await fetch(url, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
  const { value } = (await response.json()) as { value: Value & { error?: string; message?: string } };
  if (!response.ok) throw new Error(`${value.error}: ${value.message}`);
  return value;
}

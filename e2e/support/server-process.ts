// Runs the real server as a child process with a temporary data folder. A test can kill and restart it.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, spawnEntry } from '../../apps/server/testing/process.ts';

export class ServerProcess {
  readonly dataDir: string;
  readonly port: number;
  readonly #environment: Record<string, string>;
  #child: ChildProcess | undefined;
  #stdout = '';
  #stderr = '';

  static async start(environment: Record<string, string> = {}): Promise<ServerProcess> {
    const dataDir = await mkdtemp(join(tmpdir(), 'furoshiki-e2e-'));
    const server = new ServerProcess(dataDir, await freePort(), environment);
    await server.up();
    return server;
  }

  private constructor(dataDir: string, port: number, environment: Record<string, string>) {
    this.dataDir = dataDir;
    this.port = port;
    this.#environment = environment;
  }

  get url(): string {
    const { TLS_CERT_FILE, BASE_PATH = '' } = this.#environment;
    return `${TLS_CERT_FILE === undefined ? 'http' : 'https'}://127.0.0.1:${this.port}${BASE_PATH}`;
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get log(): string {
    return this.#stdout + this.#stderr;
  }

  async up(): Promise<void> {
    const child = spawnEntry('main', [], { PORT: String(this.port), DATA_DIR: this.dataDir, ...this.#environment });
    this.#child = child;
    child.stderr.on('data', (text) => (this.#stderr += text));
    // The server prints its only line when it is ready.
    await new Promise<void>((resolve, reject) => {
      child.stdout.on('data', (text) => {
        this.#stdout += text;
        if (this.#stdout.endsWith('\n')) resolve();
      });
      child.once('exit', () => reject(new Error(`the server did not start: ${this.#stderr}`)));
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  /** Sends the signal, waits for the exit and returns the exit code. */
  async down(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    child.kill(signal);
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  /** Throws if the server had crashed, because the result of the test is then not reliable. */
  async discard(): Promise<void> {
    if (await this.down('SIGKILL')) throw new Error(`the server crashed: ${this.#stderr}`);
    await rm(this.dataDir, { recursive: true });
  }
}

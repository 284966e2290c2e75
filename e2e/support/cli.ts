// Runs the command line client as a process, as a person with a terminal would.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { COMPILED } from '../../scripts/paths.mjs';

const { BUNDLED } = process.env;
/** As for the server: `npm test` runs what a release contains, a test that is started alone runs the sources. */
const MAIN =
  BUNDLED === undefined
    ? fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url))
    : join(BUNDLED, 'cli', 'furoshiki.mjs');

export interface CliResult {
  exitCode: number | null;
  stdout: Buffer;
  stderr: string;
}

export interface RunningCli {
  process: ChildProcess;
  ended: Promise<CliResult>;
}

/** A user of the client: a home folder of its own, and a folder to work in. */
export class CliUser {
  readonly folder: string;
  readonly environment: NodeJS.ProcessEnv;

  private constructor(folder: string, environment: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.environment = environment;
  }

  static async create(server: string): Promise<CliUser> {
    const folder = await mkdtemp(join(tmpdir(), 'furoshiki-cli-user-'));
    const home = join(folder, '.home');
    return new CliUser(folder, {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: COMPILED,
      HOME: home,
      XDG_STATE_HOME: join(home, 'state'),
      XDG_CONFIG_HOME: join(home, 'config'),
      FUROSHIKI_SERVER: server,
      LANG: 'C',
    });
  }

  /** For a shell. */
  commandLine(args: readonly string[]): string {
    return [process.execPath, MAIN, ...args].map((word) => `'${word}'`).join(' ');
  }

  path(...names: string[]): string {
    return join(this.folder, ...names);
  }

  start(
    args: string[],
    { input = '', environment = {} }: { input?: string | Buffer; environment?: NodeJS.ProcessEnv } = {},
  ): RunningCli {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: this.folder,
      env: { ...this.environment, ...environment },
    });
    const [out, errors]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (piece: Buffer) => out.push(piece));
    child.stderr.on('data', (piece: Buffer) => errors.push(piece));
    // A client that ends before it has read everything closes the pipe.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const ended = once(child, 'close').then(([exitCode]: unknown[]) => ({
      exitCode: exitCode as number | null,
      stdout: Buffer.concat(out),
      stderr: Buffer.concat(errors).toString(),
    }));
    return { process: child, ended };
  }

  run(args: string[], options?: Parameters<CliUser['start']>[1]): Promise<CliResult> {
    return this.start(args, options).ended;
  }

  /** Sends, and returns the two lines of the result. */
  async send(args: string[], options?: Parameters<CliUser['start']>[1]): Promise<{ link: string; key: string }> {
    const { exitCode, stdout, stderr } = await this.run(['send', ...args], options);
    if (exitCode !== 0) throw new Error(`send ended with ${exitCode}: ${stderr}`);
    const [link = '', key = ''] = stdout.toString().split('\n');
    return { link, key };
  }

  discard(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}

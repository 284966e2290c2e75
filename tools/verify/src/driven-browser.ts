// A browser of this machine that `verify --browser` drives, and what it says that it has received.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Kind } from './browser-requests.ts';
import type { ReceivedResponse } from './get-response.ts';

/** What did not arrive whole has a code instead, such as -355 or NS_ERROR_NET_PARTIAL_TRANSFER. */
export type Received = { url: string } & ({ response: ReceivedResponse } | { error: string });

/** The page was left before it arrived. */
export const ABORTED = 'ABORTED';

export interface DrivenBrowser {
  /** As it names itself, with its version. */
  name: string;
  /** What it does not show. */
  hidden: readonly Kind[];
  /** Returns when everything that the page needs at first has arrived, or has failed. */
  open(url: string): Promise<void>;
  /** Runs this in the page. Waits for promises. */
  run(expression: string): Promise<void>;
  /** Ends the browser, and returns everything that it has received in the order of its arrival. */
  end(): Promise<Received[]>;
  /** Ends it and forgets everything. */
  discard(): Promise<void>;
}

/** A page that never ends to load, and a browser that does not answer. */
export const ANSWER_MS = 60_000;

/** It cannot be started, or has ended. The message is a code such as ENOENT. */
export class BrowserError extends Error {}

interface Answer {
  id?: number;
  method?: string;
  params?: Record<string, unknown>;
  result?: Record<string, unknown>;
  error?: string | { message: string };
}

/** Sends numbered commands and waits for their responses. CDP and BiDi, the protocols of both browsers, work like this. */
export function createCommands(send: (message: object) => void, onEvent: (event: Answer) => void) {
  const waiting = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }
  >();
  let last = 0;
  return {
    command(method: string, params: object = {}, more: object = {}): Promise<Record<string, unknown>> {
      last += 1;
      const id = last;
      send({ id, method, params, ...more });
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new BrowserError('TIMEOUT')), ANSWER_MS);
        const end = () => {
          clearTimeout(timer);
          waiting.delete(id);
        };
        waiting.set(id, {
          resolve: (result) => (end(), resolve(result)),
          reject: (error) => (end(), reject(error)),
        });
      });
    },
    receive(text: string): void {
      const answer = JSON.parse(text) as Answer;
      const found = waiting.get(answer.id ?? 0);
      if (!found) return onEvent(answer);
      const { error } = answer;
      if (error === undefined) found.resolve(answer.result ?? {});
      else found.reject(new BrowserError(typeof error === 'string' ? error : error.message));
    },
    fail(error: Error): void {
      for (const { reject } of waiting.values()) reject(error);
    },
  };
}

export interface Launched {
  child: ChildProcess;
  /** For its profile. It is removed with it. */
  folder: string;
  discard(): Promise<void>;
}

/** With a new profile in a folder of its own. Throws if it cannot be started. */
export async function launch(
  program: string,
  argumentsIn: (folder: string) => string[],
  stdio: 'pipe'[],
): Promise<Launched> {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-browser-'));
  const child = spawn(program, argumentsIn(folder), { stdio: ['ignore', 'ignore', ...stdio] });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const discard = async () => {
    child.kill('SIGKILL');
    await ended;
    // Processes of the browser that end a little later can still write.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  };
  try {
    await once(child, 'spawn');
  } catch (thrown) {
    await discard();
    throw new BrowserError((thrown as NodeJS.ErrnoException).code ?? (thrown as Error).message);
  }
  return { child, folder, discard };
}

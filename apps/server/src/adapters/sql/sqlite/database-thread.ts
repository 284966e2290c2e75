// Statements that take long run in a thread with a connection of its own, so that the event loop does not wait for them.
import { Worker } from 'node:worker_threads';

const THREAD = `
  const { DatabaseSync } = require('node:sqlite');
  const { parentPort, workerData: { path, lockMs } } = require('node:worker_threads');
  const database = new DatabaseSync(path, { timeout: lockMs });
  parentPort.on('message', (statements) => {
    try {
      database.exec(statements);
      parentPort.postMessage(undefined);
    } catch ({ message, errcode }) {
      parentPort.postMessage({ message, errcode });
    }
  });`;

export interface DatabaseThread {
  /** One call after the other. Rejects with the error of SQLite. */
  run(statements: string): Promise<void>;
  stop(): Promise<void>;
}

/** The thread starts with the first call. It keeps the process alive only during a call. */
export function databaseThread(path: string, lockMs: number): DatabaseThread {
  let worker: Worker | undefined;
  let last: Promise<void> = Promise.resolve();
  let call = Promise.withResolvers<void>();

  function start(): Worker {
    const started = new Worker(THREAD, { eval: true, workerData: { path, lockMs } });
    started.on('message', (error: { message: string } | undefined) => {
      if (error) call.reject(Object.assign(new Error(error.message), error));
      else call.resolve();
    });
    started.on('error', (error) => call.reject(error));
    started.on('exit', () => {
      worker = undefined;
      call.reject(new Error('the thread of the database has ended'));
    });
    return started;
  }

  async function runAlone(statements: string): Promise<void> {
    call = Promise.withResolvers();
    worker ??= start();
    worker.ref();
    worker.postMessage(statements);
    await call.promise.finally(() => worker?.unref());
  }

  return {
    run(statements) {
      const result = last.then(() => runAlone(statements));
      last = result.catch(() => undefined);
      return result;
    },
    async stop() {
      await last;
      await worker?.terminate();
    },
  };
}

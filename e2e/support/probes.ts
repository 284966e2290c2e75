// Reads state that changes while a test runs: folders whose files disappear, metrics of a server, its connections.

/** Retries if a file disappears while it is read, because `expect.poll` fails at the first error. */
export async function retryIfGone<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** Returns the value of a metric. `name` includes its labels. */
export async function readMetric(metricsPort: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

/** Returns the number of requests that currently send bytes to the server. */
export const incomingTransfers = (metricsPort: number) =>
  readMetric(metricsPort, 'furoshiki_transfers_in_flight{direction="in"}');

/** Returns the error code of a new connection: `ECONNREFUSED` when the server no longer listens. */
export const connectionErrorOf = (url: string): Promise<string | undefined> =>
  fetch(`${url}/healthz`).then(
    () => undefined,
    (error: Error) => (error.cause as NodeJS.ErrnoException | undefined)?.code,
  );

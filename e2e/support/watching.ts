// Looks at what changes meanwhile: a folder whose files come and go, a server that is busy or about to end.

/** Looks anew where something vanished in the middle of a look: `expect.poll` gives up at the first error. */
export async function lookAgain<T>(look: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await look();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

/** One of the numbers that a server tells about itself, by its name and labels. */
export async function readMetric(metricsPort: number, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return Number(line?.slice(name.length));
}

/** How many requests bring bytes to a server at this moment. */
export const transfersInto = (metricsPort: number) =>
  readMetric(metricsPort, 'furoshiki_transfers_in_flight{direction="in"}');

/** Why nobody new gets in: `ECONNREFUSED` once the door is closed. */
export const refusalOf = (url: string): Promise<string | undefined> =>
  fetch(`${url}/healthz`).then(
    () => undefined,
    (error: Error) => (error.cause as NodeJS.ErrnoException | undefined)?.code,
  );

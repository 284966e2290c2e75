// Drives Firefox over WebDriver BiDi, which shows what pages and workers have received. It does not show service workers.
import type { Readable } from 'node:stream';
import {
  ABORTED,
  ANSWER_MS,
  BrowserError,
  createCommands,
  type DrivenBrowser,
  launch,
  type Received,
} from './driven-browser.ts';

/** More than all files of a release together. */
const MAX_BYTES = 200_000_000;

/**
 * Seen in Firefox 153: now and then it gives up its own request of a page from a server that works. A cut response has another
 * code.
 */
const GIVEN_UP = 'NS_ERROR_FAILURE';

interface NetworkEvent {
  errorText?: string;
  request: { request: string; url: string };
  response?: {
    status: number;
    fromCache: boolean;
    headers: { name: string; value: { type: string; value: string } }[];
  };
}

export async function startFirefox(program: string): Promise<DrivenBrowser> {
  // Node 20 has no WebSocket.
  if (!('WebSocket' in globalThis)) throw new BrowserError('NO_WEBSOCKET');
  const { child, discard } = await launch(
    program,
    (profile) => ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'],
    ['pipe'],
  );
  try {
    const socket = await connect(child.stderr as Readable);
    const received: Promise<Received[]>[] = [];
    const givenUp = new Set<string>();
    const commands = createCommands(
      (message) => socket.send(JSON.stringify(message)),
      ({ method, params }) => {
        if (method === 'network.responseCompleted' || method === 'network.fetchError')
          received.push(receivedOf(params as unknown as NetworkEvent));
      },
    );
    const receivedOf = async ({ request, response, errorText = '' }: NetworkEvent): Promise<Received[]> => {
      const { url } = request;
      if (errorText === GIVEN_UP) givenUp.add(url);
      if (!response)
        return [{ url, error: ['NS_BINDING_ABORTED', GIVEN_UP].includes(errorText) ? ABORTED : errorText }];
      // It was compared when it came.
      if (response.fromCache) return [];
      const { status } = response;
      const headers = response.headers.map((one): [string, string] => [one.name.toLowerCase(), one.value.value]);
      // There is no body, and Firefox would wait for it.
      if (/^(?:204|205|3\d\d)$/u.test(String(status)))
        return [{ url, response: { status, headers, body: Buffer.alloc(0) } }];
      try {
        const { bytes } = await commands.command('network.getData', { dataType: 'response', request: request.request });
        const { type, value } = bytes as { type: 'string' | 'base64'; value: string };
        // Text arrives as text: the type, which is compared too, says that it was UTF-8.
        const body = Buffer.from(value, type === 'base64' ? 'base64' : 'utf8');
        return [{ url, response: { status, headers, body } }];
      } catch (thrown) {
        if (!(thrown instanceof BrowserError)) throw thrown;
        return [{ url, error: thrown.message }];
      }
    };
    socket.addEventListener('message', ({ data }) => commands.receive(String(data)));
    socket.addEventListener('close', () => commands.fail(new BrowserError('ended')));
    const { capabilities } = await commands.command('session.new', { capabilities: {} });
    const { browserName, browserVersion } = capabilities as { browserName: string; browserVersion: string };
    await commands.command('network.addDataCollector', { dataTypes: ['response'], maxEncodedDataSize: MAX_BYTES });
    await commands.command('session.subscribe', { events: ['network.responseCompleted', 'network.fetchError'] });
    const { context } = await commands.command('browsingContext.create', { type: 'tab' });
    return {
      name: `${browserName.replace(/^f/u, 'F')} ${browserVersion}`,
      hidden: ['serviceworker'],
      async open(url) {
        const navigate = () => commands.command('browsingContext.navigate', { context, url, wait: 'complete' });
        await navigate().catch((error: unknown) => {
          if (!givenUp.has(url)) throw error;
        });
        if (givenUp.delete(url)) await navigate();
      },
      async run(expression) {
        await commands.command('script.evaluate', { expression, target: { context }, awaitPromise: true });
      },
      async end() {
        const all = await Promise.all(received);
        socket.close();
        await discard();
        return all.flat();
      },
      discard,
    };
  } catch (thrown) {
    await discard();
    throw thrown;
  }
}

/** Firefox prints the address when it is ready. */
async function connect(output: Readable): Promise<WebSocket> {
  const timer = setTimeout(() => output.destroy(new BrowserError('TIMEOUT')), ANSWER_MS);
  let text = '';
  for await (const piece of output.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += String(piece);
    const [, address] = /listening on (ws:\S+)/u.exec(text) ?? [];
    if (address === undefined) continue;
    clearTimeout(timer);
    output.resume();
    const socket = new WebSocket(`${address}/session`);
    await new Promise<void>((resolve, reject) => {
      socket.addEventListener('open', () => resolve());
      socket.addEventListener('error', () => reject(new BrowserError('ended')));
    });
    return socket;
  }
  clearTimeout(timer);
  throw new BrowserError('ended');
}

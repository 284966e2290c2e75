// What every command gets, and what several of them begin with: the server, the page of a link, and its key.
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { asFailure, Failure, isApiErrorCode } from '@furoshiki/api';
import { createPage, type FileSaver, type PageEngine } from '@furoshiki/transfer';
import { shownName } from '@furoshiki/format';
import { importTypedKey } from '../platform/typed-key.ts';
import type { CliTextName } from '@furoshiki/texts/translate';
import type { Call } from '../args/parse-args.ts';
import type { Deadline } from '../deadline.ts';
import { CliError, errorText, EXIT, type ExitCode, isWrongKey } from '../errors.ts';
import { type PageLink, parseLink, parseServer } from '../link.ts';
import {
  CAN_USE_PROXIES,
  type ConnectionOptions,
  createConnections,
  isUsableProxy,
  proxiesOf,
} from '../platform/connections.ts';
import { createPlatform, type Platform } from '../platform/platform.ts';
import type { Folders } from '../platform/state/folders.ts';
import type { Terminal } from '../terminal/terminal.ts';
import type { Texts } from '../texts.ts';

export interface Tools {
  call: Call;
  texts: Texts;
  terminal: Terminal;
  folders: Folders;
  environment: NodeJS.ProcessEnv;
  deadline: Deadline;
  /** Runs the listener on the first Ctrl-C or SIGTERM. A second one ends the process at once. */
  onStop(listener: () => void): void;
}

export type Command = (tools: Tools) => Promise<ExitCode>;

export const SERVER_SETTING = 'server';

/** The server of `--server`, the environment or the settings. There is no default. */
export function serverOf(tools: Pick<Tools, 'call' | 'environment' | 'folders'>): string {
  const given = tools.call.text('server') ?? configuredServer(tools);
  if (!given) throw new CliError('server.missing', {}, EXIT.usage);
  return parseServer(given);
}

function configuredServer({ environment, folders }: Pick<Tools, 'environment' | 'folders'>): string | undefined {
  return environment['FUROSHIKI_SERVER'] ?? folders.settings.getItem(SERVER_SETTING)?.trim();
}

/**
 * Returns the upload token for sending to this server, or an empty string if there is none. The token belongs to the server that
 * is configured beside it: a server that `--server` names must not learn it.
 */
export function uploadTokenFor(tools: Pick<Tools, 'environment' | 'folders'>, siteUrl: string): string {
  const token = tools.environment['FUROSHIKI_UPLOAD_TOKEN'] ?? '';
  const configured = configuredServer(tools);
  return !configured || parseServer(configured) === siteUrl ? token : '';
}

/** Returns the link of the command, and warns if it contains the key. Asks for a link that was not given. */
export async function linkOfCall(tools: Tools): Promise<PageLink> {
  const { call, terminal, texts } = tools;
  const [given] = call.arguments;
  const link = given === undefined ? await askForLink(tools) : parseLink(given);
  if (given !== undefined && link.keyText !== undefined) terminal.note(texts.t('key.inArguments'), 'yellow');
  return link;
}

async function askForLink({ call, terminal, texts }: Tools): Promise<PageLink> {
  if (!terminal.canAsk)
    throw new CliError('usage.missingArgument', { command: call.command, name: '<link>' }, EXIT.usage);
  for (let attempt = 1; ; attempt += 1) {
    const typed = await terminal.ask(texts.t('link.prompt'), false);
    try {
      return parseLink(typed);
    } catch (thrown) {
      if (attempt === MAX_ATTEMPTS) throw thrown;
      terminal.error(errorText(texts, thrown, 'download'));
    }
  }
}

/** How often a link or a key is asked for. */
const MAX_ATTEMPTS = 3;

/** Others in the network see what goes to such a server, and can change it. */
function isUnprotected(siteUrl: string): boolean {
  const { protocol, hostname } = new URL(siteUrl);
  return protocol === 'http:' && !/^(?:localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/u.test(hostname);
}

/** What `--cacert` and the environment say about connections. */
export async function connectionOptions({ call, environment, terminal, texts }: Tools): Promise<ConnectionOptions> {
  const file = call.text('cacert');
  const ca = file === undefined ? undefined : await certificatesIn(file);
  const proxyEnv = proxiesOf(environment);
  const isUsable = proxyEnv && CAN_USE_PROXIES;
  if (proxyEnv && !CAN_USE_PROXIES) terminal.note(texts.t('server.oldNodeForProxy'), 'yellow');
  for (const address of isUsable ? [proxyEnv.http_proxy, proxyEnv.https_proxy] : [])
    if (address !== undefined && !isUsableProxy(address)) throw new CliError('server.badProxy', {}, EXIT.usage);
  return { ...(ca !== undefined && { ca }), ...(isUsable && { proxyEnv }) };
}

async function certificatesIn(file: string): Promise<string> {
  try {
    const text = await readFile(file, 'utf8');
    // Node would ignore a file without certificates.
    void new X509Certificate(text);
    return text;
  } catch (thrown) {
    const { code = '' } = thrown as NodeJS.ErrnoException;
    throw new CliError('server.badCertificates', { name: shownName(file), code }, EXIT.usage);
  }
}

/**
 * Throws if no server responds: an address may be wrong. Later, when files are on their way, every call waits for it. Only a
 * command that sends has an upload token.
 */
export async function connect(tools: Tools, siteUrl: string, uploadToken = ''): Promise<Platform> {
  const { texts, folders, terminal, deadline } = tools;
  if (isUnprotected(siteUrl)) terminal.note(texts.t('server.noTls', { url: siteUrl }), 'yellow');
  const options = await connectionOptions(tools);
  const connections = createConnections(options);
  const onProgress = deadline.restart;
  onProgress();
  const platform = createPlatform({
    siteUrl,
    language: texts.language,
    uploadToken,
    folders,
    connections,
    onProgress,
  });
  await platform.api.call('readiness', {}).catch((thrown: unknown) => {
    const failure = asFailure(thrown);
    if (isApiErrorCode(failure.code)) return;
    // Such as a state folder that cannot be written.
    if (failure.cause instanceof CliError) throw failure.cause;
    const { text, code } = whyUnreachable(failure);
    const problem = texts.t('server.notFound', { url: siteUrl });
    const proxy = options.proxyEnv ? ` ${texts.t('unreachable.proxy')}` : '';
    throw new CliError('unreachable.line', { problem, reason: texts.t(text, { code }) + proxy });
  });
  // A terminal shows it with the progress.
  if (!terminal.live)
    platform.network.subscribe(() => {
      if (platform.network.isUnreachable()) terminal.note(texts.t('server.waiting'));
    });
  return platform;
}

/** What may be wrong with an address at which no Furoshiki server can be reached. */
function whyUnreachable({ code, cause }: Failure): { text: CliTextName; code: string } {
  if (code === 'TIMEOUT') return { text: 'unreachable.timeout', code };
  if (code !== 'NETWORK') return { text: 'unreachable.other', code };
  // fetch wraps the error of the socket, which may have one for each address of the host.
  let inner = cause as { code?: string; cause?: unknown; errors?: unknown[] } | undefined;
  while (inner?.cause ?? inner?.errors?.[0]) inner = (inner?.cause ?? inner?.errors?.[0]) as typeof inner;
  const reason = inner?.code ?? '';
  for (const [pattern, text] of REASONS) if (pattern.test(reason)) return { text, code: reason };
  return { text: 'unreachable.broken', code: reason };
}

const REASONS: readonly (readonly [RegExp, CliTextName])[] = [
  [/^(?:ENOTFOUND|EAI_)/u, 'unreachable.host'],
  [/^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH)/u, 'unreachable.refused'],
  [/^(?:ERR_SSL_|EPROTO|HPE_)/u, 'unreachable.scheme'],
  [/CERT|SELF_SIGNED|ERR_TLS_/u, 'unreachable.certificate'],
];

/** Chunks at once: one is received while one is written. A chunk is opened while it arrives. More would only take memory. */
const DOWNLOAD_LANES = 2;
/** Small files. They come together, so more of them need fewer requests. */
const FILES_AT_ONCE = 64;

const SAVES_NOTHING: FileSaver = {
  choose: () => Promise.reject(new Error('this command saves nothing')),
};

/** Throws if the page is gone or cannot be loaded. */
export async function loadPage(
  { onStop }: Tools,
  platform: Platform,
  pageId: string,
  saver: FileSaver = SAVES_NOTHING,
): Promise<PageEngine> {
  const page = createPage({ ...platform, saver }, pageId, { lanes: DOWNLOAD_LANES, filesAtOnce: FILES_AT_ONCE });
  onStop(() => void page.cancel());
  await page.load();
  const { phase, failure } = page.getState();
  if (failure) throw failure;
  if (phase === 'not-found') throw new CliError('receive.gone', {}, EXIT.gone);
  return page;
}

/**
 * Where a key is looked for, besides the link and the options: `options` nowhere else, `input` also on standard input that is
 * no terminal, `needed` there too, and the user is asked for it.
 */
type KeySearch = 'options' | 'input' | 'needed';

/**
 * Opens the page with its key, and returns whether there was one. A wrong key that was typed is asked for again. Returns false if
 * none was given and it is not needed.
 */
export async function openWithKey(
  tools: Tools,
  page: PageEngine,
  keyOfLink: string | undefined,
  search: KeySearch,
): Promise<boolean> {
  const { terminal, texts } = tools;
  let text = keyOfLink ?? (await givenKey(tools, search));
  for (let attempt = 1; text !== undefined; attempt += 1) {
    try {
      await page.open(await importTypedKey(text, texts.language));
      return true;
    } catch (thrown) {
      if (!isWrongKey(thrown) || attempt === MAX_ATTEMPTS || !terminal.canAsk) throw thrown;
      terminal.error(errorText(texts, thrown, 'download'));
      text = await terminal.ask(texts.t('key.prompt'), true);
    }
  }
  return false;
}

async function givenKey({ call, terminal, texts }: Tools, search: KeySearch): Promise<string | undefined> {
  const [file, argument] = [call.text('key-file'), call.text('key')];
  if (file === '-') return terminal.readInput();
  if (file !== undefined) {
    return readFile(file, 'utf8').catch(({ code }: NodeJS.ErrnoException) => {
      throw new CliError('key.fileUnreadable', { code: code ?? '' });
    });
  }
  if (argument !== undefined) {
    terminal.note(texts.t('key.inArguments'), 'yellow');
    return argument;
  }
  if (search === 'options') return undefined;
  if (terminal.canAsk) return search === 'needed' ? terminal.ask(texts.t('key.prompt'), true) : undefined;
  const piped = terminal.streams.stdin.isTTY === true ? '' : await terminal.readInput();
  if (piped.trim() !== '') return piped;
  if (search === 'needed') throw new CliError('key.missing', {}, EXIT.wrongKey);
  return undefined;
}

/** Returns whether the user agrees, which `--yes` means, too. Throws `needsYes` if there is no terminal to ask at. */
export async function agrees(
  { call, terminal, texts }: Tools,
  prompt: string,
  needsYes: CliTextName,
): Promise<boolean> {
  if (call.isSet('yes')) return true;
  if (!terminal.canAsk) throw new CliError(needsYes, {}, EXIT.usage);
  const answer = await terminal.ask(prompt, false);
  return answer.trim().toLowerCase().startsWith(texts.t('delete.yes'));
}

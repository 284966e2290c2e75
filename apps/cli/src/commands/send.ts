// furoshiki send: encrypts files, sends them, and prints link and key.
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename } from 'node:path';
import { DOWNLOAD_LIMIT, type RetentionDays } from '@furoshiki/api';
import { importKey, joinWords, linkWithKey, MAX_NOTE_LENGTH, parseKey, shownName } from '@furoshiki/format';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import {
  call as callApi,
  createUpload,
  type LocalFile,
  nameToSend,
  type SeparatePage,
  type UploadResult,
} from '@furoshiki/transfer';
import { numberOf } from '../args/parse-args.ts';
import { CliError, EXIT } from '../errors.ts';
import { linkOf } from '../link.ts';
import { asUnreadable, assertSendable, contentTypeOf, findFiles } from '../platform/files/local-files.ts';
import { nodeCrypto } from '../platform/node-crypto.ts';
import type { Platform } from '../platform/platform.ts';
import { type KeyTexts, newKey, newKeyOfWords } from '../platform/typed-key.ts';
import { digestOf } from '../platform/state/folders.ts';
import { createSentPages, type SentPages } from '../platform/state/sent-pages.ts';
import type { Source } from '../platform/parts/part-streams.ts';
import { type Command, connect, serverOf, type Tools, uploadTokenFor } from './command.ts';
import { drawQr, formatDate, noteLeftOut, QR_COLORS, showUpload } from './output.ts';
import { spoolInput } from '../platform/files/spool.ts';
import { padEnd, textWidth } from '../terminal/text-width.ts';

export const send: Command = async (tools) => {
  const { call, folders, terminal, texts } = tools;
  const siteUrl = serverOf(tools);
  const wishes = await wishesOf(tools);
  const uploadToken = uploadTokenFor(tools, siteUrl);
  const platform = await connect(tools, siteUrl, uploadToken);
  const { files, identity, remove } = await filesToSend(tools);
  try {
    const options = await optionsOf(tools, platform, uploadToken, wishes);
    assertSendable(files, options.hidesNames);
    // An upload that was begun without words cannot get some later.
    const parts = [siteUrl, identity, options, ...(call.isSet('words') ? ['words'] : [])];
    const id = identity === undefined ? undefined : digestOf(JSON.stringify(parts));
    const { result, keyText, words } = await upload(tools, platform, files, options, id);
    const sentAtMs = Date.now();
    const sent: Sent = {
      pages: result.separatePages ?? [{ fileName: files[0]?.name ?? '', pageId: result.pageId }],
      keyText,
      words,
      sizes: files.map(({ size }) => size),
      downloads: options.downloadLimit,
      expiresAtMs: sentAtMs + options.retentionDays * 24 * 3_600_000,
    };
    if (!call.isSet('unlisted')) remember(createSentPages(folders.sent), siteUrl, sent, sentAtMs);
    if (result.separatePages) terminal.note(texts.t('send.separate'));
    printResult(tools, siteUrl, sent);
    const size = formatBytes(sumOf(sent.sizes), texts.language);
    const date = formatDate(sent.expiresAtMs, texts.language);
    terminal.note(texts.t('send.sent', { count: files.length, size, downloads: sent.downloads, date }));
    return EXIT.done;
  } finally {
    await remove();
  }
};

interface Sent extends KeyTexts {
  /** Several if the files could not be put on one. */
  pages: readonly SeparatePage[];
  /** Of the files. */
  sizes: readonly number[];
  downloads: number;
  expiresAtMs: number;
}

const sumOf = (sizes: readonly number[]): number => sizes.reduce((sum, size) => sum + size, 0);

function remember(list: SentPages, siteUrl: string, { pages, sizes, expiresAtMs }: Sent, sentAtMs: number): void {
  // Removes what has expired.
  list.list(sentAtMs);
  for (const [index, { pageId, fileName }] of pages.entries()) {
    const ofPage = pages.length > 1 ? sizes.slice(index, index + 1) : sizes;
    const facts = { fileName, fileCount: ofPage.length, bytes: sumOf(ofPage) };
    list.add({ siteUrl, pageId, ...facts, sentAtMs, expiresAtMs });
  }
}

interface SendOptions {
  downloadLimit: number;
  retentionDays: RetentionDays;
  hidesNames: boolean;
  note: { title?: string | undefined; message?: string | undefined };
}

/** What the command line asks for. A mistake in it must be found before anything is read. */
async function wishesOf(tools: Tools) {
  const { call } = tools;
  if (call.isSet('words') && call.isSet('link-with-key')) throw new CliError('send.oneKey', {}, EXIT.usage);
  return {
    days: numberOf(call, 'days', 1, 3),
    downloads: numberOf(call, 'downloads', DOWNLOAD_LIMIT.min, DOWNLOAD_LIMIT.max),
    hidesNames: call.isSet('hide-names'),
    note: { title: noteOf(call.text('title')), message: noteOf(await messageOf(tools)) },
  };
}

async function messageOf({ call, terminal }: Tools): Promise<string | undefined> {
  const file = call.text('message-file');
  if (file === undefined) return call.text('message');
  if (call.text('message') !== undefined || (file === '-' && call.arguments.includes('-')))
    throw new CliError('send.oneMessage', {}, EXIT.usage);
  if (file === '-') return terminal.readInput();
  return readFile(file, 'utf8').catch((thrown: unknown) => {
    throw asUnreadable(file, thrown);
  });
}

/** A longer one could be sent, but no client would open the list that contains it. */
function noteOf(text: string | undefined): string | undefined {
  const note = text?.trim();
  if (note && note.length > MAX_NOTE_LENGTH)
    throw new CliError('send.noteTooLong', { count: MAX_NOTE_LENGTH }, EXIT.usage);
  return note || undefined;
}

async function optionsOf(
  { environment }: Tools,
  platform: Platform,
  uploadToken: string,
  { days, downloads, hidesNames, note }: Awaited<ReturnType<typeof wishesOf>>,
): Promise<SendOptions> {
  const config = await callApi(platform, 'config', {}, new AbortController().signal);
  if (config.uploadTokenRequired && uploadToken === '') {
    if (environment['FUROSHIKI_UPLOAD_TOKEN']) throw new CliError('send.tokenOfOther');
    throw new CliError(config.signIn ? 'send.signInRequired' : 'send.tokenMissing');
  }
  return {
    downloadLimit: downloads ?? config.downloadLimit.default,
    retentionDays: (days as RetentionDays | undefined) ?? config.defaultRetentionDays,
    hidesNames: hidesNames || config.hideNames === 'always',
    note,
  };
}

async function upload(
  { call, terminal, texts, onStop }: Tools,
  platform: Platform,
  files: LocalFile<Source>[],
  options: SendOptions,
  identity: string | undefined,
): Promise<KeyTexts & { result: UploadResult }> {
  const interrupted = identity === undefined ? undefined : await platform.journals.find(identity);
  if (interrupted) terminal.note(texts.t('send.continuing'));
  const { keyText, words } = interrupted ?? (call.isSet('words') ? await newKeyOfWords(texts.language) : newKey());
  const journal =
    interrupted?.journal ??
    (identity === undefined ? undefined : await platform.journals.begin(identity, { keyText, words }));
  const key = await importKey(nodeCrypto.subtle, parseKey(keyText));
  const engine = createUpload<Source>(platform, { lanesFor: platform.lanesFor });
  const stopShowing = showUpload({ terminal, texts }, engine);
  // Without a journal nothing could continue it, so everything is removed from the server.
  onStop(() => void engine.cancel(journal && 'keep'));
  await engine.start({ files, key, ...options, resumeRecord: journal, resume: interrupted?.checkpoint });
  await journal?.flush();
  stopShowing();
  const state = engine.getState();
  if (state.phase === 'done') return { result: state, keyText, words };
  if (state.phase !== 'failed') throw new CliError(journal ? 'send.stopped' : 'send.cancelled', {}, EXIT.cancelled);
  if (state.failure.code === 'FORBIDDEN') throw new CliError('send.wrongToken');
  if (state.failure.code === 'FILE_UNREADABLE') throw new CliError('send.changed', { name: state.fileName });
  throw state.failure;
}

function printResult(tools: Tools, siteUrl: string, sent: Sent): void {
  const { call, terminal, texts } = tools;
  const { pages, keyText, words, sizes, downloads, expiresAtMs } = sent;
  const isOneLink = call.isSet('link-with-key');
  const links = pages.map(({ pageId }) => {
    const link = linkOf(siteUrl, pageId);
    return isOneLink ? linkWithKey(link, keyText) : link;
  });
  if (call.isSet('json')) {
    const ids = pages.map(({ pageId }) => pageId);
    const where = links.length === 1 ? { link: links[0], id: ids[0] } : { links, ids };
    const expiresAt = new Date(expiresAtMs).toISOString();
    const facts = { count: sizes.length, size: sumOf(sizes), downloads, expiresAt };
    return terminal.printJson({ ...where, key: keyText, ...(words && { words: joinWords(words) }), ...facts }, 0);
  }
  const { isDecorated } = terminal;
  // Each on a line of its own, so that it can be selected at once.
  const printLabelled = (label: string, lines: readonly string[], style: 'cyan' | 'yellow') => {
    if (isDecorated) terminal.print(`\n${label.trim()}`, 'bold');
    for (const line of lines) terminal.print(line, style);
  };
  printLabelled(texts.t('link.prompt'), links, 'cyan');
  if (!isOneLink) {
    const lines = words === undefined ? [keyText] : isDecorated ? columnsOf(words) : [joinWords(words)];
    printLabelled(texts.t('key.prompt'), lines, 'yellow');
  }
  if (isDecorated) terminal.print('');
  if (call.isSet('qr')) for (const link of links) printQr(tools, link);
  if (terminal.streams.stdout.isTTY && !isOneLink) terminal.note(texts.t('send.twoChannels'));
  return undefined;
}

const COLUMNS = 3;

/** Numbered words in columns, to be read aloud from top to bottom. */
function columnsOf(words: readonly string[]): string[] {
  const rows = Math.ceil(words.length / COLUMNS);
  const numbered = words.map((word, index) => `${String(index + 1).padStart(2)}. ${word}`);
  const width = Math.max(...numbered.map(textWidth)) + 3;
  return Array.from({ length: rows }, (_, row) =>
    Array.from({ length: COLUMNS }, (__, column) => numbered[column * rows + row] ?? '')
      .map((text) => padEnd(text, width))
      .join('')
      .trimEnd(),
  );
}

function printQr({ terminal, texts }: Tools, link: string): void {
  const { isTTY, columns = Number.POSITIVE_INFINITY } = terminal.streams.stdout;
  const code = drawQr(link);
  const width = code.indexOf('\n');
  if (isTTY && columns < width) terminal.note(texts.t('send.qrTooWide', { columns: width }));
  else terminal.printPicture(code, QR_COLORS);
}

interface FilesToSend {
  files: LocalFile<Source>[];
  /** The same if a later command sends the same, unchanged files. Undefined: it cannot be continued. */
  identity: unknown;
  /** Removes temporary files. */
  remove(): Promise<void>;
}

async function filesToSend(tools: Tools): Promise<FilesToSend> {
  const { call, terminal, texts } = tools;
  if (call.arguments.includes('-')) {
    if (call.arguments.length > 1) throw new CliError('send.inputOnly', {}, EXIT.usage);
    return inputToSend(tools);
  }
  if (call.text('name') !== undefined) throw new CliError('send.nameOnlyForInput', {}, EXIT.usage);
  if (call.isSet('archive') && call.isSet('separate')) throw new CliError('send.oneWay', {}, EXIT.usage);
  const folders = call.isSet('archive') ? 'archive' : call.isSet('separate') ? 'list' : undefined;
  const { files, leftOut } = await findFiles(call.arguments, { followsLinks: call.isSet('follow-links'), folders });
  noteLeftOut(tools, leftOut);
  for (const { path, folder } of files)
    if (folder) terminal.note(texts.t('send.folder', { name: shownName(basename(path)), count: folder.files }));
  const identity = files.map(({ path, name, size, version }) => [path, name, size, version]);
  return { files, identity, remove: async () => {} };
}

async function inputToSend({ call, terminal, texts, deadline, onStop }: Tools): Promise<FilesToSend> {
  const given = call.text('name');
  if (given === undefined || given === '') throw new CliError('send.nameForInput', {}, EXIT.usage);
  const name = nameToSend(given);
  terminal.note(texts.t('send.spooling', { folder: tmpdir() }));
  const { stdin } = terminal.streams;
  onStop(() => stdin.destroy(new CliError('send.cancelled', {}, EXIT.cancelled)));
  // The program that writes it may take as long as it wants.
  deadline.pause();
  const { size, source, remove } = await spoolInput(stdin);
  deadline.restart();
  return { files: [{ name, size, contentType: contentTypeOf(name), source }], identity: undefined, remove };
}

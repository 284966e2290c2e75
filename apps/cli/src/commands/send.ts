// furoshiki send: encrypts files, sends them, and prints link and key.
import { tmpdir } from 'node:os';
import { DOWNLOAD_LIMIT, type RetentionDays } from '@furoshiki/api';
import { formatKey, importKey, KEY_BYTES, linkWithKey, MAX_NOTE_LENGTH, parseKey, shownName } from '@furoshiki/format';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import { call as callApi, createUpload, type LocalFile, nameToSend, type UploadResult } from '@furoshiki/transfer';
import { numberOf } from '../args/parse-args.ts';
import { CliError, EXIT } from '../errors.ts';
import { linkOf } from '../link.ts';
import { assertSendable, contentTypeOf, findFiles, type LeftOut } from '../platform/files/local-files.ts';
import { nodeCrypto } from '../platform/node-crypto.ts';
import type { Platform } from '../platform/platform.ts';
import { digestOf } from '../platform/state/folders.ts';
import type { Source } from '../platform/parts/part-streams.ts';
import { type Command, connect, serverOf, type Tools, uploadTokenFor } from './command.ts';
import { blackOnWhite, drawQr, formatDate, showUpload } from './output.ts';
import { spoolInput } from '../platform/files/spool.ts';

export const send: Command = async (tools) => {
  const siteUrl = serverOf(tools);
  const wishes = wishesOf(tools);
  const uploadToken = uploadTokenFor(tools, siteUrl);
  const platform = await connect(tools, siteUrl, uploadToken);
  const { files, identity, remove } = await filesToSend(tools);
  try {
    const options = await optionsOf(tools, platform, uploadToken, wishes);
    assertSendable(files, options.hidesNames);
    const id = identity === undefined ? undefined : digestOf(JSON.stringify([siteUrl, identity, options]));
    const { result, keyText } = await upload(tools, platform, files, options, id);
    printResult(tools, siteUrl, result, keyText);
    tools.terminal.note(
      tools.texts.t('send.sent', {
        count: files.length,
        size: formatBytes(
          files.reduce((sum, { size }) => sum + size, 0),
          tools.texts.language,
        ),
        downloads: options.downloadLimit,
        date: formatDate(Date.now() + options.retentionDays * 24 * 3_600_000, tools.texts.language),
      }),
    );
    return EXIT.done;
  } finally {
    await remove();
  }
};

interface SendOptions {
  downloadLimit: number;
  retentionDays: RetentionDays;
  hidesNames: boolean;
  note: { title?: string | undefined; message?: string | undefined };
}

/** What the command line asks for. A mistake in it must be found before anything is read. */
function wishesOf({ call }: Tools) {
  return {
    days: numberOf(call, 'days', 1, 3),
    downloads: numberOf(call, 'downloads', DOWNLOAD_LIMIT.min, DOWNLOAD_LIMIT.max),
    hidesNames: call.isSet('hide-names'),
    note: { title: noteOf(call.text('title')), message: noteOf(call.text('message')) },
  };
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
  { days, downloads, hidesNames, note }: ReturnType<typeof wishesOf>,
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
  { terminal, texts, onStop }: Tools,
  platform: Platform,
  files: LocalFile<Source>[],
  options: SendOptions,
  identity: string | undefined,
): Promise<{ result: UploadResult; keyText: string }> {
  const interrupted = identity === undefined ? undefined : await platform.journals.find(identity);
  if (interrupted) terminal.note(texts.t('send.continuing'));
  const keyText = interrupted?.keyText ?? formatKey(nodeCrypto.randomBytes(KEY_BYTES));
  const journal =
    interrupted?.journal ?? (identity === undefined ? undefined : await platform.journals.begin(identity, keyText));
  const key = await importKey(nodeCrypto.subtle, parseKey(keyText));
  const engine = createUpload<Source>(platform, { lanesFor: platform.lanesFor });
  const stopShowing = showUpload({ terminal, texts }, engine);
  // Without a journal nothing could continue it, so everything is removed from the server.
  onStop(() => void engine.cancel(journal && 'keep'));
  await engine.start({ files, key, ...options, resumeRecord: journal, resume: interrupted?.checkpoint });
  await journal?.flush();
  stopShowing();
  const state = engine.getState();
  if (state.phase === 'done') return { result: state, keyText };
  if (state.phase !== 'failed') throw new CliError(journal ? 'send.stopped' : 'send.cancelled', {}, EXIT.cancelled);
  if (state.failure.code === 'FORBIDDEN') throw new CliError('send.wrongToken');
  if (state.failure.code === 'FILE_UNREADABLE') throw new CliError('send.changed', { name: state.fileName });
  throw state.failure;
}

function printResult(tools: Tools, siteUrl: string, result: UploadResult, keyText: string): void {
  const { call, terminal, texts } = tools;
  const pages = result.separatePages ?? [{ fileName: '', pageId: result.pageId }];
  const isOneLink = call.isSet('link-with-key');
  const links = pages.map(({ pageId }) => {
    const link = linkOf(siteUrl, pageId);
    return isOneLink ? linkWithKey(link, keyText) : link;
  });
  if (result.separatePages) terminal.note(texts.t('send.separate'));
  if (call.isSet('json')) {
    terminal.printJson(links.length === 1 ? { link: links[0], key: keyText } : { links, key: keyText }, 0);
    return;
  }
  for (const link of links) terminal.print(link);
  if (!isOneLink) terminal.print(keyText);
  if (call.isSet('qr')) for (const link of links) printQr(tools, link);
  const { isTTY } = terminal.streams.stdout;
  if (isTTY && !isOneLink && links.length === 1) terminal.note(texts.t('send.twoLines'));
}

function printQr({ terminal: { print, note, streams }, texts: { t }, environment }: Tools, link: string): void {
  const { stdout } = streams;
  const code = drawQr(link);
  const columns = code.indexOf('\n');
  const hasColors = stdout.isTTY === true && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb';
  if (stdout.isTTY && stdout.columns && stdout.columns < columns) note(t('send.qrTooWide', { columns }));
  // Its escapes are ours.
  else if (hasColors) stdout.write(`${blackOnWhite(code)}\n`);
  else print(code);
}

interface FilesToSend {
  files: LocalFile<Source>[];
  /** The same if a later command sends the same, unchanged files. Undefined: it cannot be continued. */
  identity: unknown;
  /** Removes temporary files. */
  remove(): Promise<void>;
}

async function filesToSend(tools: Tools): Promise<FilesToSend> {
  const { call } = tools;
  if (call.arguments.includes('-')) {
    if (call.arguments.length > 1) throw new CliError('send.inputOnly', {}, EXIT.usage);
    return inputToSend(tools);
  }
  if (call.text('name') !== undefined) throw new CliError('send.nameOnlyForInput', {}, EXIT.usage);
  const { files, leftOut } = await findFiles(call.arguments, call.isSet('follow-links'));
  noteLeftOut(tools, leftOut);
  const identity = files.map(({ path, name, size, modifiedMs }) => [path, name, size, modifiedMs]);
  return { files, identity, remove: async () => {} };
}

/** Of more than these, only the number is shown. */
const MAX_LEFT_OUT_LINES = 10;

function noteLeftOut({ terminal, texts }: Tools, leftOut: readonly LeftOut[]): void {
  for (const { shown, reason } of leftOut.slice(0, MAX_LEFT_OUT_LINES))
    terminal.note(texts.t('leftOut.line', { name: shownName(shown), reason: texts.t(`leftOut.${reason}`) }));
  const count = leftOut.length - MAX_LEFT_OUT_LINES;
  if (count > 0) terminal.note(texts.t('leftOut.more', { count }));
}

async function inputToSend({ call, terminal, texts, onStop }: Tools): Promise<FilesToSend> {
  const given = call.text('name');
  if (given === undefined || given === '') throw new CliError('send.nameForInput', {}, EXIT.usage);
  const name = nameToSend(given);
  terminal.note(texts.t('send.spooling', { folder: tmpdir() }));
  const { stdin } = terminal.streams;
  onStop(() => stdin.destroy(new CliError('send.cancelled', {}, EXIT.cancelled)));
  const { size, source, remove } = await spoolInput(stdin);
  return { files: [{ name, size, contentType: contentTypeOf(name), source }], identity: undefined, remove };
}

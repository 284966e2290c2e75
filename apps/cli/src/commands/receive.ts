// furoshiki receive: downloads, decrypts and verifies files.
import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import type { Writable } from 'node:stream';
import { distinctPaths, folderNameOf, shownName, visiblePath } from '@furoshiki/format';
import { formatBytes } from '@furoshiki/texts/format-bytes';
import {
  canDownload,
  type Destination,
  type FileSaver,
  fileStateOf,
  isUsedUp,
  missingCount,
  type PageEngine,
  type PageState,
  planFetch,
  type ShownFile,
} from '@furoshiki/transfer';
import { Failure } from '@furoshiki/api';
import { numberOf } from '../args/parse-args.ts';
import { CliError, errorText, EXIT, type ExitCode, exitCodeOf } from '../errors.ts';
import { findOwnFolder, openOwnFolder } from '../platform/files/own-folder.ts';
import { makeFolder } from '../platform/files/places.ts';
import { createReceivedFiles, type ReceivedFiles, removeUseless } from '../platform/files/part-file.ts';
import { agrees, type Command, connect, linkOfCall, loadPage, openWithKey, type Tools } from './command.ts';
import { noteLeftOut, numberOfFile, showDownloads, showNote } from './output.ts';
import type { LeftOut } from '../platform/files/local-files.ts';
import type { LinkLeftOut } from '../platform/files/restore-folder.ts';
import { createTextCheck } from '../terminal/printable.ts';
import { giveBack } from '../platform/parts/buffers.ts';

export const receive: Command = async (given) => {
  const { call, texts, folders } = given;
  const { siteUrl, pageId, keyText } = await linkOfCall(given);
  const isToOutput = call.text('output') === '-';
  const isShown = isToOutput && given.terminal.streams.stdout.isTTY === true;
  // Progress would be drawn over a file that is shown in the same terminal.
  const terminal = isShown ? { ...given.terminal, live: undefined } : given.terminal;
  const tools: Tools = { ...given, terminal };
  const folder = resolve(isToOutput ? '.' : (call.text('output') ?? '.'));
  const paths = new Map<string, string>();
  let received: ReceivedFiles | undefined;
  const output = createOutput(terminal.streams.stdout, isShown && !call.isSet('force'));
  const saver: FileSaver = {
    choose: async (file) => (received ? received.destinationOf(file, paths.get(file.id) ?? '') : output.destination),
  };
  const platform = await connect(tools, siteUrl);
  const place = { folder, checkpoints: folders.downloads, page: `${siteUrl} ${pageId}` };
  const ownPlace = { parent: folder, identity: place.page, records: folders.downloads };
  const page = await loadPage(tools, platform, pageId, saver).catch(async (error: unknown) => {
    if (error instanceof CliError && error.text === 'receive.gone' && existsSync(folder)) {
      const own = await findOwnFolder(ownPlace);
      tellRemoved(tools, await removeUseless(place, own?.name));
      await own?.end(false);
    }
    throw error;
  });
  void platform.confirmations.resend();
  // The server says whether the files are encrypted, so that must not decide whether a key is used that was given.
  const isEncrypted = page.getState().files.some((file) => file.isEncrypted);
  const hasKey = await openWithKey(tools, page, keyText, isEncrypted ? 'needed' : 'input');
  if (!hasKey && !(await agrees(tools, texts.t('receive.unencrypted'), 'receive.needsYes')))
    throw new CliError('receive.declined', {}, EXIT.cancelled);
  showNote(tools, page.getState());

  const { files } = page.getState();
  const wanted = chosenFiles(tools, page.getState());
  const title = page.getState().list?.title ?? `furoshiki-${pageId.slice(0, ID_START)}`;
  const isOwn = wanted.length > 1 && call.text('output') === undefined;
  const own = isOwn ? await openOwnFolder({ ...ownPlace, title }) : undefined;
  const all = distinctPaths(files.map((file) => pathOf(file, isToOutput))).map((path) =>
    own ? `${own.name}/${path}` : path,
  );
  for (const [index, { id }] of files.entries()) paths.set(id, all[index] ?? '');
  const [only] = wanted;
  const otherName = nameWanted(tools, wanted.length);
  if (only && otherName !== undefined) paths.set(only.id, otherName);
  let missing = wanted;
  const linksLeftOut: LeftOut[] = [];
  if (isToOutput) {
    if (wanted.length > 1) throw new CliError('receive.oneOnly', {}, EXIT.usage);
  } else {
    const makesLinks = await wantsLinks(tools, wanted);
    const onLeftOut = (path: string, links: readonly LinkLeftOut[]) =>
      void linksLeftOut.push(
        ...links.map(({ path: inside, reason }) => ({ shown: join(dirname(path), inside), reason })),
      );
    const restoring = { makesLinks, onProgress: tools.deadline.restart, onLeftOut };
    received = createReceivedFiles({ ...place, force: call.isSet('force'), folders: restoring }, [...paths.values()]);
    missing = await notSaved(received, wanted, paths);
    await assertFree(folder, missing, paths, call.isSet('force'));
  }
  const savedBefore = wanted.filter((file) => !missing.includes(file));
  if (savedBefore.length > 0) terminal.note(texts.t('receive.continuing'));
  // An earlier run may have been killed before it had confirmed them.
  const confirming = platform.confirmations.confirm(...savedBefore.map(({ id }) => id));

  const stopShowing = showDownloads(tools, page, missing);
  await Promise.all(missing.map(({ id }) => page.download(id)));
  stopShowing();
  noteLeftOut(tools, linksLeftOut);
  const wantedPaths = wanted.map(({ id }) => paths.get(id) ?? '');
  if (received) {
    const usable = page.getState().files.filter((file) => !isUsedUp(file));
    const usablePaths = new Set(usable.map(({ id }) => paths.get(id)));
    tellRemoved(tools, await removeUseless(place, own?.name, (path) => usablePaths.has(path)));
  }
  const kept = (await received?.kept(wantedPaths)) ?? [];
  const exitCode = report(tools, page, {
    wanted,
    savedBefore,
    folder,
    ownFolder: own?.name,
    paths,
    kept,
    outputBytes: output.writtenBytes(),
  });
  await own?.end(exitCode === EXIT.done);
  if (exitCode !== EXIT.done) return exitCode;
  await confirming;
  await received?.forget(wantedPaths);
  return exitCode;
};

/** A folder is saved under its own name, unless its archive is wanted as it is. */
function pathOf({ fileName, opened }: ShownFile, asArchive: boolean): string {
  const path = visiblePath(fileName);
  const isFolder = opened?.details.folder !== undefined && !asArchive;
  return isFolder ? folderNameOf(path) : path;
}

/** Before anything is downloaded. Links never lead out of their folder, but programs may follow one where a file is expected. */
async function wantsLinks(tools: Tools, files: readonly ShownFile[]): Promise<boolean> {
  const { call, terminal, texts } = tools;
  const count = files.reduce((sum, { opened }) => sum + (opened?.details.folder?.links ?? 0), 0);
  if (count === 0 || call.isSet('links')) return true;
  if (!terminal.canAsk) return false;
  const answer = await terminal.ask(texts.t('receive.links', { count }), false);
  return answer.trim().toLowerCase().startsWith(texts.t('delete.yes'));
}

function tellRemoved({ terminal, texts }: Tools, removed: readonly string[]): void {
  for (const path of removed) terminal.note(texts.t('receive.partRemoved', { name: shownName(path) }));
}

/** Returns the name of `--as`. It is the user's own, so it may begin with a dot. */
function nameWanted({ call }: Tools, count: number): string | undefined {
  const name = call.text('as');
  if (name === undefined) return undefined;
  if (count !== 1 || call.text('output') === '-') throw new CliError('receive.asOne', {}, EXIT.usage);
  if (basename(name) !== name || name === '' || name === '.' || name === '..')
    throw new CliError('receive.asName', {}, EXIT.usage);
  return name;
}

/** Not the whole id, which is the link: everyone who has it can delete the files, and names of folders are not secret. */
const ID_START = 8;

/** Those that an earlier run of the same command has not saved. */
async function notSaved(
  received: ReceivedFiles,
  wanted: readonly ShownFile[],
  paths: ReadonlyMap<string, string>,
): Promise<ShownFile[]> {
  const missing: ShownFile[] = [];
  for (const file of wanted) {
    const isSaved =
      file.opened && file.fileSize > 0 && (await received.isSaved(planFetch(file, true), paths.get(file.id) ?? ''));
    if (!isSaved) missing.push(file);
  }
  return missing;
}

function chosenFiles({ call }: Tools, state: PageState): readonly ShownFile[] {
  const { files, fileCount = files.length } = state;
  const number = numberOf(call, 'file', 1, Math.max(files.length, fileCount));
  if (number === undefined) return files;
  const chosen = files.filter((_, index) => numberOfFile(state, index) === number);
  if (chosen.length === 0) throw new CliError('receive.fileGone', { number }, EXIT.gone);
  return chosen;
}

/** Asks before a download is counted, not when the file is complete. */
async function assertFree(
  folder: string,
  wanted: readonly ShownFile[],
  paths: ReadonlyMap<string, string>,
  force: boolean,
): Promise<void> {
  await makeFolder(folder).catch(({ code = '' }: NodeJS.ErrnoException) => {
    throw new CliError('receive.noFolder', { name: shownName(folder), code });
  });
  for (const { id, opened } of wanted) {
    const isFolder = opened?.details.folder !== undefined;
    // No folder is replaced: that would delete, or mix, what is in it.
    if (force && !isFolder) continue;
    const path = paths.get(id) ?? '';
    const exists = await stat(join(folder, path)).then(
      () => true,
      () => false,
    );
    if (exists) throw new CliError(isFolder ? 'receive.folderExists' : 'receive.exists', { name: shownName(path) });
  }
}

interface Received {
  wanted: readonly ShownFile[];
  /** By an earlier run. */
  savedBefore: readonly ShownFile[];
  /** Where the paths begin. */
  folder: string;
  /** The new folder for several files. */
  ownFolder: string | undefined;
  paths: ReadonlyMap<string, string>;
  /** The incomplete files that the same command would continue. */
  kept: readonly string[];
  /** Written to standard output. */
  outputBytes: number;
}

/** Says what has happened to each file. The exit code is that of the first file that failed. */
function report(
  { terminal, texts, call }: Tools,
  page: PageEngine,
  { wanted, savedBefore, folder, ownFolder = '', paths, kept, outputBytes }: Received,
): ExitCode {
  const state = page.getState();
  let exitCode: ExitCode = EXIT.done;
  const fail = (code: ExitCode, line: string) => {
    if (exitCode === EXIT.done) exitCode = code;
    terminal.error(line);
  };
  const saved: { name: string; path: string; size: number }[] = [];
  for (const one of wanted) {
    const { id, fileName, fileSize } = one;
    const file = fileStateOf(state, id);
    const path = paths.get(id) ?? '';
    const name = shownName(fileName);
    const shown = state.files.find((other) => other.id === id);
    if (file.phase === 'complete' || savedBefore.includes(one)) saved.push({ name: fileName, path, size: fileSize });
    else if (file.phase === 'failed') {
      const reason = errorText(texts, file.failure, 'download');
      // Our own errors name the file.
      const isNamed = file.failure.cause instanceof CliError;
      fail(exitCodeOf(file.failure), isNamed ? `furoshiki: ${reason}` : texts.t('receive.failed', { name, reason }));
    } else if (!shown || isUsedUp(shown) || !canDownload(state, shown, 'click'))
      fail(EXIT.gone, texts.t('receive.usedUp', { name }));
    else if (exitCode === EXIT.done) exitCode = EXIT.cancelled;
  }
  if (exitCode !== EXIT.done && outputBytes > 0)
    terminal.error(texts.t('receive.partWritten', { size: formatBytes(outputBytes, texts.language) }));
  const [first] = saved;
  if (first && call.text('output') !== '-') {
    const bytes = saved.reduce((sum, { size }) => sum + size, 0);
    const line =
      saved.length === 1
        ? texts.t('receive.saved', { name: shownName(join(folder, first.path)) })
        : texts.t('receive.savedAll', {
            count: saved.length,
            size: formatBytes(bytes, texts.language),
            folder: shownName(join(folder, ownFolder)),
          });
    terminal.note(line, 'green');
  }
  for (const path of kept) terminal.note(texts.t('receive.kept', { name: shownName(path) }));
  if (exitCode === EXIT.cancelled && call.text('output') !== '-') terminal.note(texts.t('receive.stopped'));
  const { title, message } = state.list ?? {};
  const result = { folder: join(folder, ownFolder), saved, title, message, missing: missingCount(state) };
  // Standard output has the bytes of the file, and nothing else.
  if (call.isSet('json')) (call.text('output') === '-' ? terminal.printJsonToError : terminal.printJson)(result);
  return exitCode;
}

interface Output {
  destination: Destination;
  writtenBytes(): number;
}

/** One file goes to standard output, chunk by chunk, as soon as each is authenticated. */
function createOutput(stream: Writable, textOnly: boolean): Output {
  const isText = createTextCheck();
  let writtenBytes = 0;
  const destination: Destination = {
    open: async () => ({
      startsAt: 0,
      async write(bytes) {
        if (textOnly && !isText(bytes))
          throw new Failure('SAVE_FAILED', {}, { cause: new CliError('receive.notText', {}, EXIT.failed) });
        await new Promise<void>((resolve, reject) => {
          stream.write(bytes, (cause) => (cause ? reject(new Failure('SAVE_FAILED', {}, { cause })) : resolve()));
        });
        writtenBytes += bytes.length;
        giveBack(bytes.buffer);
      },
      finish: async () => {},
      suspend: async () => {},
      discard: async () => {},
    }),
  };
  return { destination, writtenBytes: () => writtenBytes };
}

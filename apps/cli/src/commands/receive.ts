// furoshiki receive: downloads, decrypts and verifies files.
import { mkdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { distinctPaths, safePath, shownName } from '@furoshiki/core';
import {
  canDownload,
  type FileSaver,
  fileStateOf,
  isUsedUp,
  type PageEngine,
  type ShownFile,
} from '@furoshiki/transfer';
import { numberOf } from '../args/parse-args.ts';
import { CliError, EXIT, type ExitCode } from '../cli-error.ts';
import { errorText, exitCodeOf } from '../error-text.ts';
import { parseLink } from '../link.ts';
import { outputSink } from '../platform/files/output-sink.ts';
import { partFile } from '../platform/files/part-file.ts';
import { type Command, connect, type Tools } from './command.ts';
import { readKey } from './key.ts';
import { loadPage } from './load-page.ts';
import { showDownloads } from './output/show-downloads.ts';
import { showNote } from './output/show-note.ts';

export const receive: Command = async (tools) => {
  const { call, terminal, folders } = tools;
  const { siteUrl, pageId, keyText } = parseLink(call.arguments[0] ?? '');
  const isToOutput = call.text('output') === '-';
  const folder = resolve(isToOutput ? '.' : (call.text('output') ?? '.'));
  const paths = new Map<string, string>();
  const options = { folder, force: call.isSet('force'), checkpoints: folders.downloads };
  const saver: FileSaver = {
    choose: async (file) =>
      isToOutput ? outputSink(terminal.streams.stdout) : partFile(file, paths.get(file.id) ?? '', options),
  };
  const platform = connect(tools, siteUrl);
  const page = await loadPage(tools, platform, pageId, saver);
  void platform.confirmations.resend();
  const isEncrypted = page.getState().files.some((file) => file.isEncrypted);
  const key = isEncrypted ? await readKey(tools, keyText, true) : undefined;
  if (key) await page.open(key);
  showNote(tools, page.getState());

  const { files } = page.getState();
  const all = distinctPaths(files.map(({ fileName }) => safePath(fileName)));
  for (const [index, { id }] of files.entries()) paths.set(id, all[index] ?? '');
  const wanted = chosenFiles(tools, files);
  if (isToOutput && wanted.length > 1) throw new CliError('receive.oneOnly', {}, EXIT.usage);
  if (!isToOutput) await assertFree(folder, wanted, paths, options.force);

  const stopShowing = showDownloads(tools, page, isToOutput ? undefined : paths);
  if (wanted.length === files.length) await page.downloadAll();
  else for (const { id } of wanted) await page.download(id);
  stopShowing();
  return report(tools, page, wanted, paths);
};

function chosenFiles({ call }: Tools, files: readonly ShownFile[]): readonly ShownFile[] {
  const number = numberOf(call, 'file', 1, files.length);
  return number === undefined ? files : files.slice(number - 1, number);
}

/** Asks before a download is counted, not when the file is complete. */
async function assertFree(
  folder: string,
  wanted: readonly ShownFile[],
  paths: ReadonlyMap<string, string>,
  force: boolean,
): Promise<void> {
  await mkdir(folder, { recursive: true }).catch(({ code = '' }: NodeJS.ErrnoException) => {
    throw new CliError('receive.noFolder', { name: shownName(folder), code });
  });
  if (force) return;
  for (const { id } of wanted) {
    const path = paths.get(id) ?? '';
    const exists = await stat(join(folder, path)).then(
      () => true,
      () => false,
    );
    if (exists) throw new CliError('receive.exists', { name: shownName(path) });
  }
}

/** Says what has happened to each file. The exit code is that of the first file that failed. */
function report(
  { terminal, texts, call }: Tools,
  page: PageEngine,
  wanted: readonly ShownFile[],
  paths: ReadonlyMap<string, string>,
): ExitCode {
  const state = page.getState();
  let exitCode: ExitCode = EXIT.done;
  const fail = (code: ExitCode, line: string) => {
    if (exitCode === EXIT.done) exitCode = code;
    terminal.error(line);
  };
  const saved: { name: string; path: string; size: number }[] = [];
  for (const { id, fileName, fileSize } of wanted) {
    const file = fileStateOf(state, id);
    const path = paths.get(id) ?? '';
    const name = shownName(fileName);
    const shown = state.files.find((other) => other.id === id);
    if (file.phase === 'complete') saved.push({ name: fileName, path, size: fileSize });
    else if (file.phase === 'failed')
      fail(
        exitCodeOf(file.failure),
        texts.t('receive.failed', { name, reason: errorText(texts, file.failure, 'download') }),
      );
    else if (!shown || isUsedUp(shown) || !canDownload(state, shown, 'click'))
      fail(EXIT.gone, texts.t('receive.usedUp', { name }));
    else if (exitCode === EXIT.done) exitCode = EXIT.cancelled;
  }
  if (exitCode === EXIT.cancelled) terminal.note(texts.t('receive.stopped'));
  if (call.isSet('json')) terminal.print(JSON.stringify({ saved }, null, 2));
  return exitCode;
}

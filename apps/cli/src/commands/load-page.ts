// Loads the page of a link.
import { createPage, type FileSaver, type PageEngine } from '@furoshiki/transfer';
import { CliError, EXIT } from '../cli-error.ts';
import type { Platform } from '../platform/platform.ts';
import type { Tools } from './command.ts';

/** Chunks at once: one is received while one is written. A chunk is opened while it arrives. More would only take memory. */
const DOWNLOAD_LANES = 2;

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
  const page = createPage({ ...platform, saver }, pageId, { lanes: DOWNLOAD_LANES });
  onStop(() => void page.cancel());
  await page.load();
  const { phase, failure } = page.getState();
  if (failure) throw failure;
  if (phase === 'not-found') throw new CliError('receive.gone', {}, EXIT.gone);
  return page;
}

// What a sender and a recipient do, and the files they do it with.
import { page, type Locator } from 'vitest/browser';
import type { FolderFacts } from '@furoshiki/format';
import type { UploadNote } from '@furoshiki/transfer';
import { expect } from 'vitest';
import type { FakeServices } from './fake-services.ts';

export const fileOf = (name: string, content: string | Uint8Array<ArrayBuffer> = 'hello') =>
  new File([content], name, { type: 'text/plain' });

/** A file that claims a size without having its bytes. */
export function largeFile(name: string, size: number): File {
  return Object.defineProperty(fileOf(name), 'size', { value: size });
}

/** Gives files to the button's file input, like the file dialog of the browser. */
export async function chooseFiles(files: readonly File[], button: Locator = chooseButton()): Promise<void> {
  await expect.element(button).toBeVisible();
  giveFiles(fileInputOf(button), files);
}

export const chooseButton = (): Locator => page.getByRole('button', { name: /^(Choose files|Add more files)$/u });

/** A file of a chosen folder. */
export const fileInFolder = (path: string): File =>
  Object.defineProperty(fileOf(path.split('/').at(-1) ?? ''), 'webkitRelativePath', { value: path });

/** A FileButton has its input right after its button. */
export function fileInputOf(button: Locator): HTMLInputElement {
  const input = button.element().nextElementSibling;
  if (!(input instanceof HTMLInputElement)) throw new Error('The button has no file input');
  return input;
}

function giveFiles(input: HTMLInputElement, files: readonly File[]): void {
  // Not a real FileList, which would copy the files and lose the sizes and paths that a test claims.
  Object.defineProperty(input, 'files', { configurable: true, value: files });
  input.dispatchEvent(new Event('change', { bubbles: true }));
}

export const button = (name: string | RegExp): Locator => page.getByRole('button', { name, exact: true });
export const press = (name: string | RegExp): Promise<void> => click(button(name));

const FOCUSABLE = 'a, button, input, select, textarea, summary, [tabindex]';

/**
 * Clicks in the page itself, if the user could: not a disabled element, nor one that another covers. A click from outside
 * of the page waits for frames, takes a hundred times as long, and hangs if a busy browser stops to draw.
 */
export async function click(locator: Locator): Promise<void> {
  await expect.element(locator).toBeVisible();
  await expect.element(locator).toBeEnabled();
  const element = locator.element() as HTMLElement;
  element.scrollIntoView({ block: 'center' });
  const { left, top, width, height } = element.getBoundingClientRect();
  const hit = document.elementFromPoint(left + width / 2, top + height / 2);
  if (!hit || !(element.contains(hit) || hit.contains(element)))
    throw new Error(`${element.outerHTML} is covered by ${hit?.outerHTML}`);
  element.closest<HTMLElement>(FOCUSABLE)?.focus();
  element.click();
}

export interface SentPage {
  pageId: string;
  keyText: string;
  words: readonly string[] | undefined;
  /** The address of the page in English. */
  path: string;
}

interface SendOptions {
  limit?: number;
  isEncrypted?: boolean;
  hidesNames?: boolean;
  note?: UploadNote;
  /** Set if each file is the archive of a folder. */
  folder?: FolderFacts;
  /** Makes a key of words in this language. */
  wordsIn?: string;
}

/** Puts files on the fake server as another browser would, without the screens. */
export async function sendFiles(
  { services }: FakeServices,
  files: readonly File[],
  { limit = 5, isEncrypted = true, folder, wordsIn, ...options }: SendOptions = {},
): Promise<SentPage> {
  const { key, keyText, words } = await (wordsIn === undefined ? services.newKey() : services.newKeyOfWords(wordsIn));
  const engine = services.createUploadEngine();
  await engine.start({
    files: files.map((file) => ({ name: file.name, size: file.size, contentType: file.type, source: file, folder })),
    key: isEncrypted ? key : 'unencrypted',
    downloadLimit: limit,
    retentionDays: 1,
    ...options,
  });
  const state = engine.getState();
  if (state.phase !== 'done') throw new Error(`The upload has ended as ${state.phase}`);
  const { pageId } = state;
  return { pageId, keyText: isEncrypted ? keyText : '', words, path: `/en/download/${pageId}` };
}

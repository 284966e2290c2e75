// Opens a page with a key: checks the key, and everything that the server says about the files of format 2.
import type { ApiResponse } from '../api/endpoints.ts';
import type { PageFile } from '../api/schemas.ts';
import { Failure, type Tampering } from '../errors.ts';
import { checkedPlanOfChunks } from '../plan/part-plan.ts';
import type { SealedFile } from './chunk.ts';
import { deriveFileKey, derivePageSecrets, type PageSecrets } from './derived-keys.ts';
import { type FileDetails, openDetails, openList, type PageList } from './details.ts';
import { keyFits } from './key-check.ts';
import { paddedSize } from './padding.ts';
import type { SecretKey } from './secret-key.ts';
import type { CipherKey, Subtle } from './web-crypto.ts';

type Page = ApiResponse<'page'>;

export interface OpenedFile {
  /** Format 1: as the server says. Format 2: as the sender says. */
  details: FileDetails;
  sealed: SealedFile;
  /** Seals and opens the chunks. */
  key: CipherKey;
  /** Proves to the server that this client has the key. Undefined if the file needs no proof. */
  accessToken: string | undefined;
}

export interface OpenedPage {
  /** By the id of the file. */
  files: ReadonlyMap<string, OpenedFile>;
  /** Undefined if the page has no list, as with format 1. Then missing files cannot be detected. */
  list: PageList | undefined;
}

/** The name of the file at this position (from 1) if the sender hides the names. */
export const hiddenName = (position: number): string => `file-${position}`;

/** Whether the server knows only a replacement of the file's name. */
export function isHidden({ format, fileName }: Pick<PageFile, 'format' | 'fileName'>): boolean {
  return format === 2 && /^file-[1-9]\d{0,3}$/u.test(fileName);
}

/**
 * Throws KEY_INCORRECT if the key does not fit, and PAGE_TAMPERED if the page is not what the sender has sent. Nothing is
 * spent: everything it needs was sent with the page.
 */
export async function openPage(subtle: Subtle, key: SecretKey, { files, list }: Page): Promise<OpenedPage> {
  // A user with a key expects encrypted files, whatever the server says.
  if (!files.every((file) => file.isEncrypted)) throw new Failure('KEY_INCORRECT');
  if (!files.some((file) => file.format === 2)) {
    const opened = await Promise.all(files.map((file) => openFile1(subtle, key, file)));
    return { files: byId(files, opened), list: undefined };
  }
  const secrets = await secretsOf(subtle, key, files);
  const opened = await Promise.all(files.map((file) => openFile2(subtle, key, secrets, file)));
  const openedList = list === undefined ? undefined : await openListOf(subtle, secrets, files, list);
  return { files: byId(files, opened), list: openedList };
}

const byId = (files: readonly PageFile[], opened: readonly OpenedFile[]) =>
  new Map(opened.map((file, index) => [files[index]?.id ?? '', file]));

async function openFile1(subtle: Subtle, key: SecretKey, file: PageFile): Promise<OpenedFile> {
  const { salt, keyCheck, fileName, fileSize, chunkSize } = file;
  if (salt === undefined || keyCheck === undefined || !(await keyFits(subtle, key, salt, keyCheck)))
    throw new Failure('KEY_INCORRECT');
  return {
    details: { name: fileName, type: '', size: fileSize },
    sealed: { ...checkedPlanOfChunks(fileSize, chunkSize), format: 1, fileName, salt },
    key: key.gcm,
    accessToken: undefined,
  };
}

interface Secrets extends PageSecrets {
  pageSalt: string;
}

/** All files of a page have the same page salt and the same check: another one belongs to another upload. */
async function secretsOf(subtle: Subtle, key: SecretKey, files: readonly PageFile[]): Promise<Secrets> {
  const first = files.find((file) => file.format === 2);
  const pageSalt = first?.pageSalt ?? '';
  const secrets = await derivePageSecrets(subtle, key, pageSalt);
  if (first?.keyCheck !== secrets.keyCheck) throw new Failure('KEY_INCORRECT');
  for (const file of files)
    if (file.format !== 2 || file.pageSalt !== pageSalt || file.keyCheck !== secrets.keyCheck)
      throw tampered('fileAdded');
  if (new Set(files.map(({ salt }) => salt)).size !== files.length) throw tampered('fileAdded');
  return { ...secrets, pageSalt };
}

async function openFile2(subtle: Subtle, key: SecretKey, secrets: Secrets, file: PageFile): Promise<OpenedFile> {
  const { detailsKey, accessToken, pageSalt } = secrets;
  const { salt = '', details: sealedDetails = '', fileSize, chunkSize } = file;
  const details = await openDetails(subtle, detailsKey, salt, sealedDetails).catch(() => {
    throw tampered('detailsChanged');
  });
  const difference = findDifference(file, details);
  if (difference) throw tampered(difference);
  return {
    details,
    sealed: { ...checkedPlanOfChunks(fileSize, chunkSize), format: 2, salt, contentSize: details.size },
    key: await deriveFileKey(subtle, key, pageSalt, salt),
    accessToken,
  };
}

/** The details count. What the server says in clear must be the same, unless the sender has hidden it. */
function findDifference(file: PageFile, details: FileDetails): Tampering | undefined {
  const { name, size, fileSize = file.fileSize, chunkSize = file.chunkSize } = details;
  if (fileSize !== file.fileSize || chunkSize !== file.chunkSize) return 'sizeChanged';
  if (isHidden(file) && file.fileSize === paddedSize(size)) return undefined;
  if (file.fileSize !== size) return isHidden(file) || file.fileName === name ? 'sizeChanged' : 'nameChanged';
  return file.fileName === name ? undefined : 'nameChanged';
}

async function openListOf(
  subtle: Subtle,
  { detailsKey, pageSalt }: Secrets,
  files: readonly PageFile[],
  sealed: string,
): Promise<PageList> {
  const list = await openList(subtle, detailsKey, pageSalt, sealed).catch(() => {
    throw tampered('listChanged');
  });
  const positions = files.map(({ salt = '' }) => list.files.indexOf(salt));
  if (positions.includes(-1)) throw tampered('fileAdded');
  if (positions.some((position, index) => position < (positions[index - 1] ?? 0))) throw tampered('orderChanged');
  return list;
}

function tampered(tampering: Tampering): Failure {
  return new Failure('PAGE_TAMPERED', { tampering });
}

// A page of files. What format 2 hides from the server: the details of each file and the list of all files. And what a client
// does with a key before anything is downloaded: it checks the key, and everything that the server says about the files.
import * as z from 'zod/mini';
import { type SealedFile } from './chunk.ts';
import { checkedPlanOfChunks, paddedSize } from './plan.ts';
import { FormatError, type Tampering } from './errors.ts';
import { folderFacts } from './folder-archive.ts';
import { deriveFileKey, derivePageSecrets, FORMAT_2, keyFits, type PageSecrets } from './derived-keys.ts';
import { type SecretKey } from './key.ts';
import { MAX_FILE_NAME_LENGTH, MAX_FILES_PER_PAGE, MAX_NOTE_LENGTH, MAX_CONTENT_TYPE_LENGTH } from './limits.ts';
import { type CipherKey, fromBase64, HASH_BYTES, IV_BYTES, SALT_BYTES, type Subtle, TAG_BYTES } from './primitives.ts';
import { openJson, sealJson, utf8Json, withSpaces } from './sealed-json.ts';

const fileDetails = z.object({
  /** May be a path within a folder. */
  name: z.string().check(z.minLength(1), z.maxLength(MAX_FILE_NAME_LENGTH)),
  type: z.string().check(z.maxLength(MAX_CONTENT_TYPE_LENGTH)),
  /** Without padding. */
  size: z.int().check(z.positive()),
  /** Epoch seconds. */
  modifiedAt: z.optional(z.int()),
  /** Whether the owner could run it as a program. */
  executable: z.optional(z.boolean()),
  /** Set if the content is a folder. */
  folder: z.optional(folderFacts),
  /** As stored. If present, a wrong value from the server is detected before a download is counted. */
  fileSize: z.optional(z.int()),
  chunkSize: z.optional(z.int()),
  /** How many files were sent together. If present, files that are missing are noticed without a list, too. */
  fileCount: z.optional(z.int().check(z.minimum(1), z.maximum(MAX_FILES_PER_PAGE))),
});
export type FileDetails = z.infer<typeof fileDetails>;

const noteText = z.optional(z.string().check(z.maxLength(MAX_NOTE_LENGTH)));
/** Both for the recipient. */
const pageNote = z.object({ title: noteText, message: noteText });
const pageList = z.object({
  /** The salts of all files, in order. */
  files: z.array(z.string()).check(
    z.minLength(1),
    z.maxLength(MAX_FILES_PER_PAGE),
    z.refine((salts) => new Set(salts).size === salts.length),
  ),
  ...pageNote.shape,
});
export type PageList = z.infer<typeof pageList>;

/** `iv` must be 12 fresh random bytes. `hidesLength`: hides the length of the name. Returns Base64. */
export function sealDetails(
  subtle: Subtle,
  detailsKey: CipherKey,
  iv: Uint8Array<ArrayBuffer>,
  fileSalt: string,
  details: FileDetails,
  hidesLength: boolean,
): Promise<string> {
  const json = utf8Json(details);
  return sealJson(subtle, detailsKey, iv, detailsAad(fileSalt), hidesLength ? withSpaces(json) : json);
}

/** Throws DECRYPTION_FAILED if they are not the details of this file. */
export function openDetails(
  subtle: Subtle,
  detailsKey: CipherKey,
  fileSalt: string,
  sealed: string,
): Promise<FileDetails> {
  return openJson(subtle, detailsKey, detailsAad(fileSalt), sealed, fileDetails);
}

/** `iv` must be 12 fresh random bytes. Returns Base64. */
export function sealList(
  subtle: Subtle,
  detailsKey: CipherKey,
  iv: Uint8Array<ArrayBuffer>,
  pageSalt: string,
  list: PageList,
): Promise<string> {
  return sealJson(subtle, detailsKey, iv, listAad(pageSalt), withSpaces(utf8Json(list)));
}

/** Throws ENCRYPTION_FAILED if no client would open a list with this note. Call it before anything is sent. */
export function checkNote(note: Pick<PageList, 'title' | 'message'>): void {
  if (!z.safeParse(pageNote, note).success) throw new FormatError('ENCRYPTION_FAILED');
}

/** Throws DECRYPTION_FAILED if it is not the list of this page. */
export function openList(subtle: Subtle, detailsKey: CipherKey, pageSalt: string, sealed: string): Promise<PageList> {
  return openJson(subtle, detailsKey, listAad(pageSalt), sealed, pageList);
}

const detailsAad = (fileSalt: string) => utf8Json([`${FORMAT_2} details`, fileSalt]);
const listAad = (pageSalt: string) => utf8Json([`${FORMAT_2} list`, pageSalt]);

/** What a server says about a file, as far as it matters here. */
export interface ListedFile {
  id: string;
  format: 1 | 2;
  isEncrypted: boolean;
  fileName: string;
  fileSize: number;
  chunkSize: number;
  salt?: string | undefined;
  pageSalt?: string | undefined;
  keyCheck?: string | undefined;
  /** Sealed. */
  details?: string | undefined;
}

interface ListedPage {
  files: readonly ListedFile[];
  /** Sealed. */
  list?: string | undefined;
}

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
  /** Undefined if the page has no list, as with format 1. */
  list: PageList | undefined;
  /** How many files were sent. Undefined if neither a list nor the details say it: then missing files cannot be detected. */
  fileCount: number | undefined;
}

/** The name of the file at this position (from 1) if the sender hides the names. */
export const hiddenName = (position: number): string => `file-${position}`;

/** Whether the server knows only a replacement of the file's name. */
export function isHidden({ format, fileName }: Pick<ListedFile, 'format' | 'fileName'>): boolean {
  return format === 2 && /^file-[1-9]\d{0,3}$/u.test(fileName);
}

/**
 * Throws KEY_INCORRECT if the key does not fit, and PAGE_TAMPERED if the page is not what the sender has sent. Nothing is
 * spent: everything it needs was sent with the page.
 */
export async function openPage(subtle: Subtle, key: SecretKey, page: ListedPage): Promise<OpenedPage> {
  const { files, list } = page;
  // The files of a page with a key are encrypted, whatever the server says.
  if (!files.every((file) => file.isEncrypted)) throw tampered('notEncrypted');
  if (!files.some((file) => file.format === 2)) {
    const fitting = await Promise.all(files.map((file) => fits1(subtle, key, file)));
    if (fitting.includes(false)) throw await refusalOf(subtle, key, page);
    return {
      files: byId(
        files,
        files.map((file) => openFile1(key, file)),
      ),
      list: undefined,
      fileCount: undefined,
    };
  }
  const secrets = await secretsOf(subtle, key, page);
  const opened = await Promise.all(files.map((file) => openFile2(subtle, key, secrets, file)));
  const openedList = list === undefined ? undefined : await openListOf(subtle, secrets, files, list);
  return { files: byId(files, opened), list: openedList, fileCount: fileCountOf(opened, openedList) };
}

/** All that was sealed for a page says the same number. */
function fileCountOf(opened: readonly OpenedFile[], list: PageList | undefined): number | undefined {
  const counts = new Set(opened.flatMap(({ details: { fileCount } }) => fileCount ?? []));
  if (list) counts.add(list.files.length);
  if (counts.size > 1) throw tampered('listChanged');
  const [count] = counts;
  if (count !== undefined && count < opened.length) throw tampered('fileAdded');
  return count;
}

const byId = (files: readonly ListedFile[], opened: readonly OpenedFile[]) =>
  new Map(opened.map((file, index) => [files[index]?.id ?? '', file]));

const fits1 = (subtle: Subtle, key: SecretKey, { salt = '', keyCheck = '' }: ListedFile): Promise<boolean> =>
  keyFits(subtle, key, salt, keyCheck);

function openFile1(key: SecretKey, { salt = '', fileName, fileSize, chunkSize }: ListedFile): OpenedFile {
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
async function secretsOf(subtle: Subtle, key: SecretKey, page: ListedPage): Promise<Secrets> {
  const { files } = page;
  const first = files.find((file) => file.format === 2);
  const pageSalt = first?.pageSalt ?? '';
  const secrets = await derivePageSecrets(subtle, key, pageSalt);
  if (first?.keyCheck !== secrets.keyCheck) throw await refusalOf(subtle, key, page);
  for (const file of files)
    if (file.format !== 2 || file.pageSalt !== pageSalt || file.keyCheck !== secrets.keyCheck)
      throw tampered('fileAdded');
  if (new Set(files.map(({ salt }) => salt)).size !== files.length) throw tampered('fileAdded');
  return { ...secrets, pageSalt };
}

/**
 * Says why a page is refused whose first key check does not fit. The server has sent the check: it must not be able to make
 * a page that it has changed look like a wrong key. So the key counts as wrong only if nothing on the page fits it.
 */
async function refusalOf(subtle: Subtle, key: SecretKey, { files, list = '' }: ListedPage): Promise<FormatError> {
  if (!files.every(isWellFormed)) return tampered('encryptionChanged');
  const secretsBySalt = new Map<string, Promise<PageSecrets>>();
  const opens = (opening: Promise<unknown>) =>
    opening.then(
      () => true,
      () => false,
    );

  /** `other`: something that is sealed for the file opens, but its key check does not fit. */
  async function proofOf(file: ListedFile): Promise<'check' | 'other' | undefined> {
    const { format, salt = '', pageSalt, keyCheck, details = '' } = file;
    const is1 = await fits1(subtle, key, file);
    if (pageSalt === undefined || is1) return is1 ? (format === 1 ? 'check' : 'other') : undefined;
    const derived = secretsBySalt.get(pageSalt) ?? derivePageSecrets(subtle, key, pageSalt);
    secretsBySalt.set(pageSalt, derived);
    const secrets = await derived;
    if (keyCheck === secrets.keyCheck) return format === 2 ? 'check' : 'other';
    const isSealed =
      (await opens(openDetails(subtle, secrets.detailsKey, salt, details))) ||
      (await opens(openList(subtle, secrets.detailsKey, pageSalt, list)));
    return isSealed ? 'other' : undefined;
  }

  const proofs = await Promise.all(files.map(proofOf));
  if (proofs.every((proof) => proof === undefined)) return new FormatError('KEY_INCORRECT');
  return tampered(proofs.includes('check') && proofs.includes(undefined) ? 'fileAdded' : 'encryptionChanged');
}

/** Servers store nothing else. */
function isWellFormed({ format, salt, pageSalt, keyCheck }: ListedFile): boolean {
  const has = (text: string | undefined, length: number) => fromBase64(text ?? '')?.length === length;
  return format === 2
    ? has(salt, SALT_BYTES) && has(pageSalt, SALT_BYTES) && has(keyCheck, HASH_BYTES)
    : has(salt, SALT_BYTES) && has(keyCheck, IV_BYTES + TAG_BYTES);
}

async function openFile2(subtle: Subtle, key: SecretKey, secrets: Secrets, file: ListedFile): Promise<OpenedFile> {
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
function findDifference(file: ListedFile, details: FileDetails): Tampering | undefined {
  const { name, size, fileSize = file.fileSize, chunkSize = file.chunkSize } = details;
  if (fileSize !== file.fileSize || chunkSize !== file.chunkSize) return 'sizeChanged';
  if (isHidden(file) && file.fileSize === paddedSize(size)) return undefined;
  if (file.fileSize !== size) return isHidden(file) || file.fileName === name ? 'sizeChanged' : 'nameChanged';
  return file.fileName === name ? undefined : 'nameChanged';
}

async function openListOf(
  subtle: Subtle,
  { detailsKey, pageSalt }: Secrets,
  files: readonly ListedFile[],
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

function tampered(tampering: Tampering): FormatError {
  return new FormatError('PAGE_TAMPERED', { tampering });
}

// What a reader checks before a download is spent, written from docs/FORMAT.md alone.
import {
  check,
  checkAllDetails,
  countChunks,
  derivePage,
  isSize,
  keyCheckAad,
  openDetails,
  openList,
  openSealed,
  paddedSize,
} from './format.mjs';

const MAX_CHUNK = 2 ** 26; // Sizes from the server are not trusted: never allocate more memory than this.
const MAX_COUNT = 9_500;
const SALT = /^[A-Za-z0-9+/]{22}==$/;
const KEY_CHECK_1 = /^[A-Za-z0-9+/]{38}==$/;
const KEY_CHECK_2 = /^[A-Za-z0-9+/]{43}=$/;

/** The types and limits of what describes a file, in both formats. */
export function checkFacts({ format, fileName, fileSize, chunkSize }, position) {
  const need = (condition, what) => check(condition, 'PROTOCOL', `file ${position}: bad ${what}`);
  need(typeof fileName === 'string' && fileName.isWellFormed() && !fileName.includes('\0'), 'fileName');
  need(fileName.length <= 1024, 'fileName (too long)');
  need(isSize(fileSize), 'fileSize');
  need(isSize(chunkSize), 'chunkSize');
  need(chunkSize <= MAX_CHUNK, 'chunkSize (too large)');
  if (format === 2) {
    need(countChunks({ fileSize, chunkSize }) <= MAX_COUNT, 'chunkSize (too many chunks)');
  }
}

/** Whether the salts and the key check are there and have their lengths. */
function isWellFormed({ format, pageSalt, salt, keyCheck }) {
  if (!SALT.test(salt)) return false;
  return format === 2 ? SALT.test(pageSalt) && KEY_CHECK_2.test(keyCheck) : KEY_CHECK_1.test(keyCheck);
}

function checkEncrypted({ isEncrypted }, position) {
  check(isEncrypted === true, 'NOT_ENCRYPTED', `file ${position} is not encrypted: its content cannot be verified`);
}

/** The page is not what the sender has sent. */
const tampered = (condition, text) => check(condition, 'TAMPERED', text);

const fits1 = (key, { salt, keyCheck }) => openSealed(key, Buffer.from(keyCheck ?? '', 'base64'), keyCheckAad(salt));

/** `check`: its key check fits. `other`: it does not, but something else that is sealed for the file opens. */
function proofOf(key, file, sealedList) {
  const { format, pageSalt, salt, keyCheck, details } = file;
  if (fits1(key, file)) return format === 2 ? 'other' : 'check';
  if (typeof pageSalt !== 'string') return undefined;
  const page = derivePage(key, pageSalt);
  if (page.keyCheck === keyCheck) return format === 2 ? 'check' : 'other';
  const opens = openDetails(page.detailsKey, salt, details) ?? openList(page.detailsKey, pageSalt, sealedList);
  return opens && 'other';
}

/** Throws if the first key check does not fit: the key is wrong only if nothing on the page fits it. */
function refuse(key, files, sealedList) {
  const changed = 'what the server says about the encryption of a file was changed';
  tampered(files.every(isWellFormed), changed);
  const proofs = files.map((file) => proofOf(key, file, sealedList));
  check(proofs.some(Boolean), 'WRONG_KEY', 'the key does not fit');
  tampered(!(proofs.includes('check') && proofs.includes(undefined)), 'a file was added: the key fits only the others');
  tampered(false, changed);
}

function checkPage1(key, files, sealedList) {
  for (const [position, file] of files.entries()) {
    check([undefined, null, 1].includes(file.format), 'PROTOCOL', `file ${position}: unknown format ${file.format}`);
    checkFacts(file, position);
  }
  if (!files.every((file) => isWellFormed(file) && fits1(key, file))) refuse(key, files, sealedList);
  return { files: files.map((file) => ({ ...file, name: file.fileName, size: file.fileSize })) };
}

function checkDetails(detailsKey, file, position) {
  const details = openDetails(detailsKey, file.salt, file.details);
  tampered(details, `the details of file ${position} were changed or exchanged`);
  const { name, size, fileSize = file.fileSize, chunkSize = file.chunkSize, fileCount } = details;
  const isStored = fileSize === file.fileSize && chunkSize === file.chunkSize;
  tampered(isStored, `the size of file ${position} was changed`);
  const maybeHidden = /^file-[1-9]\d*$/.test(file.fileName);
  const inClear = file.fileName === name && file.fileSize === size;
  const hidden = maybeHidden && file.fileSize === paddedSize(size);
  tampered(file.fileName === name || maybeHidden, `the name of file ${position} was changed`);
  tampered(inClear || hidden, `the size of file ${position} was changed`);
  return { ...file, name, size, fileCount };
}

function checkList(list, files) {
  let last = -1;
  for (const [position, { salt }] of files.entries()) {
    const place = list.files.indexOf(salt);
    tampered(place !== -1, `file ${position} was added: it is not in the list`);
    tampered(place > last, 'the order of the files was changed');
    last = place;
  }
}

function checkPage2(key, files, sealedList) {
  const stranger = (position) => `file ${position} was added: it does not belong to the others`;
  const { pageSalt = '', keyCheck } = files.find(({ format }) => format === 2);
  const page = derivePage(key, pageSalt);
  if (page.keyCheck !== keyCheck) refuse(key, files, sealedList);
  for (const [position, file] of files.entries()) {
    const belongs = file.format === 2 && file.pageSalt === pageSalt && file.keyCheck === keyCheck;
    tampered(belongs, stranger(position));
    checkFacts(file, position);
  }
  checkAllDetails(files);
  const opened = files.map((file, position) => checkDetails(page.detailsKey, file, position));
  const salts = new Set(files.map(({ salt }) => salt));
  tampered(salts.size === files.length, 'a file was added: the page has the same file twice');
  const hasList = sealedList !== undefined && sealedList !== null;
  const list = hasList ? openList(page.detailsKey, pageSalt, sealedList) : undefined;
  tampered(list || !hasList, 'the list of the files was changed');
  if (list) checkList(list, opened);
  return { files: opened, accessToken: page.accessToken, list, fileCount: countFiles(list, opened) };
}

/** How many files were sent. Undefined if nothing says it. */
function countFiles(list, files) {
  const counts = new Set(files.map(({ fileCount }) => fileCount).filter((count) => count !== undefined));
  if (list) counts.add(list.files.length);
  tampered(counts.size <= 1, 'the list of the files was changed: it has another number of files');
  const [count] = counts;
  tampered(count === undefined || count >= files.length, 'a file was added: the page has more than were sent');
  return count;
}

/**
 * Checks a page, as the server sent it, with the key. Returns its files with the `name` and `size` that count; and for
 * format 2 the `accessToken`, the opened `list` if there is one, and `fileCount` if something says it.
 */
export function checkPage(key, { files, list }) {
  for (const [position, file] of files.entries()) checkEncrypted(file, position);
  const isFormat2 = files.some(({ format }) => format === 2);
  return isFormat2 ? { format: 2, ...checkPage2(key, files, list) } : { format: 1, ...checkPage1(key, files, list) };
}

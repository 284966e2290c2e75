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

/** The types and limits of what describes a file, in both formats. */
export function checkFacts({ format, fileName, fileSize, chunkSize, pageSalt, salt, keyCheck }, position) {
  const need = (condition, what) => check(condition, 'PROTOCOL', `file ${position}: bad ${what}`);
  need(typeof fileName === 'string' && fileName.isWellFormed() && !fileName.includes('\0'), 'fileName');
  need(fileName.length <= 1024, 'fileName (too long)');
  need(isSize(fileSize), 'fileSize');
  need(isSize(chunkSize), 'chunkSize');
  need(chunkSize <= MAX_CHUNK, 'chunkSize (too large)');
  need(SALT.test(salt), 'salt');
  if (format === 2) {
    need(countChunks({ fileSize, chunkSize }) <= MAX_COUNT, 'chunkSize (too many chunks)');
    need(SALT.test(pageSalt), 'pageSalt');
    need(/^[A-Za-z0-9+/]{43}=$/.test(keyCheck), 'keyCheck');
  } else {
    need(/^[A-Za-z0-9+/]{38}==$/.test(keyCheck), 'keyCheck');
  }
}

function checkEncrypted({ isEncrypted }, position) {
  check(isEncrypted === true, 'NOT_ENCRYPTED', `file ${position} is not encrypted: its content cannot be verified`);
}

/** The page is not what the sender has sent. */
const tampered = (condition, text) => check(condition, 'TAMPERED', text);

function checkPage1(key, files) {
  for (const [position, file] of files.entries()) {
    check([undefined, null, 1].includes(file.format), 'PROTOCOL', `file ${position}: unknown format ${file.format}`);
    checkEncrypted(file, position);
    checkFacts(file, position);
    const fits = openSealed(key, Buffer.from(file.keyCheck, 'base64'), keyCheckAad(file.salt));
    check(fits, 'WRONG_KEY', `the key does not fit file ${position}`);
  }
  return { files: files.map((file) => ({ ...file, name: file.fileName, size: file.fileSize })) };
}

function checkDetails(detailsKey, file, position) {
  const details = openDetails(detailsKey, file.salt, file.details);
  tampered(details, `the details of file ${position} were changed or exchanged`);
  const { name, size, fileSize = file.fileSize, chunkSize = file.chunkSize } = details;
  const isStored = fileSize === file.fileSize && chunkSize === file.chunkSize;
  tampered(isStored, `the size of file ${position} was changed`);
  const maybeHidden = /^file-[1-9]\d*$/.test(file.fileName);
  const inClear = file.fileName === name && file.fileSize === size;
  const hidden = maybeHidden && file.fileSize === paddedSize(size);
  tampered(file.fileName === name || maybeHidden, `the name of file ${position} was changed`);
  tampered(inClear || hidden, `the size of file ${position} was changed`);
  return { ...file, name, size };
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
  for (const [position, file] of files.entries()) checkEncrypted(file, position);
  const stranger = (position) => `file ${position} was added: it does not belong to the others`;
  tampered(files[0].format === 2, stranger(0));
  checkFacts(files[0], 0);
  const { pageSalt, keyCheck } = files[0];
  const page = derivePage(key, pageSalt);
  check(page.keyCheck === keyCheck, 'WRONG_KEY', 'the key does not fit');
  for (const [position, file] of files.entries()) {
    const belongs = file.format === 2 && file.pageSalt === pageSalt && file.keyCheck === keyCheck;
    tampered(belongs, stranger(position));
    checkFacts(file, position);
  }
  checkAllDetails(files);
  const opened = files.map((file, position) => checkDetails(page.detailsKey, file, position));
  const salts = new Set(files.map(({ salt }) => salt));
  tampered(salts.size === files.length, 'a file was added: the page has the same file twice');
  if (sealedList === undefined || sealedList === null) return { files: opened, accessToken: page.accessToken };
  const list = openList(page.detailsKey, pageSalt, sealedList);
  tampered(list, 'the list of the files was changed');
  checkList(list, opened);
  return { files: opened, accessToken: page.accessToken, list };
}

/**
 * Checks a page, as the server sent it, with the key. Returns its files with the `name` and `size` that count; and for
 * format 2 the `accessToken`, and the opened `list` if there is one.
 */
export function checkPage(key, { files, list }) {
  const isFormat2 = files.some(({ format }) => format === 2);
  return isFormat2 ? { format: 2, ...checkPage2(key, files, list) } : { format: 1, ...checkPage1(key, files) };
}

// Computes every value of packages/format/vectors/ again, and compares. Usage: node e2e/independent-client/vectors.mjs
import { readFileSync } from 'node:fs';
import { checkPage } from './check-page.mjs';
import {
  chunkAad,
  countChunks,
  deriveChunkKey,
  derivePage,
  detailsAad,
  keyCheckAad,
  listAad,
  openChunk,
  openDetails,
  openSealed,
  paddedSize,
  placeOfChunk,
  readKey,
  seal,
  sealChunk,
} from './format.mjs';
import { readFolder } from './folder.mjs';
import { cardAad, deliveryAad, deliveryInfo, deriveOwner, deriveSender, openCard, openDelivery } from './requests.mjs';
import { keyOfSecret, LISTS, readWords, writeWords } from './words.mjs';

const base64 = (bytes) => Buffer.from(bytes).toString('base64');
const bytes = (text) => Buffer.from(text, 'base64');
let checked = 0;
let differences = 0;

/** Compares all values within two objects. A value that only one of them has is a difference. */
function compare(path, expected, actual) {
  if (typeof expected === 'object' && typeof actual === 'object' && expected && actual) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(actual)])) {
      compare(`${path}.${name}`, expected[name], actual[name]);
    }
    return;
  }
  checked++;
  if (expected === actual) return;
  differences++;
  console.error(`${path} differs:\n  vector   ${JSON.stringify(expected)}\n  computed ${JSON.stringify(actual)}`);
}

/** Opens a sealed text, and seals what comes out again. */
function rebuildSealed(key, { value }, aad) {
  const sealed = bytes(value);
  const iv = sealed.subarray(0, 12);
  const text = openSealed(key, sealed, aad)?.toString('utf8');
  return { iv: base64(iv), aad, text, value: base64(seal(key, Buffer.from(text ?? ''), aad, iv)) };
}

/** Opens a chunk, and seals what comes out again. */
function rebuildChunk(chunkKey, file, index, given, nameOfContent) {
  const sealed = bytes(given.sealed);
  const iv = sealed.subarray(0, 12);
  const content = openChunk(chunkKey, file, index, sealed);
  const again = sealChunk(chunkKey, file, index, content, iv);
  const aad = chunkAad(file, index);
  return { index, iv: base64(iv), aad, [nameOfContent]: base64(content), sealed: base64(again) };
}

/** The sizes follow from the chunks: the size with padding from `sealed`, the one without from the content. */
const sumOf = (chunks, length) => chunks.reduce((sum, chunk) => sum + length(chunk), 0);

function rebuildFile1(key, given) {
  const { fileName, chunkSize, chunks } = given;
  const fileSize = sumOf(chunks, ({ sealed }) => bytes(sealed).length - 28);
  const salt = base64(bytes(given.salt));
  const file = { format: 1, fileName, fileSize, chunkSize, salt, size: fileSize };
  const { text, ...keyCheck } = rebuildSealed(key, given.keyCheck, keyCheckAad(salt));
  compare('format-1: text of keyCheck', '', text);
  const rebuilt = chunks.map((chunk, index) => rebuildChunk(key, file, index, chunk, 'plain'));
  return { fileName, fileSize, chunkSize, count: countChunks(file), salt, keyCheck, chunks: rebuilt };
}

function rebuildFile2(key, page, pageSalt, given, position) {
  const { chunkSize, chunks } = given;
  const fileSize = sumOf(chunks, ({ sealed }) => bytes(sealed).length - 28);
  const salt = base64(bytes(given.salt));
  const details = rebuildSealed(page.detailsKey, given.details, detailsAad(salt));
  const { name, size } = openDetails(page.detailsKey, salt, details.value) ?? {};
  const isHidden = size !== fileSize;
  const file = { format: 2, fileSize, chunkSize, pageSalt, salt, size };
  const chunkKey = deriveChunkKey(key, file);
  const rebuilt = chunks.map((chunk, index) => rebuildChunk(chunkKey, file, index, chunk, 'content'));
  const contentSize = sumOf(rebuilt, ({ content }) => bytes(content).length);
  compare(`format-2.files.${position}: size in the details`, contentSize, size);
  return {
    fileName: isHidden ? `file-${position + 1}` : name,
    fileSize: isHidden ? paddedSize(size) : size,
    chunkSize,
    count: countChunks(file),
    salt,
    fileKey: base64(chunkKey),
    details,
    chunks: rebuilt,
  };
}

function rebuildFormat1({ key: keyText, files }) {
  const key = readKey(keyText);
  return { format: 'furoshiki/1', key: base64(key), files: files.map((file) => rebuildFile1(key, file)) };
}

function rebuildFormat2(given) {
  const key = readKey(given.key);
  const pageSalt = base64(bytes(given.pageSalt));
  const { keyCheck, accessToken, accessCheck, detailsKey } = derivePage(key, pageSalt);
  const files = given.files.map((file, position) => rebuildFile2(key, { detailsKey }, pageSalt, file, position));
  const list = rebuildSealed(detailsKey, given.list, listAad(pageSalt));
  const values = { keyCheck, accessToken, accessCheck, detailsKey: base64(detailsKey) };
  return { format: 'furoshiki/2', key: base64(key), pageSalt, ...values, files, list };
}

/** The vectors as a server would send them must pass what a reader checks. */
function comparePages(format1, format2) {
  const files1 = format1.files.map((file) => ({ ...file, isEncrypted: true, keyCheck: file.keyCheck.value }));
  const page1 = checkPage(readKey(format1.key), { files: files1 });
  const names1 = format1.files.map(({ fileName }) => fileName);
  compare(
    'format-1 as a page',
    names1,
    page1.files.map(({ name }) => name),
  );

  const { key, pageSalt, keyCheck, accessToken, list } = format2;
  const facts = { isEncrypted: true, format: 2, pageSalt, keyCheck };
  const files2 = format2.files.map((file) => ({ ...file, ...facts, details: file.details.value }));
  const page2 = checkPage(readKey(key), { files: files2, list: list.value });
  const names2 = format2.files.map(({ details }) => JSON.parse(details.text).name);
  compare(
    'format-2 as a page',
    names2,
    page2.files.map(({ name }) => name),
  );
  compare('format-2 as a page: accessToken', accessToken, page2.accessToken);
  compare('format-2 as a page: list', JSON.parse(list.text), page2.list);
  compare('format-2 as a page: count', JSON.parse(list.text).files.length, page2.fileCount);
}

function compareFolder({ folder, entries, archive }) {
  const found = readFolder(bytes(archive), folder).map((entry) => ({ ...entry, content: base64(entry.content) }));
  compare(
    'folder',
    entries.map((entry) => ({ content: '', ...entry })),
    found,
  );
}

/** Reads each key from its words, and writes the words again. */
function rebuildWords({ keys }) {
  const rebuilt = keys.map(({ secret: given, words: texts }) => {
    const secrets = Object.values(texts).map((text) => base64(readWords(text)));
    compare('words: the secrets of all lists', [...secrets].fill(given), secrets);
    const secret = bytes(secrets[0]);
    const words = Object.fromEntries(
      Object.keys(texts).map((code) => [code, writeWords(secret, LISTS[code]).join(code === 'ja' ? '\u3000' : ' ')]),
    );
    return { secret: base64(secret), key: base64(keyOfSecret(secret)), words };
  });
  return { info: 'furoshiki/words', keys: rebuilt };
}

function rebuildDelivery(seed, requestSalt, { sealedBy, pageSalt, value }) {
  const text = openDelivery(seed, requestSalt, pageSalt, value);
  return { sealedBy, pageSalt, info: deliveryInfo(requestSalt), aad: deliveryAad(pageSalt), text, value };
}

function rebuildRequest({ inboxKey, requestSalt, card, deliveries }) {
  const { seed, publicKey, linkSecret, ...owner } = deriveOwner(readKey(inboxKey), requestSalt);
  const { cardKey, ...sender } = deriveSender(linkSecret, requestSalt);
  compare(
    'requests: key on the card',
    base64(publicKey),
    base64(openCard(linkSecret, requestSalt, card.value).publicKey),
  );
  const bytesOfOwner = { seed: base64(seed), publicKey: base64(publicKey), linkSecret: base64(linkSecret) };
  return {
    inboxKey,
    requestSalt,
    ...bytesOfOwner,
    ...owner,
    ...sender,
    cardKey: base64(cardKey),
    card: rebuildSealed(cardKey, card, cardAad(requestSalt)),
    deliveries: deliveries.map((delivery) => rebuildDelivery(seed, requestSalt, delivery)),
  };
}

/** The examples in the text of docs/FORMAT.md. */
function compareExamples() {
  const sizes = { 1: 1024, 1024: 1024, 1025: 1088, 1088: 1088, 1089: 1152, 1048577: 1081344, 10737418241: 10871635968 };
  for (const [size, padded] of Object.entries(sizes)) compare(`padded ${size}`, padded, paddedSize(Number(size)));
  const file = { fileSize: 40, chunkSize: 16 };
  compare('count of 40 / 16', 3, countChunks(file));
  const starts = [0, 1, 2].map((index) => placeOfChunk(file, index));
  const ranges = starts.map(({ sealedStart, sealedLength }) => [sealedStart, sealedStart + sealedLength - 1]);
  compare(
    'places of 40 / 16',
    [
      [0, 43],
      [44, 87],
      [88, 123],
    ],
    ranges,
  );
}

const read = (name) =>
  JSON.parse(readFileSync(new URL(`../../packages/format/vectors/${name}`, import.meta.url), 'utf8'));
const requests = read('requests.json');
const [format1, format2, counted] = [read('format-1.json'), read('format-2.json'), read('format-2-count.json')];
try {
  compare('format-1', format1, rebuildFormat1(format1));
  compare('format-2', format2, rebuildFormat2(format2));
  compare('format-2-count', counted, rebuildFormat2(counted));
  comparePages(format1, format2);
  comparePages(format1, counted);
  compareExamples();
  compareFolder(read('folder.json'));
  compare('words', read('words.json'), rebuildWords(read('words.json')));
  compare('requests', requests, rebuildRequest(requests));
} catch (error) {
  differences++;
  console.error(error);
}
console.log(`${checked} values checked, ${differences} differences`);
process.exitCode = differences === 0 ? 0 : 1;

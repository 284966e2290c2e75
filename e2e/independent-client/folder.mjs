// The archive of a folder, read from docs/FORMAT.md alone.
import { check } from './format.mjs';

const BLOCK = 512;
const need = (condition, what) => check(condition, 'BAD_FOLDER', `not the archive of a folder: ${what}`);
const decode = (bytes) => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
const textAt = (block, at, length) => decode(block.subarray(at, at + length)).split('\0')[0];
const octalAt = (block, at, length) => {
  const text = textAt(block, at, length).trim();
  need(/^[0-7]{1,11}$/.test(text), 'a number');
  return Number.parseInt(text, 8);
};

function readRecords(bytes) {
  const records = new Map();
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = at + Number(decode(bytes.subarray(at, space)));
    need(space > at && end > space && end <= bytes.length && bytes[end - 1] === 0x0a, 'a record');
    const text = decode(bytes.subarray(space + 1, end - 1));
    records.set(text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1));
    at = end;
  }
  return records;
}

const KINDS = { 0: 'file', 2: 'link', 5: 'folder' };

function checkEntry({ kind, path, target, size }, seen, folders) {
  const parts = path.split('/');
  need(path.length <= 1024 && !path.includes('\0'), 'a path');
  need(!parts.some((part) => ['', '.', '..'].includes(part)), 'a path that leads elsewhere');
  const parent = parts.slice(0, -1).join('/');
  need(seen.size === 0 ? kind === 'folder' && parent === '' : folders.has(parent), 'an entry outside of its folder');
  need(!seen.has(path), 'a path that comes twice');
  need(kind === 'file' || size === 0, 'content of something else than a file');
  need(kind !== 'link' || (target.length > 0 && target.length <= 1024), 'a link');
}

/** Returns the entries, each with its `content`. Throws if it is not an archive with these facts. */
export function readFolder(archive, facts) {
  const entries = [];
  const [seen, folders] = [new Set(), new Set()];
  let records = new Map();
  let at = 0;
  for (; ; at += BLOCK) {
    need(at + 2 * BLOCK <= archive.length, 'no end');
    const block = archive.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) break;
    const sum = block.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
    need(textAt(block, 257, 6) === 'ustar' && octalAt(block, 148, 8) === sum, 'a header');
    const type = textAt(block, 156, 1);
    const size = type === 'x' ? octalAt(block, 124, 12) : Number(records.get('size') ?? octalAt(block, 124, 12));
    const content = archive.subarray(at + BLOCK, at + BLOCK + size);
    need(content.length === size, 'the end of a file');
    at += Math.ceil(size / BLOCK) * BLOCK;
    if (type === 'x') {
      need(records.size === 0 && size <= 16384, 'a record');
      records = readRecords(content);
      continue;
    }
    const kind = KINDS[type];
    need(kind, `type ${type}`);
    const prefix = textAt(block, 345, 155);
    const name = records.get('path') ?? (prefix ? `${prefix}/` : '') + textAt(block, 0, 100);
    const entry = {
      kind,
      path: kind === 'folder' ? name.replace(/\/$/, '') : name,
      mode: octalAt(block, 100, 8) % 0o1000,
      modifiedAt: Math.floor(Number(records.get('mtime') ?? octalAt(block, 136, 12))),
      target: kind === 'link' ? (records.get('linkpath') ?? textAt(block, 157, 100)) : '',
      size,
    };
    checkEntry(entry, seen, folders);
    seen.add(entry.path);
    if (kind === 'folder') folders.add(entry.path);
    entries.push({ ...entry, content });
    records = new Map();
  }
  need(
    archive.subarray(at).every((byte) => byte === 0),
    'something after the end',
  );
  const count = (kind) => entries.filter((entry) => entry.kind === kind).length;
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  const found = { files: count('file'), folders: count('folder'), links: count('link'), bytes };
  for (const [name, number] of Object.entries(found)) need(facts[name] === number, `another number of ${name}`);
  return entries;
}

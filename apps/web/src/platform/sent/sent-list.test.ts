import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Settings, SettingsStore } from '../../services.ts';
import { SENT_KEY, type TextStorage } from '../device/settings.ts';
import { createSentList } from './sent-list.ts';

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 0, 1);
const idOf = (number: number) => String(number).padStart(22, 'p');
const sentNow = (number: number, fileNames = ['a.txt']) =>
  ({ pageId: idOf(number), fileNames, retentionDays: 1 }) as const;
const storedPage = (number: number, changes: object = {}) => ({
  pageId: idOf(number),
  fileName: 'a.txt',
  fileCount: 1,
  expiresAtMs: NOW_MS + DAY_MS,
  ...changes,
});

let texts: Map<string, string>;
let storageEvents: EventTarget;
let keepsSentList: boolean;
const storage: TextStorage = {
  getItem: (name) => texts.get(name) ?? null,
  setItem: (name, text) => void texts.set(name, text),
  removeItem: (name) => void texts.delete(name),
};
const settings = {
  get: () => ({ keepsSentList }) as Settings,
  subscribe: (_listener: () => void) => () => undefined,
} as SettingsStore;

beforeEach(() => {
  texts = new Map();
  storageEvents = new EventTarget();
  keepsSentList = true;
  vi.stubGlobal('addEventListener', storageEvents.addEventListener.bind(storageEvents));
  vi.useFakeTimers({ now: NOW_MS });
});

afterEach(() => vi.useRealTimers());

const openList = (given = storage) => createSentList(given, settings);
const idsOf = (list = openList()) => list.list().map(({ pageId }) => pageId);

describe('a sent page', () => {
  it('is stored with its first name, the number of its files and its expiry, and nothing else', () => {
    const withKey = { ...sentNow(1, ['a.txt', 'b.txt', 'c.txt']), keyText: 'secret' };
    openList().add(withKey);
    expect(JSON.parse(texts.get(SENT_KEY) ?? '')).toEqual([storedPage(1, { fileCount: 3 })]);
  });

  it('comes first, and only once', () => {
    const list = openList();
    for (const number of [1, 2, 3, 1]) list.add(sentNow(number));
    expect(idsOf()).toEqual([1, 3, 2].map(idOf));
  });

  it('replaces the oldest of a hundred', () => {
    const list = openList();
    for (let number = 0; number <= 100; number += 1) list.add(sentNow(number));
    expect(idsOf()).toHaveLength(100);
    expect(idsOf()).not.toContain(idOf(0));
  });

  it('is not added if the list is turned off', () => {
    keepsSentList = false;
    openList().add(sentNow(1));
    expect(texts.size).toBe(0);
  });

  it('can be removed, and the last one leaves nothing behind', () => {
    const list = openList();
    list.add(sentNow(1));
    list.add(sentNow(2));
    list.remove(idOf(1));
    expect(idsOf()).toEqual([idOf(2)]);
    list.remove(idOf(2));
    expect(texts.size).toBe(0);
  });
});

it.each([
  ['expires now', 0, false],
  ['expires soon', 1, true],
  ['expires after the longest retention', 3 * DAY_MS, true],
  ['was stored by a clock that was far ahead', 5 * DAY_MS, false],
])('a page that %s: kept %s', (_, remainingMs, isKept) => {
  texts.set(SENT_KEY, JSON.stringify([storedPage(1, { expiresAtMs: NOW_MS + remainingMs })]));
  const list = openList();
  list.removeExpired(NOW_MS);
  expect(idsOf(list)).toEqual(isKept ? [idOf(1)] : []);
});

describe('what is stored', () => {
  it.each([
    ['no JSON', '[{'],
    ['no list', '{"pageId":"x"}'],
    ['null', 'null'],
    ['a list of other things', '[null,1,"x",[],{}]'],
    ['an id that leads elsewhere', JSON.stringify([storedPage(1, { pageId: '../../contact' })])],
    ['a name that is no text', JSON.stringify([storedPage(1, { fileName: { toString: 'x' } })])],
    ['a page without files', JSON.stringify([storedPage(1, { fileCount: 0 })])],
    ['a page without expiry', JSON.stringify([storedPage(1, { expiresAtMs: null })])],
  ])('is ignored if it is %s', (_, text) => {
    texts.set(SENT_KEY, text);
    const list = openList();
    expect(list.list()).toEqual([]);
    list.add(sentNow(2));
    expect(idsOf()).toEqual([idOf(2)]);
  });

  it('keeps the fields that another version has added', () => {
    texts.set(SENT_KEY, JSON.stringify([storedPage(1, { color: 'red' }), { version: 2 }]));
    openList().add(sentNow(2));
    expect(JSON.parse(texts.get(SENT_KEY) ?? '')).toEqual([storedPage(2), storedPage(1, { color: 'red' })]);
  });

  it('stays as it was if the storage is full', () => {
    const full = {
      ...storage,
      setItem() {
        throw new DOMException('full', 'QuotaExceededError');
      },
    };
    const list = openList(full);
    list.add(sentNow(1));
    expect(list.list()).toEqual([]);
  });
});

describe('two tabs', () => {
  it('keep what the other one has added', () => {
    const [first, second] = [openList(), openList()];
    first.add(sentNow(1));
    second.add(sentNow(2));
    first.remove(idOf(1));
    expect([idsOf(first), idsOf(second)]).toEqual([[idOf(2)], [idOf(2)]]);
  });

  it.each([
    ['the list', SENT_KEY, 1],
    ['everything', null, 1],
    ['something else', 'furoshiki.theme', 0],
  ])('learn that the other one has changed %s', (_, key, calls) => {
    const list = openList();
    const listener = vi.fn<() => void>();
    const unsubscribe = list.subscribe(listener);
    storageEvents.dispatchEvent(Object.assign(new Event('storage'), { key }));
    expect(listener).toHaveBeenCalledTimes(calls);
    unsubscribe();
    list.add(sentNow(1));
    expect(listener).toHaveBeenCalledTimes(calls);
  });

  it('return the same array until the list changes', () => {
    const list = openList();
    list.add(sentNow(1));
    const before = list.list();
    expect(list.list()).toBe(before);
    openList().add(sentNow(2));
    expect(list.list()).not.toBe(before);
  });
});

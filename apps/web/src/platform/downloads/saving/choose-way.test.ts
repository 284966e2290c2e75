import { describe, expect, it } from 'vitest';
import { chooseWay, createFileSaver, isInAppBrowser, type SavingAbilities, type Way } from './choose-way.ts';

const GB = 1024 ** 3;
const all: SavingAbilities = { freeStagingBytes: 10 * GB, hasPicker: true, hasStreams: true, isInApp: false };

describe('the way to save a file', () => {
  it.each<[string, Partial<SavingAbilities>, boolean, Way | undefined]>([
    ['with room in the private file system', {}, true, 'staging'],
    ['with too little room there', { freeStagingBytes: GB }, true, 'picker'],
    ['without it', { freeStagingBytes: undefined }, true, 'picker'],
    ['if the user must not be asked', { freeStagingBytes: undefined }, false, 'stream'],
    ['without a dialog', { freeStagingBytes: undefined, hasPicker: false }, true, 'stream'],
    ['with nothing', { freeStagingBytes: undefined, hasPicker: false, hasStreams: false }, true, 'memory'],
    ['inside an app', { isInApp: true }, true, undefined],
  ])('%s', (_, abilities, mayAsk, way) => {
    expect(chooseWay({ ...all, ...abilities }, GB, mayAsk)).toBe(way);
  });
});

describe('a file that waits in the queue', () => {
  const destination = { open: async () => sink };
  const sink = {
    startsAt: 0,
    write: async () => {},
    finish: async () => {},
    suspend: async () => {},
    discard: async () => {},
  };
  const isSmall = ({ fileSize }: { fileSize: number }) => fileSize < 10;
  const file = (id: string) => ({ id, fileName: id, fileSize: 6 * GB, chunkSize: GB, resumable: undefined });

  it('is saved another way, without asking, if the files before it have used the space', async () => {
    const now = { ...all };
    const went: string[] = [];
    const open = (way: Way) => async (opened: { id: string }) => {
      went.push(`${opened.id} ${way}`);
      return sink;
    };
    const { signal } = new AbortController();
    const saver = createFileSaver(async () => now, isSmall, {
      staging: open('staging'),
      stream: open('stream'),
      memory: open('memory'),
      picker: async () => destination,
    });
    const [first, second] = [await saver.choose(file('first'), true), await saver.choose(file('second'), true)];
    await first.open(signal);
    now.freeStagingBytes = 4 * GB;
    await second.open(signal);
    expect(went).toEqual(['first staging', 'second stream']);
    expect(await saver.choose(file('third'), true)).toBe(destination);
    const small = await saver.choose({ ...file('small'), fileSize: 5 }, true);
    await small.open(signal);
    expect(went.at(-1)).toBe('small memory');
  });
});

describe('the browser inside another app', () => {
  it.each([
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBAV/480.0]',
    'Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 Version/4.0 Chrome/156.0 Mobile Safari/537.36 Instagram 350.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari Line/14.0.0',
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/156.0 Mobile Safari/537.36 MicroMessenger/8.0.50',
  ])('is recognised: %s', (userAgent) => expect(isInAppBrowser(userAgent)).toBe(true));

  it.each([
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
    'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/156.0 Mobile Safari/537.36 OnlineBanking',
  ])('is not confused with %s', (userAgent) => expect(isInAppBrowser(userAgent)).toBe(false));
});

import { describe, expect, it } from 'vitest';
import { chooseWay, isInAppBrowser, type SavingAbilities, type Way } from './choose-way.ts';

const GB = 1024 ** 3;
const all: SavingAbilities = { stagingRoom: 10 * GB, hasPicker: true, hasStreams: true, isInApp: false };

describe('the way to disk', () => {
  it.each<[string, Partial<SavingAbilities>, boolean, Way | undefined]>([
    ['with room in the private file system', {}, true, 'staging'],
    ['with too little room there', { stagingRoom: GB }, true, 'picker'],
    ['without it', { stagingRoom: undefined }, true, 'picker'],
    ['where nobody may be asked', { stagingRoom: undefined }, false, 'stream'],
    ['without a dialog', { stagingRoom: undefined, hasPicker: false }, true, 'stream'],
    ['with nothing', { stagingRoom: undefined, hasPicker: false, hasStreams: false }, true, 'memory'],
    ['inside an app', { isInApp: true }, true, undefined],
  ])('%s', (_, abilities, mayAsk, way) => {
    expect(chooseWay({ ...all, ...abilities }, GB, mayAsk)).toBe(way);
  });
});

describe('the browser inside an app', () => {
  it.each([
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 [FBAN/FBIOS;FBAV/480.0]',
    'Mozilla/5.0 (Linux; Android 15; Pixel 9; wv) AppleWebKit/537.36 Version/4.0 Chrome/156.0 Mobile Safari/537.36 Instagram 350.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari Line/14.0.0',
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/156.0 Mobile Safari/537.36 MicroMessenger/8.0.50',
  ])('is known: %s', (userAgent) => expect(isInAppBrowser(userAgent)).toBe(true));

  it.each([
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36',
    'Mozilla/5.0 (X11; Linux x86_64; rv:153.0) Gecko/20100101 Firefox/153.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile/15E148 Safari/604.1',
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/156.0 Mobile Safari/537.36 OnlineBanking',
  ])('is not taken for one: %s', (userAgent) => expect(isInAppBrowser(userAgent)).toBe(false));
});

import { MAX_NAMES_LENGTH_PER_PAGE, MAX_TOTAL_BYTES } from '@furoshiki/api';
import { describe, expect, it } from 'vitest';
import { compareNames, nameToSend, problemOfAll, problemOfFile, SYSTEM_FILES } from './files-to-send.ts';

describe('files to send', () => {
  it('are ordered as people count', () => {
    expect(['10.jpg', '2.jpg', '1.jpg'].toSorted(compareNames)).toEqual(['1.jpg', '2.jpg', '10.jpg']);
  });

  it('have well-formed names without control characters', () => {
    expect(nameToSend('a\nb\ud800.txt')).toBe('a_b\ufffd.txt');
  });

  it.each([
    ['photos/.DS_Store', true],
    ['photos/in/thumbs.db', true],
    ['.DS_Store', false],
    ['photos/my.DS_Store', false],
  ])('%s is a system file: %s', (path, isSystem) => expect(SYSTEM_FILES.test(path)).toBe(isSystem));

  it.each([
    ['a', 1, 0, undefined],
    ['a', 0, 0, 'empty'],
    ['a', MAX_TOTAL_BYTES + 1, 0, 'fileTooLarge'],
    ['a'.repeat(1025), 1, 0, 'nameTooLong'],
    ['ab', 1, MAX_NAMES_LENGTH_PER_PAGE - 2, undefined],
    ['ab', 1, MAX_NAMES_LENGTH_PER_PAGE - 1, 'nameTooLong'],
  ])('%.5s of %i bytes, after names of %i characters: %s', (name, size, namesLength, problem) => {
    expect(problemOfFile(name, size, namesLength)).toBe(problem);
  });

  it.each([
    [[], false, 'nothing'],
    [[MAX_TOTAL_BYTES], false, undefined],
    [[MAX_TOTAL_BYTES, 1], false, 'too-large'],
    [[MAX_TOTAL_BYTES - 1, 1], true, 'too-large'],
    [Array.from({ length: 1000 }, () => 1), false, undefined],
    [Array.from({ length: 1001 }, () => 1), false, 'too-many'],
  ])('%# together, with hidden names %s: %s', (sizes, hidesNames, problem) => {
    expect(problemOfAll(sizes, hidesNames)).toBe(problem);
  });
});

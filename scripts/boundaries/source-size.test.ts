// Limits the size of source files and folders, so that a reader can find and read each of them quickly.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../paths.mjs';
import { listSourceFiles } from './source-files.mjs';

const MAX_LINES = 250;
const MAX_FILES_PER_FOLDER = 14;

const isTest = (file: string) => /\.(test|spec|contract)\.tsx?$/.test(file);
const sources = listSourceFiles(ROOT).filter((file) => !isTest(file));

test(`no source file has more than ${MAX_LINES} lines`, () => {
  const lineCount = (file: string) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1;
  expect(sources.filter((file) => lineCount(file) > MAX_LINES)).toEqual([]);
});

test(`no source folder has more than ${MAX_FILES_PER_FOLDER} files`, () => {
  const folders = Map.groupBy(
    sources.filter((file) => /^(apps|packages)\/[^/]+\/src\//.test(file)),
    (file) => dirname(file),
  );
  expect(folders.size).toBeGreaterThan(0);
  expect([...folders].filter(([, files]) => files.length > MAX_FILES_PER_FOLDER).map(([folder]) => folder)).toEqual([]);
});

// A Vite plugin: compiles each Markdown file in content/ to a module that exports its text as data.
import { DOWNLOAD_LIMIT, RETENTION_DAYS, STATED_TOTAL_GB } from '@furoshiki/api';
import { MAX_FILES_PER_PAGE } from '@furoshiki/format';
import type { Plugin } from 'vite';
import { compileMarkdown } from './markdown.ts';

/** The limits of the product, by the names that the texts use. */
const LIMITS = {
  totalGb: STATED_TOTAL_GB,
  maxFiles: MAX_FILES_PER_PAGE,
  maxDays: Math.max(...RETENTION_DAYS),
  minDownloads: DOWNLOAD_LIMIT.min,
  maxDownloads: DOWNLOAD_LIMIT.max,
  defaultDownloads: DOWNLOAD_LIMIT.default,
};

/** Formats the limits in a language: a thousand is 1,000 or 1.000. */
export function limitsIn(language: string): Record<string, string> {
  const number = new Intl.NumberFormat(language);
  return Object.fromEntries(Object.entries(LIMITS).map(([name, limit]) => [name, number.format(limit)]));
}

export function contentPlugin(): Plugin {
  return {
    name: 'furoshiki-content',
    transform(source, id) {
      const language = /\/content\/([\w-]+)\/[\w-]+\.md$/u.exec(id)?.[1];
      if (language === undefined) return undefined;
      return {
        code: `export default ${JSON.stringify(compileMarkdown(source, limitsIn(language)))};`,
        map: null,
        moduleType: 'js',
      };
    },
  };
}

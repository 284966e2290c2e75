// Vite plugin: a Markdown file of content/ is a module that holds its text as data.
import { DOWNLOAD_LIMIT, MAX_FILES_PER_PAGE, RETENTION_DAYS, STATED_TOTAL_GB } from '@furoshiki/core';
import type { Plugin } from 'vite';
import { compileMarkdown } from './markdown.ts';

/** What the texts say of the product's limits, by the name that they use. */
export const VALUES = {
  totalGb: STATED_TOTAL_GB,
  maxFiles: MAX_FILES_PER_PAGE,
  maxDays: Math.max(...RETENTION_DAYS),
  minDownloads: DOWNLOAD_LIMIT.min,
  maxDownloads: DOWNLOAD_LIMIT.max,
  defaultDownloads: DOWNLOAD_LIMIT.default,
};

export function contentPlugin(): Plugin {
  return {
    name: 'furoshiki-content',
    transform(source, id) {
      if (!id.endsWith('.md')) return undefined;
      return {
        code: `export default ${JSON.stringify(compileMarkdown(source, VALUES))};`,
        map: null,
        moduleType: 'js',
      };
    },
  };
}

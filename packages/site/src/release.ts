// A release: the files of one build of the web app, and the addresses at which a server serves them.
import * as z from 'zod/mini';
import { API_PREFIX } from '@furoshiki/api';
import { API_DOCS_PAGE, FALLBACK_PAGE, pageAt } from './pages.ts';
import { LISTED_SCREENS, screenPath } from './site-map.ts';

/** What build.json contains. */
const release = z.object({
  version: z.string(),
  /** Null if the sources had changes that were not committed. */
  commit: z.nullable(z.string()),
  /** Paths in the build, and their SHA-256 in hexadecimal. */
  files: z.record(z.string(), z.string()),
});
export type Release = z.infer<typeof release>;

/** Throws if the text is not a release. */
export function parseRelease(text: string): Release {
  return release.parse(JSON.parse(text));
}

export interface ServedFile {
  /** Below the base path of the server. */
  path: string;
  file: string;
  /** Whether the server fills in its address. */
  isTemplate: boolean;
}

/** The text of the import map that every page contains. */
export const IMPORT_MAP_FILE = 'import-map.json';
export const API_DOCS_PATH = `${API_PREFIX}/docs`;
export const fileOfPage = (name: string): string => `pages/${name}.html`;
export const FALLBACK_FILE = fileOfPage(FALLBACK_PAGE);

/** Every address with a file of its own. All others have the fallback page. */
export function servedFiles({ files }: Release, languages: readonly string[]): ServedFile[] {
  const pagePaths = LISTED_SCREENS.flatMap((screen) => languages.map((language) => screenPath(screen, language)));
  const pages = pagePaths.map((path) => ({ path, file: fileOfPage(pageAt(path, languages)), isTemplate: true }));
  const others = Object.keys(files).filter((file) => !/^pages\/|\.(?:br|gz)$/u.test(file));
  return [
    ...pages,
    { path: API_DOCS_PATH, file: fileOfPage(API_DOCS_PAGE), isTemplate: true },
    ...others.map((file) => ({ path: `/${file}`, file, isTemplate: false })),
  ];
}

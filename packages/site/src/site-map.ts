// The paths of the site. The server derives the status code of a path from this table, and the web app the screen.

/** The pages that contain only text. */
export const CONTENT_PAGES = [
  'how-to-use',
  'faq',
  'security',
  'encryption-info',
  'privacy',
  'terms',
  'legal-notice',
] as const;
export type ContentPage = (typeof CONTENT_PAGES)[number];

export type Screen =
  | { name: 'home' }
  | { name: 'content'; page: ContentPage }
  | { name: 'contact' }
  /** Only on an instance where people sign in to send. Its proxy protects this path. */
  | { name: 'sign-in' }
  | { name: 'download'; pageId: string }
  | { name: 'not-found' };

export interface ParsedPath<Language extends string> {
  /** Undefined if the path has no language. Then the language of the user's browser or settings is used. */
  language: Language | undefined;
  screen: Screen;
}

export function parsePath<Language extends string>(path: string, languages: readonly Language[]): ParsedPath<Language> {
  const segments = path.split('/').filter((segment) => segment !== '');
  const first = segments[0]?.toLowerCase();
  const language = languages.find((known) => known.toLowerCase() === first);
  return { language, screen: screenOf(language === undefined ? segments : segments.slice(1)) };
}

function screenOf([first, second, ...rest]: string[]): Screen {
  if (first === undefined) return { name: 'home' };
  // A download link without an id: the screen reports that there are no files.
  if (first === 'download' && rest.length === 0) return { name: 'download', pageId: second ?? '' };
  if (second !== undefined) return { name: 'not-found' };
  if (first === 'contact' || first === 'sign-in') return { name: first };
  const page = CONTENT_PAGES.find((known) => known === first);
  return page === undefined ? { name: 'not-found' } : { name: 'content', page };
}

/** Returns the path of a screen. Without `language` the path works for users of every language. */
export function screenPath(screen: Screen, language?: string): string {
  const rest = segmentsOf(screen);
  return `/${(language === undefined ? rest : [language, ...rest]).join('/')}`;
}

function segmentsOf(screen: Screen): string[] {
  switch (screen.name) {
    case 'home':
      return [];
    case 'content':
      return [screen.page];
    case 'download':
      return screen.pageId === '' ? ['download'] : ['download', screen.pageId];
    case 'contact':
    case 'sign-in':
    case 'not-found':
      return [screen.name];
  }
}

/** Returns the same path in another language. */
export function pathInLanguage(path: string, language: string, languages: readonly string[]): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const rest = parsePath(path, languages).language === undefined ? segments : segments.slice(1);
  return `/${[language, ...rest].join('/')}`;
}

/** Returns the path that works for users of every language. */
export function pathWithoutLanguage(path: string, languages: readonly string[]): string {
  return screenPath(parsePath(path, languages).screen);
}

export function homePath(language: string): string {
  return screenPath({ name: 'home' }, language);
}

export function downloadPath(language: string, pageId: string): string {
  return screenPath({ name: 'download', pageId }, language);
}

/** The screens that search engines may list. */
export const LISTED_SCREENS: readonly Screen[] = [
  { name: 'home' },
  ...CONTENT_PAGES.map((page) => ({ name: 'content', page }) as const),
  { name: 'contact' },
];

/** Returns the name of a screen's prerendered page, such as `faq` or `download`: no language and no page id. */
export function screenKey(screen: Screen): string {
  return screen.name === 'content' ? screen.page : screen.name;
}

export function isListed(screen: Screen): boolean {
  return LISTED_SCREENS.some(({ name }) => name === screen.name);
}

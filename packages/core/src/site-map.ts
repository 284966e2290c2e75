// Which addresses the site has. The server needs it for the status code, the web app for the screen.

/** The pages that are text alone. */
export const CONTENT_PAGES = ['how-to-use', 'faq', 'security', 'encryption-info', 'privacy', 'terms'] as const;
export type ContentPage = (typeof CONTENT_PAGES)[number];

export type Screen =
  | { name: 'home' }
  | { name: 'content'; page: ContentPage }
  | { name: 'contact' }
  | { name: 'download'; pageId: string }
  | { name: 'not-found' };

export interface Place<Language extends string> {
  /** Undefined where the path carries no language: the reader's own decides. */
  language: Language | undefined;
  screen: Screen;
}

export function placeOf<Language extends string>(path: string, languages: readonly Language[]): Place<Language> {
  const segments = path.split('/').filter((segment) => segment !== '');
  const first = segments[0]?.toLowerCase();
  const language = languages.find((known) => known.toLowerCase() === first);
  return { language, screen: screenOf(language === undefined ? segments : segments.slice(1)) };
}

function screenOf([first, second, ...rest]: string[]): Screen {
  if (first === undefined) return { name: 'home' };
  // A link that lost its id: the screen says that no files were named.
  if (first === 'download' && rest.length === 0) return { name: 'download', pageId: second ?? '' };
  if (second !== undefined) return { name: 'not-found' };
  if (first === 'contact') return { name: 'contact' };
  const page = CONTENT_PAGES.find((known) => known === first);
  return page === undefined ? { name: 'not-found' } : { name: 'content', page };
}

/** A screen's address below its language; with none, the address that leaves the language to the reader. */
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
    case 'not-found':
      return [screen.name];
  }
}

/** The same address in another language: its segment is replaced, or set in front. */
export function pathInLanguage(path: string, language: string, languages: readonly string[]): string {
  const segments = path.split('/').filter((segment) => segment !== '');
  const rest = placeOf(path, languages).language === undefined ? segments : segments.slice(1);
  return `/${[language, ...rest].join('/')}`;
}

/** The same for a place in every language. */
export function placeKey(path: string, languages: readonly string[]): string {
  return screenPath(placeOf(path, languages).screen);
}

export function homePath(language: string): string {
  return screenPath({ name: 'home' }, language);
}

export function downloadPath(language: string, pageId: string): string {
  return screenPath({ name: 'download', pageId }, language);
}

/** What search engines may list. */
export const LISTED_SCREENS: readonly Screen[] = [
  { name: 'home' },
  ...CONTENT_PAGES.map((page) => ({ name: 'content', page }) as const),
  { name: 'contact' },
];

/** What a screen is called where each of them has one file, whatever its language or id. */
export function screenKey(screen: Screen): string {
  return screen.name === 'content' ? screen.page : screen.name;
}

export function isListed(screen: Screen): boolean {
  return LISTED_SCREENS.some(({ name }) => name === screen.name);
}

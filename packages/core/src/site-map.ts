// Which addresses the site has. The server needs it for the status code, the web app for the screen.

export type Screen = { name: 'home' } | { name: 'download'; pageID: string } | { name: 'not-found' };

export interface Place<Language extends string> {
  /** Undefined where the path carries no language: the reader's own decides. */
  language: Language | undefined;
  screen: Screen;
}

export function placeOf<Language extends string>(path: string, languages: readonly Language[]): Place<Language> {
  const segments = path.split('/').filter((segment) => segment !== '');
  const language = languages.find((known) => known === segments[0]);
  return { language, screen: screenOf(language === undefined ? segments : segments.slice(1)) };
}

function screenOf([first, second, ...rest]: string[]): Screen {
  if (first === undefined) return { name: 'home' };
  if (first === 'download' && second !== undefined && rest.length === 0) return { name: 'download', pageID: second };
  return { name: 'not-found' };
}

export function homePath(language: string): string {
  return `/${language}`;
}

export function downloadPath(language: string, pageID: string): string {
  return `/${language}/download/${pageID}`;
}

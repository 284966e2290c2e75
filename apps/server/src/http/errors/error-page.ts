// The error page of people who follow a link or type an address. It loads nothing, so that it also works for a bad host.
import { API_ERROR_STATUS, type ApiErrorCode } from '@furoshiki/api';
import { escapeHtml } from '@furoshiki/site';
import type { Language } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';

/** The policies in site/policy.ts contain its SHA-256. */
export const STYLE = `:root{color-scheme:light dark;font-family:system-ui,sans-serif;line-height:1.6}
body{margin:0;background:light-dark(#f6f2e8,#171513);color:light-dark(#25211b,#efe8dc);overflow-wrap:break-word}
main{max-width:36rem;margin:0 auto;padding:4rem 1.5rem}
h1{margin:0 0 1.5rem;font-size:1.625rem;line-height:1.3;text-wrap:balance}
p{margin:0;color:light-dark(#5e564a,#b6ab9b)}
a{display:inline-block;padding:.6rem 0;color:light-dark(#264b7f,#9dbdec);text-underline-offset:.2em}
:lang(ja){word-break:auto-phrase}
:lang(ko){word-break:keep-all}`;

/** The same URL is a page for people and JSON for programs. */
export const ERROR_VARY = 'accept, accept-language';

/** Browsers name HTML when they navigate. Programs, and the scripts of our pages, accept anything or name JSON. */
export function prefersPage(accept = ''): boolean {
  return weightOf(accept, 'text/html') > weightOf(accept, 'application/json');
}

function weightOf(accept: string, type: string): number {
  for (const range of accept.split(',')) {
    const [name = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase());
    if (name !== type) continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0;
  }
  return 0;
}

export function errorPage(code: ApiErrorCode, language: Language, basePath: string): string {
  const { apiErrors, download } = messages[language];
  const text = escapeHtml(apiErrors[code]);
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${text} – Furoshiki</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p>${API_ERROR_STATUS[code]}</p>
<h1>${text}</h1>
<a href="${escapeHtml(basePath)}/">${escapeHtml(download.back)}</a>
</main>
</body>
</html>
`;
}

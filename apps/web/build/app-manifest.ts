// The web app manifest. Its URLs are relative to manifests/, so that it works below any base path.
import { messages } from '@furoshiki/texts/messages';
import type { Language } from '@furoshiki/texts';

export function appManifest(language: Language) {
  const { head, home } = messages[language];
  return {
    id: '../',
    name: 'Furoshiki',
    short_name: 'Furoshiki',
    description: head.home.description,
    lang: language,
    dir: 'ltr',
    start_url: `../${language}`,
    scope: '../',
    display: 'standalone',
    // The same colours as in ui/styles/tokens.css.
    background_color: '#faf7f1',
    theme_color: '#274a78',
    icons: [
      { src: '../icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' },
      { src: '../icons/192.png', sizes: '192x192', type: 'image/png', purpose: 'any' },
      { src: '../icons/512.png', sizes: '512x512', type: 'image/png', purpose: 'any' },
      { src: '../icons/maskable-512.png', sizes: '512x512', type: 'image/png', purpose: 'maskable' },
    ],
    shortcuts: [{ name: home.title, url: `../${language}` }],
  };
}

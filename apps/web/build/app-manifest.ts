// What a device is told when somebody installs the site. Addresses are relative to manifests/, so any base path will do.
import { messages } from '@furoshiki/locales/messages';
import type { Language } from '@furoshiki/locales';

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
    // As in ui/tokens.css: ink on paper.
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

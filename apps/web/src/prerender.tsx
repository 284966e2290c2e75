// The entry for Node: the build calls it once per page to render a screen to HTML.
import { type ContentPage, type Screen, screenPath } from '@furoshiki/site';
import { FALLBACK_LANGUAGE, type Language } from '@furoshiki/texts';
import { messages } from '@furoshiki/texts/messages';
import { createInstance } from 'i18next';
import { renderToString } from 'react-dom/server';
import { initReactI18next } from 'react-i18next';
import { EmptyFrame } from './app/frame.tsx';
import { headOf, type HeadTag, headTags, previewTags } from './app/head.ts';
import { Root } from './app/root.tsx';
import { loadContent } from './screens/content/content-screen.tsx';
import type { Services } from './services.ts';

export interface PrerenderedPage {
  head: HeadTag[];
  body: string;
}

const notInNode = (): never => {
  throw new Error('a component called a service while it was prerendered: only effects and event handlers may');
};

/** Services that are objects: components may read them during a render. */
const OBJECTS = new Set<string | symbol>(['api', 'settings', 'analytics']);

/** Node does not run effects, and no other code may call a service. */
const NO_SERVICES = new Proxy({} as Services, { get: (_, name) => (OBJECTS.has(name) ? {} : notInNode) });

export async function prerenderPage(screen: Screen, language: Language, siteUrl: string): Promise<PrerenderedPage> {
  const i18n = createInstance();
  await i18n.use(initReactI18next).init({
    lng: language,
    fallbackLng: FALLBACK_LANGUAGE,
    resources: Object.fromEntries([language, FALLBACK_LANGUAGE].map((code) => [code, { translation: messages[code] }])),
    interpolation: { escapeValue: false },
  });
  const page: ContentPage | undefined = screen.name === 'content' ? screen.page : undefined;
  const loaded = page && (await loadContent(language, page));
  const head = headOf({ screen, language, siteUrl }, i18n.t, loaded?.content);
  if (!head) throw new Error(`${screen.name} has no head`);
  const body = renderToString(
    <Root i18n={i18n} services={NO_SERVICES} basePath="" path={screenPath(screen, language)} />,
  );
  return { head: headTags(head), body };
}

/** The page of all addresses without a page of their own. Link previews see its head, also those of download pages. */
export function prerenderFallback(siteUrl: string): PrerenderedPage {
  const texts = messages[FALLBACK_LANGUAGE].head.home;
  return {
    head: previewTags({ ...texts, language: FALLBACK_LANGUAGE, siteUrl }),
    body: renderToString(<EmptyFrame />),
  };
}

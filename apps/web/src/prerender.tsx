// The entry for Node: the build calls it once per page to render a screen to HTML.
import { type ContentPage, type Screen, screenPath } from '@furoshiki/site';
import { FALLBACK_LANGUAGE, type Language } from '@furoshiki/texts';
import { createI18n } from '@furoshiki/texts/i18n';
import { messages } from '@furoshiki/texts/messages';
import { renderToString } from 'react-dom/server';
import { Root } from './app/app.tsx';
import { EmptyFrame } from './app/frame.tsx';
import { headOf, type HeadTag, headTags, previewTags } from './app/head.ts';
import { contentLoader } from './screens/content/content-screen.tsx';
import type { Services } from './services.ts';
import { loadOnce } from './ui/lazy.tsx';

export interface PrerenderedPage {
  head: HeadTag[];
  body: string;
}

/** Only effects and event handlers call services, and Node runs neither. So it has only what a render reads. */
const NODE_SERVICES: Partial<Services> = {
  instanceConfig: loadOnce(() => Promise.reject(new Error('a component loaded the config while it was prerendered'))),
};

/** Pages name no server: addresses begin with a slash, and the app completes them when it starts. */
const SITE_URL = '';

export async function prerenderPage(screen: Screen, language: Language): Promise<PrerenderedPage> {
  const i18n = await createI18n(language, FALLBACK_LANGUAGE, async (code) => messages[code]);
  const page: ContentPage | undefined = screen.name === 'content' ? screen.page : undefined;
  const loaded = page && (await contentLoader(language, page)());
  const head = headOf({ screen, language, siteUrl: SITE_URL }, i18n.get().t, loaded?.content);
  if (!head) throw new Error(`${screen.name} has no head`);
  const body = renderToString(
    <Root i18n={i18n} services={NODE_SERVICES as Services} basePath="" path={screenPath(screen, language)} />,
  );
  return { head: headTags(head), body };
}

/** The page of all addresses without a page of their own. Link previews see its head, also those of download pages. */
export function prerenderFallback(): PrerenderedPage {
  const texts = messages[FALLBACK_LANGUAGE].head.home;
  return {
    head: previewTags({ ...texts, language: FALLBACK_LANGUAGE, siteUrl: SITE_URL }),
    body: renderToString(<EmptyFrame />),
  };
}

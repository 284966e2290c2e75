// The head of each page, for browsers, search engines and link previews. The build writes it into the prerendered page,
// and each navigation writes it into the document.
import { isListed, parsePath, type Screen, screenPath } from '@furoshiki/site';
import { type Language, LANGUAGES, languages } from '@furoshiki/texts';
import type { Translate } from '@furoshiki/texts/translate';
import { useEffect } from 'react';
import { useTranslation } from '../ui/i18n.ts';
import { type Content, type Question, questionsOf } from '../screens/content/content.ts';
import { useServices } from '../services.ts';

export function usePageHead(path: string, language: string, content: Content | undefined): void {
  const { t } = useTranslation();
  const { addressOf, dataScript, ownPages } = useServices();
  useEffect(() => {
    const { screen } = parsePath(path, languages);
    const head = headOf({ screen, language, siteUrl: addressOf('') }, t, content);
    if (!head) return;
    const isSender = screen.name === 'download' && ownPages.has(screen.pageId);
    const title = isSender ? t('share.tabTitle') : head.title;
    applyHead(language, headTags({ ...head, title }), dataScript);
  }, [path, language, content, t, addressOf, dataScript, ownPages]);
}

interface PageAddress {
  screen: Screen;
  language: string;
  siteUrl: string;
}

/**
 * Collects the texts of a screen's head: from its content page if it has one, otherwise from the translations. Returns
 * undefined while the content page is loading.
 */
export function headOf(address: PageAddress, t: Translate, content: Content | undefined): Head | undefined {
  const texts = address.screen.name === 'content' ? content && textsOf(content) : translated(address.screen.name, t);
  if (!texts) return undefined;
  const isFaq = address.screen.name === 'content' && address.screen.page === 'faq';
  return { ...address, ...texts, questions: isFaq && content ? questionsOf(content) : undefined };
}

function textsOf({ title, description, keywords }: Content): HeadTexts {
  return { title: `${title} — Furoshiki`, description, keywords };
}

function translated(name: Exclude<Screen['name'], 'content'>, t: Translate): HeadTexts {
  return {
    title: t(`head.${name}.title`),
    description: t(`head.${name}.description`),
    keywords: t(`head.${name}.keywords`),
  };
}

interface HeadTexts {
  title: string;
  description: string;
  keywords: string;
}

interface Head extends HeadTexts {
  screen: Screen;
  language: string;
  /** Without a slash at the end. */
  siteUrl: string;
  /** Only for the FAQ. */
  questions?: readonly Question[] | undefined;
}

export interface HeadTag {
  name: 'title' | 'meta' | 'link' | 'script';
  attributes: Record<string, string>;
  text?: string;
}

const SITE_NAME = 'Furoshiki';

/**
 * The head of each page, for browsers, search engines and link previews. The build writes it into the prerendered
 * page, and each navigation writes it into the document.
 */
export function headTags(head: Head): HeadTag[] {
  const { screen, language, siteUrl } = head;
  // The address of a download page is private, and that of a page that is not found leads nowhere: no tag contains them.
  if (!isListed(screen)) return [...previewTags(head), meta('name', 'robots', 'noindex, nofollow')];
  const address = siteUrl + screenPath(screen, language);
  return [
    ...previewTags(head),
    link('canonical', address),
    ...languages.map((code) => link('alternate', siteUrl + screenPath(screen, code), code)),
    link('alternate', siteUrl + screenPath(screen), 'x-default'),
    meta('property', 'og:url', address),
    { name: 'script', attributes: { type: 'application/ld+json' }, text: jsonForMarkup(structuredData(head, address)) },
  ];
}

/** What search engines and link previews show of any page. */
export function previewTags(head: Omit<Head, 'screen' | 'questions'>): HeadTag[] {
  const { title, description, keywords, language, siteUrl } = head;
  const image = `${siteUrl}/social/${language}.png`;
  return [
    { name: 'title', attributes: {}, text: title },
    meta('name', 'description', description),
    meta('name', 'keywords', keywords),
    meta('property', 'og:type', 'website'),
    meta('property', 'og:site_name', SITE_NAME),
    meta('property', 'og:title', title),
    meta('property', 'og:description', description),
    meta('property', 'og:locale', LANGUAGES[language as Language].openGraphLocale),
    meta('property', 'og:image', image),
    meta('property', 'og:image:width', '1200'),
    meta('property', 'og:image:height', '630'),
    meta('property', 'og:image:alt', title),
    meta('name', 'twitter:card', 'summary_large_image'),
    meta('name', 'twitter:title', title),
    meta('name', 'twitter:description', description),
    meta('name', 'twitter:image', image),
  ];
}

function meta(kind: 'name' | 'property', name: string, content: string): HeadTag {
  return { name: 'meta', attributes: { [kind]: name, content } };
}

function link(rel: string, href: string, hreflang?: string): HeadTag {
  return { name: 'link', attributes: { rel, ...(hreflang === undefined ? {} : { hreflang }), href } };
}

/** Escapes `<`, so that no text can end the script element. */
function jsonForMarkup(data: unknown): string {
  return JSON.stringify(data).replaceAll('<', String.raw`\u003c`);
}

function structuredData(head: Head, address: string): object {
  const { title, description, screen, language, siteUrl, questions } = head;
  const site = { '@type': 'WebSite', '@id': `${siteUrl}/#site`, name: SITE_NAME, url: `${siteUrl}/` };
  const about = { '@context': 'https://schema.org', name: title, description, url: address, inLanguage: language };
  if (screen.name === 'home')
    return {
      ...about,
      '@type': 'WebApplication',
      name: SITE_NAME,
      applicationCategory: 'UtilitiesApplication',
      operatingSystem: 'Any',
      browserRequirements: 'Requires JavaScript and Web Crypto',
      isAccessibleForFree: true,
      offers: { '@type': 'Offer', price: '0', priceCurrency: 'JPY' },
      isPartOf: site,
    };
  if (questions)
    return {
      ...about,
      '@type': 'FAQPage',
      isPartOf: site,
      mainEntity: questions.map(({ question, answer }) => ({
        '@type': 'Question',
        name: question,
        acceptedAnswer: { '@type': 'Answer', text: answer },
      })),
    };
  return { ...about, '@type': screen.name === 'contact' ? 'ContactPage' : 'WebPage', isPartOf: site };
}

/** Set on tags that belong to one page and not to the whole site. build/page-template.ts sets it too. */
const PAGE_ATTRIBUTE = 'data-page';

/** Trusted Types refuses any text in a script element, even data, unless `dataScript` has approved it. */
type DataScript = (json: string) => string;

/** Replaces the page's tags in the document's head. */
function applyHead(language: string, tags: readonly HeadTag[], dataScript: DataScript): void {
  document.documentElement.lang = language;
  for (const old of document.head.querySelectorAll(`[${PAGE_ATTRIBUTE}]`)) old.remove();
  document.head.append(...tags.map((tag) => elementOf(tag, dataScript)));
}

function elementOf({ name, attributes, text }: HeadTag, dataScript: DataScript): Element {
  const element = document.createElement(name);
  element.setAttribute(PAGE_ATTRIBUTE, '');
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = name === 'script' ? dataScript(text) : text;
  return element;
}

// Collects the texts of a screen's head: from its content page if it has one, otherwise from the translations.
import type { Screen } from '@furoshiki/site';
import type { TFunction } from 'i18next';
import { type Content, questionsOf } from '../../screens/content/content.ts';
import type { Head, HeadTexts } from './head-tags.ts';

interface PageAddress {
  screen: Screen;
  language: string;
  siteUrl: string;
}

/** Returns undefined while the content page is loading. */
export function headOf(address: PageAddress, t: TFunction, content: Content | undefined): Head | undefined {
  const texts = address.screen.name === 'content' ? content && textsOf(content) : translated(address.screen.name, t);
  if (!texts) return undefined;
  const isFaq = address.screen.name === 'content' && address.screen.page === 'faq';
  return { ...address, ...texts, questions: isFaq && content ? questionsOf(content) : undefined };
}

function textsOf({ title, description, keywords }: Content): HeadTexts {
  return { title: `${title} — Furoshiki`, description, keywords };
}

function translated(name: Exclude<Screen['name'], 'content'>, t: TFunction): HeadTexts {
  return {
    title: t(`head.${name}.title`),
    description: t(`head.${name}.description`),
    keywords: t(`head.${name}.keywords`),
  };
}

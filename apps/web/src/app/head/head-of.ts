// The head of a screen, from the translations and, where it is a page of text, from that text.
import type { Screen } from '@furoshiki/core';
import type { TFunction } from 'i18next';
import { type Content, questionsOf } from '../../screens/content/content.ts';
import type { Head, HeadTexts } from './head-tags.ts';

interface Where {
  screen: Screen;
  language: string;
  siteUrl: string;
}

/** Undefined while the text of a page is still on its way. */
export function headOf(where: Where, t: TFunction, content: Content | undefined): Head | undefined {
  const texts = where.screen.name === 'content' ? content && textsOf(content) : translated(where.screen.name, t);
  if (!texts) return undefined;
  const isFaq = where.screen.name === 'content' && where.screen.page === 'faq';
  return { ...where, ...texts, questions: isFaq && content ? questionsOf(content) : undefined };
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

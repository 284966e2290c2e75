// Updates the document's head after each navigation.
import { parsePath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import { useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import type { Content } from '../../screens/content/content.ts';
import { useServices } from '../../services.ts';
import { applyHead } from './apply-head.ts';
import { headOf } from './head-of.ts';
import { headTags } from './head-tags.ts';

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

// A content page, or a message while it is loading or if it failed to load.
import { useTranslation } from 'react-i18next';
import { Notice } from '../../ui/notice.tsx';
import type { LoadedContent } from './load-content.ts';

interface ContentScreenProps {
  loaded: LoadedContent | 'loading' | 'failed';
  language: string;
}

export function ContentScreen({ loaded, language }: ContentScreenProps) {
  const { t } = useTranslation();
  if (loaded === 'loading') return <p>{t('app.loading')}</p>;
  if (loaded === 'failed') return <Notice kind="bad">{t('app.pageFailed')}</Notice>;
  return <loaded.Text content={loaded.content} language={language} />;
}

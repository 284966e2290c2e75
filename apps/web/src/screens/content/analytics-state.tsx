// Says in the privacy policy whether this instance measures, and with what. The instance itself is asked.
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../../services.ts';

type Known = 'asking' | 'unknown' | 'off' | { service: string; host: string };

export function AnalyticsState() {
  const { t } = useTranslation();
  const { instanceConfig } = useServices();
  const [known, setKnown] = useState<Known>('asking');
  useEffect(() => {
    instanceConfig().then(
      ({ analytics }) =>
        setKnown(analytics ? { service: analytics.service, host: new URL(analytics.url).host } : 'off'),
      () => setKnown('unknown'),
    );
  }, [instanceConfig]);
  return (
    <p>
      <strong>
        {known === 'asking' && t('analytics.asking')}
        {known === 'unknown' && t('analytics.unknown')}
        {known === 'off' && t('analytics.off')}
        {typeof known === 'object' && t('analytics.on', known)}
      </strong>
    </p>
  );
}

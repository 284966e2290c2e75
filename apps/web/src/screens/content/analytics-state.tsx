// Shows in the privacy policy whether this instance uses analytics, and which service. The server's config decides.
import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../../services.ts';

type AnalyticsConfig = 'loading' | 'unknown' | 'off' | { service: string; host: string };

export function AnalyticsState() {
  const { t } = useTranslation();
  const { instanceConfig } = useServices();
  const [config, setConfig] = useState<AnalyticsConfig>('loading');
  useEffect(() => {
    instanceConfig().then(
      ({ analytics }) =>
        setConfig(analytics ? { service: analytics.service, host: new URL(analytics.url).host } : 'off'),
      () => setConfig('unknown'),
    );
  }, [instanceConfig]);
  return (
    <p>
      <strong>
        {config === 'loading' && t('analytics.asking')}
        {config === 'unknown' && t('analytics.unknown')}
        {config === 'off' && t('analytics.off')}
        {typeof config === 'object' && t('analytics.on', config)}
      </strong>
    </p>
  );
}

// A notice that is shown while the browser is offline.
import { useEffect, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useServices } from '../services.ts';
import { Notice } from '../ui/notice.tsx';

function subscribe(listener: () => void): () => void {
  addEventListener('online', listener);
  addEventListener('offline', listener);
  return () => {
    removeEventListener('online', listener);
    removeEventListener('offline', listener);
  };
}

export function OfflineNotice() {
  const { t } = useTranslation();
  const { canReadOffline } = useServices();
  const [isReadable, setReadable] = useState(false);
  const isOnline = useSyncExternalStore(
    subscribe,
    () => navigator.onLine,
    () => true,
  );
  useEffect(() => {
    if (!isOnline) void canReadOffline().then(setReadable);
  }, [isOnline, canReadOffline]);
  return isOnline ? undefined : (
    <Notice kind="bad">
      {t('app.offline')} {isReadable && t('app.offlineReading')}
    </Notice>
  );
}

// Shows the progress of a transfer in the browser tab: in the title, and as a ring in the icon.
import { useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';

const ICON = 'link[rel="icon"]';
/** Each new icon is fetched, drawn and sent to the browser process: a hundred icons slow a fast download by 10 %. */
const RING_STEP = 10;

export function useTabProgress(percent: number): void {
  const { t } = useTranslation();
  const title = useRef('');
  const wholePercent = Math.floor(percent);
  const ring = wholePercent - (wholePercent % RING_STEP);

  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>(ICON);
    const originalHref = icon?.href;
    title.current = document.title;
    return () => {
      document.title = title.current;
      if (icon && originalHref !== undefined) icon.href = originalHref;
    };
  }, []);

  useEffect(() => {
    document.title = t('progress.tabTitle', { percent: wholePercent, title: title.current });
  }, [t, wholePercent]);

  useEffect(() => {
    const icon = document.querySelector<HTMLLinkElement>(ICON);
    if (icon) icon.href = ringIcon(ring);
  }, [ring]);
}

/** Uses the fixed colours of the site icon, because a tab does not know our themes. */
function ringIcon(percent: number): string {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" fill="none" stroke-width="12">
<circle cx="32" cy="32" r="25" stroke="#9db4d4"/>
<circle cx="32" cy="32" r="25" stroke="#2b5490" pathLength="100" stroke-dasharray="${percent} 100" transform="rotate(-90 32 32)"/>
<circle cx="32" cy="32" r="9" fill="#c6432a"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}

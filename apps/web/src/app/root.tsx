// The root of the component tree, in the prerendered pages and in the browser.
import { pathWithoutLanguage } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { i18n } from 'i18next';
import { StrictMode } from 'react';
import { I18nextProvider } from 'react-i18next';
import { Router } from 'wouter';
import { type LinkKey, type Services, ServicesContext } from '../services.ts';
import { mayLeave } from '../transfer/use-leave-guard.ts';
import { App } from './app.tsx';

interface RootProps {
  i18n: i18n;
  services: Services;
  /** Empty, or a path such as /files. */
  basePath: string;
  /** The key of a "link with key". */
  linkKey?: LinkKey | undefined;
  /** The path of a prerendered page. In the browser the path comes from the address bar. */
  path?: string;
}

export function Root({ i18n, services, basePath, linkKey, path }: RootProps) {
  return (
    <StrictMode>
      <I18nextProvider i18n={i18n}>
        <ServicesContext value={services}>
          <Router
            base={basePath}
            hrefs={(href) => href.slice(basePath.length + 1)}
            aroundNav={(navigate, to, options) => {
              // A reset of the same screen ends its transfer too, so it must ask first, as leaving does.
              const isReset = (options?.state as { reset?: number } | undefined)?.reset !== undefined;
              const path = to.slice(basePath.length);
              if (mayLeave(isReset ? undefined : path)) navigate(to + fragmentFor(path, basePath), options);
            }}
            {...(path === undefined ? {} : { ssrPath: path })}
          >
            <App linkKey={linkKey} />
          </Router>
        </ServicesContext>
      </I18nextProvider>
    </StrictMode>
  );
}

/** The same page in another language keeps its fragment, which may be the key. */
function fragmentFor(path: string, basePath: string): string {
  const current = location.pathname.slice(basePath.length);
  const isSamePage = pathWithoutLanguage(path, languages) === pathWithoutLanguage(current, languages);
  return isSamePage ? location.hash : '';
}

// The whole tree, the same for the page that the build writes and for the one that comes alive over it.
import type { i18n } from 'i18next';
import { StrictMode } from 'react';
import { I18nextProvider } from 'react-i18next';
import { Router } from 'wouter';
import { App } from './app.tsx';
import { type Services, ServicesContext } from '../services.ts';
import { mayLeave } from '../transfer/use-leave-guard.ts';

interface RootProps {
  i18n: i18n;
  services: Services;
  /** Empty, or such as /files. */
  basePath: string;
  /** The key that came with the address. */
  linkKey?: string | undefined;
  /** Where the page will stand. Only at build, which has no address bar. */
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
              // What begins a place anew ends what runs there.
              const isReset = (options?.state as { reset?: number } | undefined)?.reset !== undefined;
              if (mayLeave(isReset ? undefined : to.slice(basePath.length))) navigate(to, options);
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

// Renders the whole app at an address, over fake services, in the page that all component tests share.
import { placeOf } from '@furoshiki/core';
import { languages } from '@furoshiki/locales';
import { createRoot, type Root as ReactRoot } from 'react-dom/client';
import { Root } from '../src/app/root.tsx';
import { createFakeServices, type FakeServices, type FakeServicesOptions } from './fake-services.ts';
import { createTestI18n, type TestLanguage } from './test-i18n.ts';

let root: ReactRoot | undefined;
let container: HTMLElement | undefined;

/** Renders the app at this path. Call it again to visit another address like a fresh page load. */
export async function renderApp(
  path: string,
  fake: FakeServices | FakeServicesOptions = {},
  linkKey?: string,
): Promise<FakeServices> {
  unmountApp();
  const given = 'services' in fake ? fake : createFakeServices(fake);
  history.replaceState(null, '', path);
  const i18n = await createTestI18n((placeOf(path, languages).language ?? 'en') as TestLanguage);
  container = document.createElement('div');
  container.id = 'root';
  document.body.append(container);
  root = createRoot(container);
  root.render(<Root i18n={i18n} services={given.services} basePath="" linkKey={linkKey} />);
  return given;
}

export function unmountApp(): void {
  root?.unmount();
  container?.remove();
  root = undefined;
}

// Renders the whole app at an address, over fake services, in the page that all component tests share.
import { parsePath } from '@furoshiki/site';
import { languages } from '@furoshiki/texts';
import type { I18n } from '@furoshiki/texts/i18n';
import { createRoot, type Root as ReactRoot } from 'react-dom/client';
import { expect } from 'vitest';
import { page } from 'vitest/browser';
import { Root } from '../src/app/app.tsx';
import { startI18n } from '../src/platform/device/i18n.ts';
import type { LinkKey } from '../src/services.ts';
import { createFakeServices, type FakeServices, type FakeServicesOptions } from './fake-services.ts';
import { createTestI18n } from './test-i18n.ts';
import { sendFiles } from './user.ts';

let root: ReactRoot | undefined;
let container: HTMLElement | undefined;

/** Renders the app at this path. Call it again to visit another address like a fresh page load. */
export async function renderApp(
  path: string,
  fake: FakeServices | FakeServicesOptions = {},
  keyText?: string,
  wasKeySent = false,
): Promise<FakeServices> {
  const given = 'services' in fake ? fake : createFakeServices(fake);
  visit(path);
  const language = parsePath(path, languages).language ?? 'en';
  const linkKey = keyText === undefined ? undefined : { text: keyText, wasSent: wasKeySent };
  render(await createTestI18n(language), given, linkKey);
  return given;
}

/** Renders the app with the i18n of main.tsx, which detects the language and fetches its texts. */
export async function renderWithRealI18n(path: string): Promise<void> {
  visit(path);
  render(await startI18n(), createFakeServices());
}

function visit(path: string): void {
  unmountApp();
  history.replaceState(null, '', path);
}

function render(i18n: I18n, { services }: FakeServices, linkKey?: LinkKey): void {
  container = document.createElement('div');
  container.id = 'root';
  document.body.append(container);
  root = createRoot(container);
  root.render(<Root i18n={i18n} services={services} basePath="" linkKey={linkKey} />);
}

export function unmountApp(): void {
  root?.unmount();
  container?.remove();
  root = undefined;
}

export interface ReceivedPageOptions extends FakeServicesOptions {
  /** How often each file may be downloaded. */
  limit?: number;
}

/** Shows a page with these files, opened with its key. */
export async function openReceivedPage(
  files: readonly File[],
  { limit = 5, ...options }: ReceivedPageOptions = {},
): Promise<FakeServices> {
  const fake = createFakeServices(options);
  const { path, keyText } = await sendFiles(fake, files, { limit });
  await renderApp(path, fake, keyText);
  await expect.element(page.getByText('The key fits.')).toBeVisible();
  return fake;
}

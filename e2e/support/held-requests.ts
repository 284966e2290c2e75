// Pauses transfers in the middle for as long as a test needs, without depending on time.
import type { Page, Route } from '@playwright/test';
import type { Site } from './test.ts';

export interface HeldRequests {
  /** The number of requests that are held. */
  count(): number;
  /** Continues the held requests and stops holding new ones. */
  release(): Promise<void>;
  /** Fails the held requests as a lost network does, and continues to hold new ones. */
  abort(): Promise<void>;
}

/**
 * Holds requests that send or fetch encrypted bytes, or some of them, until they are released. The route itself stays,
 * because Playwright cannot remove it while a service worker streams.
 */
export async function holdBytes(
  page: Page,
  { bytes }: Pick<Site, 'bytes'>,
  shouldHold: (route: Route) => boolean = () => true,
): Promise<HeldRequests> {
  let held: Route[] = [];
  let isHolding = true;
  await page.route(bytes, async (route) => {
    if (isHolding && shouldHold(route)) held.push(route);
    else await route.continue();
  });
  const settle = async (respond: (route: Route) => Promise<void>) => {
    const settled = held;
    held = [];
    // A request that the page has aborted itself can no longer get a response.
    for (const route of settled) await respond(route).catch(() => undefined);
  };
  return {
    count: () => held.length,
    release() {
      isHolding = false;
      return settle((route) => route.continue());
    },
    abort: () => settle((route) => route.abort('internetdisconnected')),
  };
}

/** Lets the first chunk of a download through and holds every later one. */
export function holdSecondChunk(page: Page, site: Site): Promise<HeldRequests> {
  return holdBytes(page, site, (route) => {
    const { range = 'bytes=0-' } = route.request().headers();
    return !range.startsWith('bytes=0-');
  });
}

// Transfers that stop half-way for as long as a test needs, without a clock.
import type { Page, Route } from '@playwright/test';
import type { Site } from './test.ts';

export interface HeldBytes {
  /** How many requests wait. */
  count(): number;
  /** Lets them and all later ones through. */
  release(): Promise<void>;
  /** Breaks them off, as a network does that goes, and goes on holding. */
  breakOff(): Promise<void>;
}

/**
 * Holds whatever sealed bytes are sent or asked for, or some of them, whole, until they are let go. The interception itself
 * stays: Playwright cannot end it while a service worker streams.
 */
export async function holdBytes(
  page: Page,
  { bytes }: Pick<Site, 'bytes'>,
  isWanted: (route: Route) => boolean = () => true,
): Promise<HeldBytes> {
  let held: Route[] = [];
  let isHolding = true;
  await page.route(bytes, async (route) => {
    if (isHolding && isWanted(route)) held.push(route);
    else await route.continue();
  });
  /** What the page has given up itself cannot be answered any more. */
  const settle = async (answer: (route: Route) => Promise<void>) => {
    const settled = held;
    held = [];
    for (const route of settled) await answer(route).catch(() => undefined);
  };
  return {
    count: () => held.length,
    release() {
      isHolding = false;
      return settle((route) => route.continue());
    },
    breakOff: () => settle((route) => route.abort('internetdisconnected')),
  };
}

/** Lets the first chunk of a download through and holds every later one. */
export function holdSecondChunk(page: Page, site: Site): Promise<HeldBytes> {
  return holdBytes(page, site, (route) => {
    const { range = 'bytes=0-' } = route.request().headers();
    return !range.startsWith('bytes=0-');
  });
}

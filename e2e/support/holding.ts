// Transfers that stop half-way for as long as a test needs, without a clock.
import type { Page, Route } from '@playwright/test';
import type { Site } from './test.ts';

export interface HeldChunks {
  /** How many requests wait. */
  count(): number;
  /** Gives them up, and holds no more. */
  release(): Promise<void>;
}

/**
 * Lets the first chunk of a download through and holds every later one. The interception itself stays: Playwright cannot
 * end it while a service worker streams.
 */
export async function holdSecondChunk(page: Page, site: Site): Promise<HeldChunks> {
  const held: Route[] = [];
  let isHolding = true;
  await page.route(site.bytes, async (route) => {
    const { range = 'bytes=0-' } = route.request().headers();
    if (isHolding && !range.startsWith('bytes=0-')) held.push(route);
    else await route.continue();
  });
  return {
    count: () => held.length,
    async release() {
      isHolding = false;
      // Its page may be gone already.
      for (const route of held) await route.abort().catch(() => undefined);
    },
  };
}

export interface HeldBytes {
  /** How many requests wait. */
  count(): number;
  /** Lets them and all later ones through. */
  release(): Promise<void>;
  /** Breaks them off, as a network does that goes, and goes on holding. */
  breakOff(): Promise<void>;
}

/** Holds whatever sealed bytes are sent or asked for, whole, until they are let go. */
export async function holdBytes(page: Page, site: Site): Promise<HeldBytes> {
  let held: Route[] = [];
  let isHolding = true;
  await page.route(site.bytes, async (route) => {
    if (isHolding) held.push(route);
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

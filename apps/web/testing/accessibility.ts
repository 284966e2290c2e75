// Accessibility checks for a screen in any state: wide and narrow, light and dark, by axe and by the size of targets.
import axe from 'axe-core';
import { expect } from 'vitest';
import { cdp, page } from 'vitest/browser';

const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 390, height: 844 };
/** Of phones on which no screen may scroll sideways. */
const SMALL_WIDTHS = [320, 360];
const TOUCH_PX = 44;
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * Checks the page in its current state: on a narrow screen in light, and on a wide one in dark. The other two combinations
 * use the same rules, so `everywhere` checks them only once for each screen.
 */
export async function expectAccessible(where: 'usual' | 'everywhere' = 'usual'): Promise<void> {
  await expectAccessibleOn(WIDE, where === 'usual' ? ['dark'] : ['dark', 'light']);
  await expectAccessibleOn(NARROW, where === 'usual' ? ['light'] : ['dark', 'light']);
  expect(smallTargets()).toEqual([]);
  for (const width of SMALL_WIDTHS) {
    await page.viewport(width, NARROW.height);
    expect(document.documentElement.scrollWidth, `${width} px`).toBeLessThanOrEqual(width);
  }
  await emulateColorScheme('light');
  await page.viewport(WIDE.width, WIDE.height);
}

async function expectAccessibleOn({ width, height }: typeof WIDE, colorSchemes: readonly string[]): Promise<void> {
  await page.viewport(width, height);
  // A bar at the lower edge of the screen covers part of what scrolls under it, but nothing at the end of the page.
  scrollTo(0, document.documentElement.scrollHeight);
  expect(document.documentElement.scrollWidth, `${width} px`).toBeLessThanOrEqual(width);
  for (const colorScheme of colorSchemes) {
    await emulateColorScheme(colorScheme);
    const { violations } = await inRealTime(() => axe.run(document, { runOnly: RULES, resultTypes: ['violations'] }));
    const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
    expect(found, `${width} px, ${colorScheme}`).toEqual([]);
  }
}

const realSetTimeout = globalThis.setTimeout;

/** axe uses timers, so it needs real ones even while a test fakes the time of the app. */
async function inRealTime<T>(work: () => Promise<T>): Promise<T> {
  const held = globalThis.setTimeout;
  globalThis.setTimeout = realSetTimeout;
  try {
    return await work();
  } finally {
    globalThis.setTimeout = held;
  }
}

async function emulateColorScheme(value: string): Promise<void> {
  await cdp().send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-color-scheme', value }] });
}

/** Targets that are too small for a finger on a narrow screen. Links inside a sentence may be as high as their line. */
function smallTargets(): string[] {
  const pressable = document.querySelectorAll<HTMLElement>(
    'button, summary, select, textarea, label:has(input), input:not([type=file], [type=radio], [type=checkbox]), nav a, header a',
  );
  return [...pressable]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.offsetHeight > 1)
    .filter((element) => element.offsetHeight < TOUCH_PX)
    .map((element) => `${element.offsetHeight} px: ${element.outerHTML.slice(0, 120)}`);
}

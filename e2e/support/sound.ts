// What must be true of a screen in any state: wide and narrow, light and dark, by axe and by finger.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const WIDE = { width: 1280, height: 900 };
export const NARROW = { width: 390, height: 844 };
const TOUCH_PX = 44;

/** The page as it stands, in both widths and both themes. What the scene shows is made once. */
export async function expectSound(page: Page): Promise<void> {
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const { violations } = await new AxeBuilder({ page })
        .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
        .analyze();
      const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
      expect(found, `${viewport.width} px, ${colorScheme}`).toEqual([]);
    }
  }
  expect(await smallTargets(page)).toEqual([]);
  await page.setViewportSize(WIDE);
}

/** What a finger would miss on a narrow screen. Links inside a sentence are as high as their line, and may be. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate((least) => {
    const pressable = document.querySelectorAll<HTMLElement>(
      'button, summary, select, textarea, label:has(input), input:not([type=file], [type=radio]), nav a, header a',
    );
    return [...pressable]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.offsetHeight > 1)
      .filter((element) => element.offsetHeight < least)
      .map((element) => `${element.offsetHeight} px: ${element.outerHTML.slice(0, 120)}`);
  }, TOUCH_PX);
}

// Accessibility checks for a screen in any state: wide and narrow, light and dark, with axe and by target size.
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };
/** Of phones on which no screen may scroll sideways. */
const SMALL_WIDTHS = [320, 360];
const TOUCH_PX = 44;

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** The rules of axe that depend on colors. The theme changes nothing else. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** Checks the page in its current state, in both widths and both themes. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const viewport of [WIDE, NARROW]) {
    await page.setViewportSize(viewport);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(viewport.width);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      // The legacy mode needs no second page. It only leaves out frames of other origins, which we do not have.
      const axe = new AxeBuilder({ page }).setLegacyMode();
      const { violations } = await (colorScheme === 'light'
        ? axe.withTags(TAGS)
        : axe.withRules(COLOR_RULES)
      ).analyze();
      const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
      expect(found, `${viewport.width} px, ${colorScheme}`).toEqual([]);
    }
  }
  expect(await smallTargets(page)).toEqual([]);
  for (const width of SMALL_WIDTHS) {
    await page.setViewportSize({ ...NARROW, width });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
  }
  await page.setViewportSize(WIDE);
}

/** Returns the targets that are too small for touch. Links inside a sentence are exempt: they are as high as a line. */
function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate((minHeight) => {
    const pressable = document.querySelectorAll<HTMLElement>(
      'button, summary, select, textarea, label:has(input), input:not([type=file], [type=radio], [type=checkbox]), nav a, header a',
    );
    return [...pressable]
      .filter((element) => element.checkVisibility({ visibilityProperty: true }) && element.offsetHeight > 1)
      .filter((element) => element.offsetHeight < minHeight)
      .map((element) => `${element.offsetHeight} px: ${element.outerHTML.slice(0, 120)}`);
  }, TOUCH_PX);
}

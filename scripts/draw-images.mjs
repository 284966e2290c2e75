// npm run images: draws the app icons and the images for link previews from the icon and the texts. They are committed,
// so that a build needs no browser.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright';
import { languages } from '../packages/texts/src/languages.ts';
import { messages } from '../packages/texts/src/messages.ts';
import { CHROMIUM_ARGS, findChromium } from './ensure-programs.mjs';
import { ROOT } from './paths.mjs';

const PUBLIC = join(ROOT, 'apps', 'web', 'public');
const icon = `data:image/svg+xml;base64,${readFileSync(join(PUBLIC, 'icon.svg')).toString('base64')}`;
const FONT = {
  ja: 'Noto Sans CJK JP',
  ko: 'Noto Sans CJK KR',
  'zh-CN': 'Noto Sans CJK SC',
  'zh-TW': 'Noto Sans CJK TC',
};

/** @param {import('../packages/texts/src/languages.ts').Language} language */
const card = (language) => `<!doctype html><html lang="${language}"><style>
  body { margin: 0; width: 1200px; height: 630px; display: flex; flex-direction: column; justify-content: center; gap: 32px; padding: 0 96px;
    box-sizing: border-box; background: #faf7f1; color: #2a2622; border-bottom: 24px solid #274a78;
    font-family: "${FONT[/** @type {keyof typeof FONT} */ (language)] ?? 'Noto Sans'}", "Noto Sans", "DejaVu Sans", sans-serif; word-break: auto-phrase; }
  header { display: flex; align-items: center; gap: 28px; font-size: 56px; font-weight: 700; }
  h1 { margin: 0; font-size: 68px; line-height: 1.25; text-wrap: balance; }
  p { margin: 0; font-size: 32px; line-height: 1.5; color: #625a50; text-wrap: pretty; }
</style><header><img src="${icon}" width="104" height="104" alt="">Furoshiki</header>
<h1>${messages[language].app.tagline}</h1><p>${messages[language].home.lead.replace('{{size}}', '10')}</p></html>`;

/** @param {number} size @param {number} share the fraction of the square that the icon fills */
const square = (size, share) => `<!doctype html><style>
  body { margin: 0; width: ${size}px; height: ${size}px; display: grid; place-items: center; background: ${share < 0.7 ? '#faf7f1' : 'transparent'}; }
</style><img src="${icon}" width="${size * share}" height="${size * share}" alt="">`;

const browser = await chromium.launch({ executablePath: findChromium() ?? '', args: CHROMIUM_ARGS });
const page = await browser.newPage();

/** @param {string} name @param {string} html @param {number} width @param {number} height */
async function draw(name, html, width, height) {
  await page.setViewportSize({ width, height });
  await page.setContent(html);
  const path = join(PUBLIC, name);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, await page.screenshot({ omitBackground: true }));
}

for (const language of languages) await draw(`social/${language}.png`, card(language), 1200, 630);
await draw('icons/192.png', square(192, 1), 192, 192);
await draw('icons/512.png', square(512, 1), 512, 512);
// A mask can cut off a fifth on each side.
await draw('icons/maskable-512.png', square(512, 0.6), 512, 512);
await draw('icons/apple-180.png', square(180, 0.69), 180, 180);
await browser.close();

// A stand-in for the built web app.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import {
  API_DOCS_PAGE,
  BASE_PLACEHOLDER,
  FALLBACK_PAGE,
  LEGAL_NOTICE_FOLDER,
  LISTED_SCREENS,
  screenKey,
  screenPath,
} from '@furoshiki/site';
import { languages } from '@furoshiki/texts';

/** As the build writes it: one block per line. */
const LEGAL_NOTICE = `<!doctype html>
<ul>
<li>Betreiber: <!--live:operator-name--><!--/--></li>
<li>Anschrift: <!--live:operator-address--><!--/--></li>
<li>Kontakt: <!--live:operator-contact-->über die Kontaktseite<!--/--></li>
<li>Nummer: <!--live:operator-register-number--><!--/--></li>
<li>Gilt ab <!--live:terms-date--><!--/--></li>
</ul>
`;

/** One page per language and screen, the other two pages, and one script. */
export async function makeWebRoot(folder: string, hasPages: boolean): Promise<string> {
  const root = join(folder, 'web');
  await mkdir(join(root, 'assets'), { recursive: true });
  await writeFile(join(root, 'assets', 'app.js'), 'export {};');
  if (!hasPages) return root;
  const writePage = (name: string, language: string, path: string) =>
    writeFile(
      join(root, 'pages', `${name}.html`),
      `<!doctype html><html lang="${language}">${BASE_PLACEHOLDER}\n<link data-page="" href="${path}" />\n<script src="./assets/app.js"></script>`,
    );
  for (const language of languages) {
    await mkdir(join(root, 'pages', language), { recursive: true });
    for (const screen of LISTED_SCREENS)
      await writePage(`${language}/${screenKey(screen)}`, language, screenPath(screen, language));
  }
  await mkdir(join(root, 'pages', LEGAL_NOTICE_FOLDER));
  await writeFile(join(root, 'pages', LEGAL_NOTICE_FOLDER, 'de.template'), LEGAL_NOTICE);
  for (const name of [FALLBACK_PAGE, API_DOCS_PAGE]) await writePage(name, 'und', `/${name}`);
  await recordBuild(root);
  return root;
}

/** Writes build.json, as the build does. */
export async function recordBuild(root: string): Promise<void> {
  const files: Record<string, string> = {};
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name !== 'build.json')
      files[relative(root, path)] = createHash('sha256')
        .update(await readFile(path))
        .digest('hex');
  }
  await writeFile(join(root, 'build.json'), JSON.stringify({ version: '1.2.3', commit: null, files }));
}

// npm run texts:reviewed: says that the translations of all changed English texts were looked at, and lists those texts.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { englishTexts, hashesOf, REVIEWED, unreviewed } from './english-texts.mjs';

const texts = englishTexts();
const before = existsSync(REVIEWED) ? JSON.parse(readFileSync(REVIEWED, 'utf8')) : {};
for (const line of unreviewed(texts, before)) console.log(line);
writeFileSync(REVIEWED, `${JSON.stringify(hashesOf(texts), undefined, 2)}\n`);

// What a browser that is killed during an upload leaves on its disk.
import { execFile } from 'node:child_process';
import { createDecipheriv } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from '@playwright/test';
import { holdBytes } from '../support/held-requests.ts';
import { BrowserProfile, keySecrets } from '../support/browser-profile.ts';
import { chooseFiles, readShare, sha256, type Share } from '../support/user-actions.ts';
import { expect, type Site, test } from '../support/test.ts';

const INDEPENDENT_CLIENT = fileURLToPath(new URL('../independent-client/open-page.mjs', import.meta.url));
const TAG_BYTES = 16;

interface ResumeSecret {
  id: string;
  secret: string;
}

/** Decrypts the resume record as the app does: with its own half of the key and the half that only the server has. */
const readRecord = (page: Page, { id, secret }: ResumeSecret) =>
  page.evaluate(
    async ([recordId, salt]) => {
      const settled = <T>(request: IDBRequest<T>) =>
        new Promise<T>((resolve) => request.addEventListener('success', () => resolve(request.result)));
      const database = await settled(indexedDB.open('furoshiki'));
      const record = (await settled(database.transaction('uploads').objectStore('uploads').get(recordId))) as
        | { localSecret: CryptoKey; iv: Uint8Array<ArrayBuffer>; encrypted: ArrayBuffer }
        | undefined;
      database.close();
      if (!record) return undefined;
      const bytesOf = (text: string) => new TextEncoder().encode(text);
      const derivation = {
        name: 'HKDF',
        hash: 'SHA-256',
        salt: bytesOf(salt),
        info: bytesOf('furoshiki resume record'),
      };
      const aes = { name: 'AES-GCM', length: 256 };
      const key = await crypto.subtle.deriveKey(derivation, record.localSecret, aes, false, ['decrypt']);
      const plain = await crypto.subtle.decrypt({ name: 'AES-GCM', iv: record.iv }, key, record.encrypted);
      return {
        iv: [...record.iv],
        encrypted: [...new Uint8Array(record.encrypted)],
        content: JSON.parse(new TextDecoder().decode(plain)) as {
          keyText: string;
          checkpoint: { completed: object[]; open?: object };
        },
      };
    },
    [id, secret] as const,
  );

type FoundRecord = NonNullable<Awaited<ReturnType<typeof readRecord>>>;

/** Whether any 32 of these bytes are the key that the record is encrypted with. */
function containsKeyOf({ iv, encrypted }: FoundRecord, bytes: Buffer): boolean {
  const sealed = Buffer.from(encrypted);
  for (let start = 0; start + 32 <= bytes.length; start += 1) {
    const decipher = createDecipheriv('aes-256-gcm', bytes.subarray(start, start + 32), Buffer.from(iv));
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES));
    decipher.update(sealed.subarray(0, -TAG_BYTES));
    try {
      decipher.final();
      return true;
    } catch {
      // Not the key.
    }
  }
  return false;
}

/** Starts an upload of two files, and kills the browser when only the first of them has arrived. */
async function crashDuringUpload(server: Site, profile: BrowserProfile, paths: string[]) {
  const page = await (await profile.start()).newPage();
  // A first attempt may be refused: the token of the last visit can be older than the cookie.
  const created = page.waitForResponse(
    (response) => response.ok() && response.url().endsWith('/api/upload/resume-secret'),
  );
  let puts = 0;
  await holdBytes(page, server, () => (puts += 1) > 1);
  await page.goto(`${server.url}/en`);
  await chooseFiles(page, paths);
  await page.getByRole('button', { name: 'Start upload' }).click();
  const resumeSecret = (await (await created).json()) as ResumeSecret;
  const isHalfWay = ({ content: { checkpoint } }: FoundRecord) => checkpoint.completed.length === 1 && checkpoint.open;
  let record: FoundRecord | undefined;
  await expect
    .poll(async () => {
      record = await readRecord(page, resumeSecret);
      return record && isHalfWay(record);
    })
    .toBeTruthy();
  await profile.kill();
  if (!record) throw new Error('there is no record');
  return { resumeSecret, record };
}

/** Continues the upload in a new browser and returns its link and key. */
async function resumeUpload(page: Page, server: Site, paths: string[]): Promise<Share> {
  await page.goto(`${server.url}/en`);
  const offer = page.getByRole('status').filter({ hasText: 'You have an unfinished upload' });
  await expect(offer).toContainText('a.txt, b.txt');
  const choosing = page.waitForEvent('filechooser');
  await offer.getByRole('button', { name: 'Choose the files and continue' }).click();
  await (await choosing).setFiles(paths);
  return readShare(page);
}

/** Checks that the profile has the record, and no key that opens it. */
async function expectNoUsableKey(profile: BrowserProfile, record: FoundRecord, { id, secret }: ResumeSecret) {
  let hasRecord = false;
  for await (const [path, content] of profile.files()) {
    if (!path.includes('IndexedDB')) continue;
    hasRecord ||= content.includes(id);
    expect(containsKeyOf(record, content)).toBe(false);
  }
  expect(hasRecord).toBe(true);
  const secrets = [...keySecrets('key', record.content.keyText), ...keySecrets('resume secret', secret)];
  expect(await profile.search(secrets)).toEqual([]);
}

test('the profile of a browser that crashed during an upload has no usable key, and the upload continues', async ({
  server,
}) => {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-files-'));
  const profile = await BrowserProfile.create();
  const texts = ['the first file', 'the second file'];
  const paths = ['a.txt', 'b.txt'].map((name) => join(folder, name));
  try {
    for (const [index, path] of paths.entries()) await writeFile(path, texts[index] ?? '');
    // Chromium writes a new cookie to disk only after 30 seconds, or when it ends. The upload needs the cookie to continue.
    const first = await (await profile.start()).newPage();
    await first.goto(`${server.url}/en`);
    await expect(first.getByRole('button', { name: 'Choose files' })).toBeVisible();
    await profile.quit();
    const { resumeSecret, record } = await crashDuringUpload(server, profile, paths);
    await expectNoUsableKey(profile, record, resumeSecret);

    const page = await (await profile.start()).newPage();
    const { link, key } = await resumeUpload(page, server, paths);
    expect(record.content.keyText).toBe(key);
    const args = [INDEPENDENT_CLIENT, link, key, join(folder, 'o')];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    const hashes = (JSON.parse(stdout) as { sha256: string }[]).map((file) => file.sha256);
    expect(hashes).toEqual(texts.map((text) => sha256(Buffer.from(text))));
    const secretPath = `/api/upload/resume-secret/${resumeSecret.id}`;
    await expect.poll(() => page.evaluate(async (path) => (await fetch(path)).status, secretPath)).toBe(404);
    expect(await readRecord(page, resumeSecret)).toBeUndefined();
    await profile.kill();
    await expectNoUsableKey(profile, record, resumeSecret);
  } finally {
    await profile.discard();
    await rm(folder, { recursive: true });
  }
});

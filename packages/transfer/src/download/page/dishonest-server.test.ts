// Every change of a dishonest server, against the engine of the page that browsers and the command line client run.
import { describe, expect, it } from 'vitest';
import { CHANGES } from '../../../../format/testing/dishonest-server.ts';
import { change, SENT, sendTwice, type SentPage, TITLE } from '../../../testing/dishonest-server.ts';
import { createFakeSaver } from '../../../testing/fake-disk.ts';
import { WITHOUT_SMALL_FILES } from '../../../testing/fake-small-files.ts';
import { cryptoOf, key } from '../../../testing/rigs.ts';
import { createConfirmations } from '../file/confirmations.ts';
import { createChunkFetcher } from '../file/fetch-chunk.ts';
import { createPage } from './page.ts';
import { fileStateOf, missingCount } from './page-machine.ts';

async function createRecipient(sent: SentPage) {
  const { clock, network } = sent.rig;
  const { server } = sent;
  const calls = { api: server.api, clock, network };
  const crypto = cryptoOf(clock);
  const saver = createFakeSaver();
  const confirmations = createConfirmations(calls, { list: () => [], add: () => {}, remove: () => {} });
  const fetcher = createChunkFetcher({ crypto, storage: server.storage });
  const ports = { ...calls, crypto, saver, confirmations, fetcher, smallFiles: WITHOUT_SMALL_FILES };
  const page = createPage(ports, sent.pageId, { lanes: 2 });
  await page.load();
  return { page, saved: () => [...saver.disks.values()].filter(({ outcome }) => outcome === 'finished') };
}

const grants = ({ server }: SentPage) => server.counts.get('takeGrant') ?? 0;

it('a page that was not changed arrives', async () => {
  const { page, saved } = await createRecipient(await sendTwice());
  await page.open(key);
  await page.downloadAll();
  expect(saved().map(({ bytes }) => Uint8Array.from(bytes))).toEqual(SENT);
  expect([page.getState().list?.title, missingCount(page.getState())]).toEqual([TITLE, 0]);
});

describe('a server that changes what was sent', () => {
  it.each(CHANGES.filter(({ outcome }) => 'before' in outcome))(
    'with $what is refused before a download is counted',
    async (row) => {
      const { outcome } = row;
      const sent = await sendTwice();
      change(sent, row);
      const { page, saved } = await createRecipient(sent);
      await expect(page.open(key)).rejects.toMatchObject({
        code: 'PAGE_TAMPERED',
        details: { tampering: 'before' in outcome && outcome.before },
      });
      // Nothing can be downloaded either, whatever a screen offers.
      await page.downloadAll();
      await page.downloadArchive('all.zip');
      expect([grants(sent), saved()]).toEqual([0, []]);
      expect(page.getState().archive.phase).toBe('failed');
    },
  );

  it.each(CHANGES.filter(({ outcome }) => 'before' in outcome))(
    'with $what is refused if it begins after the page was opened',
    async (row) => {
      const sent = await sendTwice();
      const { page, saved } = await createRecipient(sent);
      await page.open(key);
      change(sent, row);
      await page.load();
      // An order that was shown once stays, so that this change has no effect.
      await page.open(key).catch(() => undefined);
      // Files that are still those that were opened may be downloaded. Nothing else is.
      await page.downloadAll();
      const contents = SENT.map((content) => content.join());
      for (const { bytes } of saved()) expect(contents).toContain(bytes.join());
    },
  );

  it.each(CHANGES.filter(({ outcome }) => 'during' in outcome))(
    'with $what saves nothing of that file, also as a ZIP',
    async (row) => {
      const { outcome } = row;
      const sent = await sendTwice();
      change(sent, row);
      const { page, saved } = await createRecipient(sent);
      await page.open(key);
      const [first] = page.getState().files;
      await page.download(first?.id ?? '');
      expect(fileStateOf(page.getState(), first?.id ?? '')).toMatchObject({
        phase: 'failed',
        failure: { code: 'during' in outcome && outcome.during },
      });
      await page.downloadArchive('all.zip');
      expect(page.getState().archive).toMatchObject({ phase: 'failed' });
      expect(saved()).toEqual([]);
      expect(sent.server.counts.has('confirmDownload')).toBe(false);
    },
  );

  it.each(CHANGES.filter(({ outcome }) => 'missing' in outcome))(
    'with $what is shown, with the number of files that are missing',
    async (row) => {
      const { outcome } = row;
      const sent = await sendTwice();
      change(sent, row);
      const { page } = await createRecipient(sent);
      await page.open(key);
      expect(missingCount(page.getState())).toBe('missing' in outcome && outcome.missing);
    },
  );
});

it('a key that was entered once keeps unencrypted files out, and none does not', async () => {
  const row = CHANGES.find(({ what }) => what === 'nothing encrypted');
  const sent = await sendTwice();
  if (row) change(sent, row);
  const without = await createRecipient(sent);
  await without.page.downloadAll();
  expect(without.saved()).toHaveLength(3);
  const { page, saved } = await createRecipient(sent);
  await page.open(key).catch(() => undefined);
  await page.load();
  await page.downloadAll();
  expect(saved()).toEqual([]);
  expect(page.getState().files.map(({ id }) => fileStateOf(page.getState(), id))).toMatchObject(
    [1, 2, 3].map(() => ({ failure: { code: 'PAGE_TAMPERED', details: { tampering: 'notEncrypted' } } })),
  );
});

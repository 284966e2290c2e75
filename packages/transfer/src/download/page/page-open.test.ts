import { importKey, sealDetails, sealList } from '@furoshiki/format';
import { describe, expect, it } from 'vitest';
import { createPageRig, idOf, PAGE_ID, type PageRig } from '../../../testing/download-rig.ts';
import { WITHOUT_SMALL_FILES } from '../../../testing/fake-small-files.ts';
import { createUploadRig, cryptoOf, key, localFile, pageSecrets, randomBytes, subtle } from '../../../testing/rigs.ts';
import { createFakeSaver } from '../../../testing/fake-disk.ts';
import { createConfirmations } from '../file/confirmations.ts';
import { createChunkFetcher } from '../file/fetch-chunk.ts';
import { createPage } from './page.ts';
import { missingCount } from './page-machine.ts';

const contents = [70, 40, 100].map(randomBytes);

async function giveList(rig: PageRig, salts = rig.files.map(({ salt = '' }) => salt)): Promise<void> {
  const { pageSalt = '' } = rig.files[0] ?? {};
  const list = { files: salts, title: 'Photos' };
  rig.server.lists.set(PAGE_ID, await sealList(subtle, pageSecrets.detailsKey, randomBytes(12), pageSalt, list));
  await rig.engine.load();
}

describe('opening a page', () => {
  it('shows what the sender has written, and how many files are missing', async () => {
    const rig = await createPageRig(contents, { isLocked: true });
    await giveList(rig);
    expect(missingCount(rig.engine.getState())).toBeUndefined();
    await rig.engine.open(key);
    expect(rig.engine.getState().list?.title).toBe('Photos');
    expect(missingCount(rig.engine.getState())).toBe(0);
    rig.server.files.delete(idOf(rig, 1));
    await rig.engine.load();
    expect(missingCount(rig.engine.getState())).toBe(1);
  });

  it('refuses another key, and opens nothing', async () => {
    const rig = await createPageRig(contents, { isLocked: true });
    const other = await importKey(subtle, randomBytes(32));
    await expect(rig.engine.open(other)).rejects.toMatchObject({ code: 'KEY_INCORRECT' });
    expect(rig.engine.getState().files.some(({ opened }) => opened)).toBe(false);
  });

  it('stays open when only the counts change, and not when a file is exchanged', async () => {
    const rig = await createPageRig(contents);
    const stored = rig.server.files.get(idOf(rig, 0));
    if (stored) stored.page.currentDownloads = 1;
    await rig.engine.load();
    expect(rig.engine.getState().files[0]).toMatchObject({ currentDownloads: 1, opened: { details: { size: 70 } } });
    if (stored) stored.page.details = rig.files[1]?.details;
    await rig.engine.load();
    expect(rig.engine.getState().files.map(({ opened }) => opened !== undefined)).toEqual([false, true, true]);
    await expect(rig.engine.open(key)).rejects.toMatchObject({ details: { tampering: 'detailsChanged' } });
    await rig.engine.download(idOf(rig, 0));
    expect(rig.server.counts.has('takeGrant')).toBe(false);
  });

  it('reports a file that is not in the list, and another order', async () => {
    const rig = await createPageRig(contents, { isLocked: true });
    const salts = rig.files.map(({ salt = '' }) => salt);
    await giveList(rig, salts.slice(0, 2));
    await expect(rig.engine.open(key)).rejects.toMatchObject({ details: { tampering: 'fileAdded' } });
    await giveList(rig, salts.toReversed());
    await expect(rig.engine.open(key)).rejects.toMatchObject({ details: { tampering: 'orderChanged' } });
  });

  it('reports a hidden file whose size is not the padded one', async () => {
    const rig = await createPageRig([randomBytes(2000)], { isLocked: true });
    const [file] = rig.files;
    const stored = rig.server.files.get(idOf(rig, 0));
    if (!file || !stored) throw new Error('no file');
    // The sender has padded 1,990 bytes to 2,048, but the stored file has 2,000: the size is a lie.
    const details = { name: 'secret.txt', type: '', size: 1990 };
    stored.page.details = await sealDetails(
      subtle,
      pageSecrets.detailsKey,
      randomBytes(12),
      file.salt ?? '',
      details,
      false,
    );
    stored.page.fileName = 'file-1';
    await rig.engine.load();
    await expect(rig.engine.open(key)).rejects.toMatchObject({ details: { tampering: 'sizeChanged' } });
  });
});

describe('a page with hidden names', () => {
  it('arrives with its names, without padding, one by one and as a ZIP', async () => {
    const given = [3, 1024, 5000].map(randomBytes);
    const { server, clock, network, engine } = createUploadRig();
    const request = { key, downloadLimit: 5, retentionDays: 1, hidesNames: true } as const;
    await engine.start({ ...request, files: given.map(localFile) });
    const [pageId = ''] = server.pages.keys();
    const unconfirmed = { list: () => [], add: () => {}, remove: () => {} };
    const callPorts = { api: server.api, clock, network };
    const crypto = cryptoOf(clock);
    const saver = createFakeSaver({});
    const ports = {
      ...callPorts,
      crypto,
      saver,
      confirmations: createConfirmations(callPorts, unconfirmed),
      fetcher: createChunkFetcher({ crypto, storage: server.storage }),
      smallFiles: WITHOUT_SMALL_FILES,
    };
    const page = createPage(ports, pageId, { lanes: 3 });
    await page.load();
    expect(page.getState().files.map(({ fileName }) => fileName)).toEqual(['file-1', 'file-2', 'file-3']);
    await page.open(key);
    const { files } = page.getState();
    expect(files.map(({ fileName, fileSize }) => [fileName, fileSize])).toEqual([
      ['file 1.bin', 3],
      ['file 2.bin', 1024],
      ['file 3.bin', 5000],
    ]);
    await page.downloadArchive('all.zip');
    expect(page.getState().archive).toEqual({ phase: 'complete' });
    const zip = saver.disks.get(pageId);
    expect([zip?.bytes.length, zip?.outcome]).toEqual([zip?.file?.fileSize, 'finished']);
    await page.load();
    const again = createPage(ports, pageId, { lanes: 3 });
    await again.load();
    await again.open(key);
    await again.downloadAll();
    const saved = files.map(({ id }) => saver.disks.get(id));
    expect(saved.map((disk) => disk?.outcome)).toEqual(['finished', 'finished', 'finished']);
    expect(saved.map((disk) => Uint8Array.from(disk?.bytes ?? []))).toEqual(given);
  });
});

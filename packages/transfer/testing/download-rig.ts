// The download engines wired to the fakes, with real cryptography.
import type { PageFile } from '@furoshiki/api';
import { createConfirmations } from '../src/download/file/confirmations.ts';
import { createChunkFetcher } from '../src/download/file/fetch-chunk.ts';
import { planFetch } from '../src/download/file/fetch-plan.ts';
import { createPage, type PageEngine } from '../src/download/page/page.ts';
import { fileStateOf, openedFile, type ShownFile } from '../src/download/page/page-machine.ts';
import { createDownload, type DownloadEngine, type DownloadPorts } from '../src/download/file/run.ts';
import type { FileSaver } from '../src/ports.ts';
import { createFakeDisk, createFakeSaver, destinationOn, type DiskFaults, type FakeDisk } from './fake-disk.ts';
import { createFakeSmallFiles, type SmallFilesRig, WITHOUT_SMALL_FILES } from './fake-small-files.ts';
import { createRig, cryptoOf, key, openFile, pageFileOf, type Rig, type RigOptions, seal, subtle } from './rigs.ts';

type Bytes = Uint8Array<ArrayBuffer>;

interface FetchingOptions extends RigOptions {
  /** If given, small files are received together. */
  together?: SmallFilesRig;
}

interface Fetching extends Rig {
  /** The ids that outlive a reload. */
  unconfirmed: Set<string>;
  ports: DownloadPorts;
}

function createFetching(options: FetchingOptions): Fetching {
  const rig = createRig(options);
  const { clock, server, network } = rig;
  const unconfirmed = new Set<string>();
  const callPorts = { api: server.api, clock, network };
  const confirmations = createConfirmations(callPorts, {
    list: () => [...unconfirmed],
    add: (id) => void unconfirmed.add(id),
    remove: (id) => void unconfirmed.delete(id),
  });
  const fetcher = createChunkFetcher({ crypto: cryptoOf(clock), storage: server.storage });
  const smallFiles = options.together ? createFakeSmallFiles(rig, options.together) : WITHOUT_SMALL_FILES;
  return { ...rig, unconfirmed, ports: { ...callPorts, fetcher, smallFiles, confirmations } };
}

export interface DownloadRig extends Fetching {
  engine: DownloadEngine;
  page: PageFile;
  disk: FakeDisk;
  download(changes?: Partial<PageFile>): Promise<void>;
}

/** A server that has the sealed `content`, and an engine to fetch it. */
export async function createDownloadRig(
  content: Bytes,
  options: RigOptions & DiskFaults & { format?: 1 | 2 } = {},
): Promise<DownloadRig> {
  const fetching = createFetching(options);
  const page = await pageFileOf(content.length, 1, options.format);
  fetching.server.files.set(page.id, { page, sealed: await seal(page, content) });
  const disk = createFakeDisk();
  const engine = createDownload(fetching.ports, { lanes: options.lanes ?? 3 });
  const opened = await openFile(page);
  const start = (file: ShownFile) =>
    engine.start({ plan: planFetch(file, false), destination: destinationOn(disk, options) });
  const downloadChanged = async (served: PageFile) => start(openedFile(served, await openFile(served)));
  const download = (changes?: Partial<PageFile>) =>
    changes ? downloadChanged({ ...page, ...changes }) : start(openedFile(page, opened));
  return { ...fetching, engine, page, disk, download };
}

export interface PageRig extends Fetching {
  engine: PageEngine;
  files: PageFile[];
  disks: Map<string, FakeDisk>;
}

export const PAGE_ID = 'page000000000000000001';

/** A server with these contents on one page, and the engine of that page, loaded, and opened unless it is locked. */
export async function createPageRig(
  contents: Bytes[],
  options: FetchingOptions & DiskFaults & { saver?: FileSaver; isLocked?: boolean; names?: readonly string[] } = {},
): Promise<PageRig> {
  const fetching = createFetching(options);
  const { server } = fetching;
  const files: PageFile[] = [];
  for (const [index, content] of contents.entries())
    files.push(await pageFileOf(content.length, index + 1, 2, options.names?.[index]));
  for (const [index, file] of files.entries()) {
    server.files.set(file.id, {
      page: file,
      sealed: await seal(file, contents[index] ?? new Uint8Array()),
    });
  }
  server.pages.set(
    PAGE_ID,
    files.map(({ id }) => id),
  );
  const fakeSaver = createFakeSaver(options);
  const saver = options.saver ?? fakeSaver;
  const crypto = { subtle };
  const engine = createPage({ ...fetching.ports, saver, crypto }, PAGE_ID, { lanes: options.lanes ?? 3 });
  await engine.load();
  if (!options.isLocked) await engine.open(key);
  return { ...fetching, engine, files, disks: fakeSaver.disks };
}

export const phasesOf = ({ engine, files }: PageRig) => files.map(({ id }) => fileStateOf(engine.getState(), id).phase);
export const idOf = ({ files }: PageRig, index: number) => files[index]?.id ?? '';
export const soon = ({ clock }: PageRig) => clock.sleep(1, new AbortController().signal);

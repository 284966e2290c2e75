// Fetches the chunks of one file under its grant: several ahead, handed on in order, each opened before it is handed on.
import { asFailure, type PageFile } from '@furoshiki/core';
import { call, type CallPorts } from '../../resilience/call.ts';
import { assertNotCancelled } from '../../resilience/cancellation.ts';
import { indexesFrom, runLanes } from '../../concurrency/lanes.ts';
import type { ChunkFetcher, FetchedChunk } from '../../ports.ts';
import { isUrlRefused, retryFile, retryPart, retryWhole, withRetries } from '../../resilience/retry.ts';
import { IDLE_MS, underWatch } from '../../resilience/watchdog.ts';
import type { FetchPlan } from './fetch-plan.ts';
import type { ChunkState } from './machine.ts';
import { createSharedUrl, type SharedUrl } from './shared-url.ts';

/** However slow a line is: what still moves arrives. */
const PATIENCE = { idleMs: IDLE_MS, totalMs: Number.POSITIVE_INFINITY };

export interface ReceivePorts extends CallPorts {
  fetcher: ChunkFetcher;
}

export interface Receiving {
  file: PageFile;
  plan: FetchPlan;
  /** The first chunk that is not there yet. */
  firstIndex: number;
  lanes: number;
  wantsCrc32: boolean;
  signal: AbortSignal;
  /** Told once the grant is there. */
  onGranted(): void;
  onMoved(index: number, chunk: ChunkState): void;
  /** Called for one chunk after the other. The next waits until it is done. */
  onChunk(chunk: FetchedChunk): Promise<void>;
}

/** Answers whether the server wants to be told of the end. */
export async function receiveFile(ports: ReceivePorts, receiving: Receiving): Promise<boolean> {
  const { file, signal } = receiving;
  let nextIndex = receiving.firstIndex;
  const onChunk = async (chunk: FetchedChunk) => {
    await receiving.onChunk(chunk);
    nextIndex += 1;
  };
  const policy = file.isEncrypted ? retryFile : () => 'stop' as const;
  return withRetries(ports, policy, signal, async () => {
    const grant = { params: { id: file.id } };
    const { presignedUrl, requiresDecryptionConfirmation } = await call(ports, 'takeGrant', grant, signal);
    receiving.onGranted();
    // The same browser asking again spends nothing: its grant lives on.
    const renew = async () => (await ports.api.call('takeGrant', grant, signal)).presignedUrl;
    const url = createSharedUrl(presignedUrl, renew);
    await receiveChunks(ports, { ...receiving, firstIndex: nextIndex, onChunk }, url);
    return requiresDecryptionConfirmation;
  });
}

function receiveChunks(ports: ReceivePorts, receiving: Receiving, url: SharedUrl): Promise<void> {
  const { plan, firstIndex, lanes, signal } = receiving;
  let lastInLine: Promise<void> = Promise.resolve();
  return runLanes(lanes, indexesFrom(firstIndex, plan.count), signal, async (index, laneSignal) => {
    const before = lastInLine;
    const handOn = async () => {
      const chunk = await fetchOne(ports, receiving, url, index, laneSignal);
      await before;
      assertNotCancelled(laneSignal);
      await receiving.onChunk(chunk);
      receiving.onMoved(index, { step: 'written' });
    };
    lastInLine = handOn();
    await lastInLine;
  });
}

function fetchOne(
  ports: ReceivePorts,
  { plan, wantsCrc32, onMoved }: Receiving,
  sharedUrl: SharedUrl,
  index: number,
  signal: AbortSignal,
): Promise<FetchedChunk> {
  const encryption = plan.encryptionOf(index);
  const range = plan.rangeOf(index);
  return withRetries(ports, encryption === undefined && plan.count === 1 ? retryWhole : retryPart, signal, async () => {
    onMoved(index, { step: 'waiting' });
    const url = await sharedUrl.get();
    try {
      return await underWatch(ports.clock, PATIENCE, signal, (watched, showLife) => {
        const onReceived = (receivedBytes: number) => {
          showLife();
          onMoved(index, receivedBytes < range.length ? { step: 'receiving', receivedBytes } : { step: 'opening' });
        };
        return ports.fetcher.fetch({ url, range, encryption, wantsCrc32 }, onReceived, watched);
      });
    } catch (thrown) {
      if (isUrlRefused(asFailure(thrown))) sharedUrl.discard(url);
      throw thrown;
    }
  });
}

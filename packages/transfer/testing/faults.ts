// What a network and a server can do to one operation.
import { type EndpointName, Failure } from '@furoshiki/api';
import type { Clock } from '../src/ports.ts';

export const FAULTS = [
  'drop-before',
  'drop-after',
  'twice',
  'refuse',
  'break',
  'cut',
  'delay',
  'late',
  'silence',
  'hang',
] as const;
export type Fault = (typeof FAULTS)[number];

export interface Operation {
  name: EndpointName | 'put' | 'getRange';
  /** Counted from 1, per name. */
  nth: number;
}

/** Called before each operation. It may also act: cancel an engine, expire a URL, lose a part. */
export type FaultPlan = (operation: Operation) => Fault | undefined;

const isStorage = ({ name }: Operation) => name === 'put' || name === 'getRange';
export const DELAY_MS = 700;
/** The timeout of a platform for a call. Parts have the engine's own timeouts instead. */
const CALL_TIMEOUT_MS = 10_000;

/** Runs `effect` under a fault. `cut` is true if only a part of the bytes must pass. */
export async function underFault<T>(
  fault: Fault | undefined,
  operation: Operation,
  clock: Clock,
  signal: AbortSignal,
  effect: (cut: boolean) => T,
): Promise<T> {
  if (signal.aborted) throw new Failure('CANCELLED');
  switch (fault) {
    case 'drop-before':
      throw new Failure('NETWORK');
    case 'drop-after':
      effect(false);
      throw new Failure('NETWORK');
    case 'twice':
      // The request arrives twice, as when a proxy repeats it. The first response is returned.
      return firstOf(effect(false), () => effect(false));
    case 'refuse':
      throw isStorage(operation)
        ? new Failure('STORAGE_ERROR', { status: 403 })
        : new Failure('API_ERROR', { status: 429 });
    case 'break':
      throw isStorage(operation)
        ? new Failure('STORAGE_ERROR', { status: 503 })
        : new Failure('INTERNAL', { status: 500 });
    case 'cut':
      if (!isStorage(operation)) throw new Failure('TIMEOUT');
      return effect(true);
    case 'delay':
      await clock.sleep(DELAY_MS, signal);
      return effect(false);
    case 'late': {
      const response = effect(false);
      await clock.sleep(DELAY_MS, signal);
      return response;
    }
    case 'silence':
      if (isStorage(operation)) return hang(signal);
      await clock.sleep(CALL_TIMEOUT_MS, signal);
      throw new Failure('TIMEOUT');
    case 'hang':
      return hang(signal);
    case undefined:
      await Promise.resolve();
      return effect(false);
    default:
      return fault satisfies never;
  }
}

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Failure('CANCELLED'))));
}

/** Ignores the response to the second of two equal requests. */
function firstOf<T>(response: T, again: () => T): T {
  try {
    again();
  } catch {
    // For example, the server refuses to cancel twice.
  }
  return response;
}

/** Faults for the first operations of a name, in order: `faultsOn({ put: ['refuse', 'break'] })`. */
export function faultsOn(faults: Partial<Record<Operation['name'], readonly (Fault | undefined)[]>>): FaultPlan {
  return ({ name, nth }) => faults[name]?.[nth - 1];
}

/** More often than any engine retries. */
export const always = (fault: Fault): Fault[] => Array(99).fill(fault);

// The real network monitor over a fake server, with a cable to pull.
import { createNetwork } from '../src/resilience/network.ts';
import type { Clock, Network } from '../src/ports.ts';
import type { FakeServer } from './fake-server.ts';

export interface FakeNetwork extends Network {
  /** From now on nothing reaches the server. */
  pull(): void;
  /** The server can be reached again, and the device reports it. */
  plug(): void;
}

export function createFakeNetwork(clock: Clock, server: FakeServer): FakeNetwork {
  const listeners = new Set<() => void>();
  const onlineEvents = {
    onOnline(listener: () => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    ...createNetwork({ clock, onlineEvents, probe: (signal) => server.api.call('readiness', {}, signal) }),
    pull: () => void (server.isReachable = false),
    plug() {
      server.isReachable = true;
      for (const listener of listeners) listener();
    },
  };
}

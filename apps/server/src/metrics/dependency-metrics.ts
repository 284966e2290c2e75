// Metrics of what the server depends on: whether database and storage respond, and the connections to the database.
import type { Registry } from 'prom-client';
import type { ConnectionCounts } from '../ports/operator-records.ts';
import type { Readiness } from '../services/readiness.ts';
import { readGauge, readGauges } from './read-gauge.ts';

const DEPENDENCIES = ['database', 'storage'];

export function createReadinessMetrics(registry: Registry, findFailing: Readiness): void {
  const ready = {
    name: 'furoshiki_dependency_ready',
    help: 'Whether the database and the storage respond, as /readyz checks it: 1 or 0.',
    label: 'dependency',
  };
  readGauges(registry, ready, async () => {
    const failing = await findFailing();
    return Object.fromEntries(DEPENDENCIES.map((name) => [name, failing.includes(name) ? 0 : 1]));
  });
}

export function createConnectionMetrics(registry: Registry, connections: () => ConnectionCounts): void {
  const states = {
    name: 'furoshiki_database_connections',
    help: 'Connections to the database of this server.',
    label: 'state',
  };
  readGauges(registry, states, () => {
    const { open, idle } = connections();
    return { busy: open - idle, idle };
  });
  const waiting = {
    name: 'furoshiki_database_waiting_calls',
    help: 'Calls that wait for a connection to the database.',
  };
  readGauge(registry, waiting, () => connections().waiting);
}

// Checks the alarms and the dashboard in deploy/ with a real Prometheus that scrapes a real server.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { sharedPostgres } from '../apps/server/testing/backends.ts';
import type { Postgres } from '../apps/server/testing/postgres.ts';
import { freePort, type ServerProcess, startServerProcess } from '../apps/server/testing/process.ts';
import { findPostgres } from './ensure-backends.mjs';
import { findProgram } from './ensure-programs.mjs';
import { ROOT } from './paths.mjs';

/** What differs from a server without problems when an alarm of deploy/prometheus-rules.yml is due. */
interface Case {
  /** What differs from a healthy server, in the notation of promtool: start, change per minute, number of minutes. */
  series: Record<string, string>;
  /** Labels of the alarm besides the job and those of its rule. */
  labels?: Record<string, string>;
  at?: string;
}

const ONE = '{job="furoshiki", instance="a"}';
const labelled = (name: string, labels: string) => `${name}{job="furoshiki", instance="a", ${labels}}`;
const requests = (status: string) => labelled('furoshiki_http_requests_total', `status="${status}"`);
const AT_A = { instance: 'a' };
const GB = 1e9;

/** Three hours of a server without problems. The time of promtool begins at 0. */
const HEALTHY: Record<string, string> = {
  [`up${ONE}`]: '1+0x200',
  [labelled('furoshiki_dependency_ready', 'dependency="database"')]: '1+0x200',
  [labelled('furoshiki_dependency_ready', 'dependency="storage"')]: '1+0x200',
  [requests('2xx')]: '0+100x200',
  [requests('500')]: '3+0x200',
  [requests('503')]: '3+0x200',
  [requests('507')]: '3+0x200',
  [`furoshiki_storage_free_bytes${ONE}`]: `${50 * GB}+0x200`,
  [`furoshiki_storage_reserve_bytes${ONE}`]: `${GB}+0x200`,
  [`furoshiki_storage_free_inodes${ONE}`]: '500000+0x200',
  [`furoshiki_storage_inodes${ONE}`]: '1000000+0x200',
  [`furoshiki_storage_limit_bytes${ONE}`]: `${40 * GB}+0x200`,
  [`furoshiki_stored_bytes${ONE}`]: `${10 * GB}+0x200`,
  [labelled('furoshiki_sweeps_total', 'outcome="failed"')]: '2+0x200',
  [`furoshiki_last_sweep_timestamp_seconds${ONE}`]: '0+60x200',
  // Files are deleted and swept all the time.
  [`furoshiki_doomed_files${ONE}`]: Array.from({ length: 200 }, (_, minute) => minute % 7).join(' '),
  [`furoshiki_database_waiting_calls${ONE}`]: Array.from({ length: 200 }, (_, minute) => minute % 3).join(' '),
  [`furoshiki_outbox_messages${ONE}`]: '0+0x200',
  [`furoshiki_reports${ONE}`]: '0+0x200',
  [`furoshiki_lost_files_total${ONE}`]: '2+0x200',
  [labelled('furoshiki_refused_calls_total', 'code="RATE_LIMITED"')]: '0+5x200',
  [`process_start_time_seconds${ONE}`]: '0+0x200',
  [`nodejs_eventloop_lag_p90_seconds${ONE}`]: '0.02+0x200',
  [labelled('furoshiki_build_info', 'version="1.0.0"')]: '1+0x200',
};

const CASES: Record<string, Case> = {
  FuroshikiDown: { series: { [`up${ONE}`]: '1+0x170 0+0x30' }, labels: AT_A },
  FuroshikiNotReady: {
    series: { [labelled('furoshiki_dependency_ready', 'dependency="storage"')]: '1+0x170 0+0x30' },
    labels: { ...AT_A, dependency: 'storage' },
  },
  FuroshikiInternalErrors: { series: { [requests('500')]: '3+0x178 4+0x20' }, labels: AT_A },
  FuroshikiUnavailable: { series: { [requests('503')]: '0+2x200' }, labels: AT_A },
  FuroshikiFull: { series: { [requests('507')]: '3+0x178 4+0x20' }, labels: AT_A },
  FuroshikiDiskAlmostFull: { series: { [`furoshiki_storage_free_bytes${ONE}`]: `${2 * GB}+0x200` }, labels: AT_A },
  FuroshikiInodesAlmostUsedUp: { series: { [`furoshiki_storage_free_inodes${ONE}`]: '90000+0x200' }, labels: AT_A },
  FuroshikiQuotaAlmostFull: { series: { [`furoshiki_stored_bytes${ONE}`]: `${37 * GB}+0x200` }, labels: AT_A },
  FuroshikiSweepFails: {
    series: { [labelled('furoshiki_sweeps_total', 'outcome="failed"')]: '0+1x200' },
    labels: { ...AT_A, outcome: 'failed' },
  },
  FuroshikiSweepLate: { series: { [`furoshiki_last_sweep_timestamp_seconds${ONE}`]: '_x200' }, labels: AT_A },
  FuroshikiDoomedFilesGrow: { series: { [`furoshiki_doomed_files${ONE}`]: '1+1x200' }, labels: AT_A },
  FuroshikiDatabaseConnectionsExhausted: {
    series: { [`furoshiki_database_waiting_calls${ONE}`]: '0+0x174 1+0x20' },
    labels: AT_A,
  },
  FuroshikiMessagesWait: { series: { [`furoshiki_outbox_messages${ONE}`]: '1+0x200' }, labels: AT_A },
  FuroshikiReportsWait: { series: { [`furoshiki_reports${ONE}`]: '1+0x200' }, labels: AT_A },
  FuroshikiFilesLost: { series: { [`furoshiki_lost_files_total${ONE}`]: '2+0x170 3+0x30' }, labels: AT_A },
  FuroshikiRefusesMany: {
    series: { [labelled('furoshiki_refused_calls_total', 'code="RATE_LIMITED"')]: '0+90x200' },
    labels: AT_A,
  },
  FuroshikiRestarts: { series: { [`process_start_time_seconds${ONE}`]: '0+0x170 9000+60x20' }, labels: AT_A },
  FuroshikiBusy: { series: { [`nodejs_eventloop_lag_p90_seconds${ONE}`]: '0.02+0x160 0.6+0x40' }, labels: AT_A },
  FuroshikiVersionsDiffer: {
    series: { 'furoshiki_build_info{job="furoshiki", instance="b", version="1.1.0"}': '1+0x200' },
  },
};

const RULES = join(ROOT, 'deploy', 'prometheus-rules.yml');

interface Rule {
  name: string;
  query: string;
  health: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}
interface Panel {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource: { uid: string };
  targets: { refId: string; expr: string }[];
}

const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy', 'grafana-dashboard.json'), 'utf8'));
const panels = dashboard.panels as Panel[];
/** What Grafana makes of its variables. */
const panelQueries = panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll('$instance', '.*')),
);

const until = (isTrue: () => Promise<boolean>) => vi.waitUntil(isTrue, { timeout: 200_000, interval: 100 });
const hasPrograms = findProgram('promtool') !== undefined && findPostgres() !== undefined;

describe.skipIf(!hasPrograms)('with Prometheus', () => {
  let folder: string;
  let postgres: Postgres;
  let server: ServerProcess;
  let prometheus: ChildProcess;
  let api: string;
  let rules: Rule[];
  /** The labels of each metric that the server exports. */
  let exported: Map<string, Set<string>>;

  const ask = async <T>(path: string): Promise<T> =>
    ((await (await fetch(`${api}/api/v1/${path}`)).json()) as { data: T }).data;
  const readRules = async () => (await ask<{ groups: { rules: Rule[] }[] }>('rules')).groups.flatMap((g) => g.rules);

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'furoshiki-prometheus-'));
    postgres = await sharedPostgres();
    const metricsPort = await freePort();
    server = await startServerProcess({
      DATABASE_URL: await postgres.newDatabase(),
      SECRET: randomBytes(32).toString('hex'),
      DATA_DIR: join(folder, 'data'),
      MAX_STORED_BYTES: '1GB',
      MIN_FREE_DISK_BYTES: '0',
      METRICS_PORT: String(metricsPort),
    });
    await fetch(`${server.url}/healthz`);
    const metricsUrl = `http://127.0.0.1:${metricsPort}/metrics`;
    // Some metrics exist only after the first round of the sweeper.
    await until(async () =>
      (await (await fetch(metricsUrl)).text()).includes('furoshiki_last_sweep_timestamp_seconds'),
    );
    exported = metricsIn(await (await fetch(metricsUrl)).text());
    api = await startPrometheus(metricsPort);
    await until(async () => (await readRules()).every(({ health }) => health !== 'unknown'));
    rules = await readRules();
  });
  afterAll(async () => {
    prometheus.kill('SIGKILL');
    await once(prometheus, 'exit');
    await server.stop();
    await postgres.stop();
    rmSync(folder, { recursive: true });
  });

  async function startPrometheus(metricsPort: number): Promise<string> {
    const config = join(folder, 'prometheus.yml');
    const scrape = { job_name: 'furoshiki', static_configs: [{ targets: [`127.0.0.1:${metricsPort}`] }] };
    const times = { scrape_interval: '1s', evaluation_interval: '1s' };
    // JSON is YAML.
    writeFileSync(config, JSON.stringify({ global: times, rule_files: [RULES], scrape_configs: [scrape] }));
    const address = `127.0.0.1:${await freePort()}`;
    const files = [`--config.file=${config}`, `--storage.tsdb.path=${join(folder, 'series')}`];
    const args = [...files, `--web.listen-address=${address}`];
    prometheus = spawn(findProgram('prometheus') ?? '', args, { stdio: 'ignore' });
    const isReady = async () => (await fetch(`http://${address}/-/ready`)).ok;
    await until(() => isReady().catch(() => prometheus.exitCode !== null));
    expect(prometheus.exitCode).toBeNull();
    return `http://${address}`;
  }

  it('evaluates every rule, and raises no alarm for a server without problems', async () => {
    const isUp = async () =>
      (await ask<{ result: { value: [number, string] }[] }>('query?query=up')).result[0]?.value[1];
    await expect.poll(isUp).toBe('1');
    expect(rules.length).toBeGreaterThan(10);
    expect(rules.filter(({ health }) => health !== 'ok')).toEqual([]);
    expect((await ask<{ alerts: object[] }>('alerts')).alerts).toEqual([]);
  });

  it('names only metrics and labels that the server exports', () => {
    for (const query of [...rules.map((rule) => rule.query), ...panelQueries]) {
      const selectors = selectorsIn(query);
      expect(selectors.length, query).toBeGreaterThan(0);
      for (const { metric, labels } of selectors) {
        expect([...exported.keys()], query).toContain(metric);
        for (const label of labels) expect([...(exported.get(metric) ?? [])], query).toContain(label);
      }
    }
  });

  it('understands every query of the dashboard', async () => {
    for (const query of panelQueries) {
      const { status, data } = (await (
        await fetch(`${api}/api/v1/query?query=${encodeURIComponent(query)}`)
      ).json()) as { status: string; data?: { resultType: string } };
      expect([query, status, data?.resultType]).toEqual([query, 'success', 'vector']);
    }
  });

  it('raises each alarm in its case, and no other one', () => {
    const names = rules.map(({ name }) => name);
    expect(Object.keys(CASES)).toEqual(names);
    const tests = [undefined, ...rules].map((rule) => {
      const { at = '3h', labels = {}, ...changed } = rule ? (CASES[rule.name] as Case) : { at: '3h' };
      const expected = (name: string) =>
        name === rule?.name
          ? [{ exp_labels: { job: 'furoshiki', ...labels, ...rule.labels }, exp_annotations: rule.annotations }]
          : [];
      const series = { ...HEALTHY, ...('series' in changed ? changed.series : {}) };
      return {
        name: rule?.name ?? 'healthy',
        interval: '1m',
        input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
        alert_rule_test: names.map((alertname) => ({ eval_time: at, alertname, exp_alerts: expected(alertname) })),
      };
    });
    const file = join(folder, 'rules.test.yml');
    writeFileSync(file, JSON.stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
    const { status, stdout, stderr } = spawnSync(findProgram('promtool') ?? '', ['test', 'rules', file], {
      encoding: 'utf8',
    });
    expect(status, stdout + stderr).toBe(0);
  });

  it('says for each alarm what is wrong and what to do, and leads to a section of the docs that lists it', () => {
    const docs = readFileSync(join(ROOT, 'docs', 'OPERATING.md'), 'utf8');
    for (const { name, annotations } of rules) {
      const { summary = '', action = '', runbook = '' } = annotations;
      for (const text of [summary, action]) expect(text, name).toMatch(/^[^\n]{10,150}\.$/u);
      const [, section = ''] = /^docs\/OPERATING\.md#([\w-]+)$/u.exec(runbook) ?? [];
      expect(docs.toLowerCase(), name).toContain(`\n## ${section.replaceAll('-', ' ')}\n`);
      expect(docs, name).toContain(`| \`${name}\` `);
    }
  });
});

it('has a dashboard with the fields that Grafana needs', () => {
  expect(dashboard).toMatchObject({ uid: 'furoshiki', title: 'Furoshiki', schemaVersion: expect.any(Number) });
  expect(dashboard.id).toBeUndefined();
  const variables = dashboard.templating.list.map(({ name, type }: { name: string; type: string }) => [name, type]);
  expect(variables).toEqual([
    ['datasource', 'datasource'],
    ['instance', 'query'],
  ]);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  for (const { type, title, gridPos, datasource, targets } of panels) {
    expect(['stat', 'gauge', 'timeseries']).toContain(type);
    expect(title).not.toBe('');
    expect(gridPos.x + gridPos.w).toBeLessThanOrEqual(24);
    expect(datasource.uid).toBe('${datasource}');
    expect(new Set(targets.map(({ refId }) => refId)).size).toBe(targets.length);
    expect(targets.length).toBeGreaterThan(0);
  }
});

/** Every metric of the Prometheus text format, with the names of its labels. */
function metricsIn(text: string): Map<string, Set<string>> {
  const metrics = new Map([['up', new Set(['job', 'instance'])]]);
  const add = (name: string, labels = '') => {
    const known = metrics.get(name) ?? new Set(['job', 'instance']);
    for (const [, label = ''] of labels.matchAll(/(\w+)="/gu)) known.add(label);
    metrics.set(name, known);
  };
  for (const [, name = ''] of text.matchAll(/^# TYPE (\w+) /gmu)) add(name);
  for (const [, name = '', labels] of text.matchAll(/^(\w+)(?:\{(.*)\})? \S+$/gmu)) add(name, labels);
  return metrics;
}

/** The metrics that a query selects, with the labels that it selects them by. */
function selectorsIn(query: string): { metric: string; labels: string[] }[] {
  const withoutLists = query.replaceAll(/\b(?:by|without|on|ignoring) \([^)]*\)/gu, '').replaceAll(/\[\w+\]/gu, '');
  const names = withoutLists.matchAll(/\b([a-z_]\w*)\b(?:\{([^}]*)\}|(?!\s*\())(?<!\{[^}]*)/gu);
  return Array.from(names, ([, metric = '', labels = '']) => ({
    metric,
    labels: Array.from(labels.matchAll(/(\w+)\s*=/gu), ([, label = '']) => label),
  })).filter(({ metric }) => !['and', 'or', 'unless'].includes(metric));
}

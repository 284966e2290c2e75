// Starts a server in this process, lets the doctor look at the same settings, and compares what the two say.
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { expect } from 'vitest';
import { doctor } from '../src/admin/doctor/doctor.ts';
import { readConfig, StartError } from '../src/config/config.ts';
import { mailSettings } from '../src/config/settings.ts';
import { inspectMetadata, openObjects } from '../src/open-stores.ts';
import { createServer } from '../src/server.ts';
import { createSigner } from '../src/signing.ts';
import type { NamedFinding } from './patient.ts';
import { testTools } from './test-tools.ts';

export type Settings = Record<string, string>;

/** Returns the error with which a start ends. Throws if the server starts. */
async function failingStart(settings: Settings): Promise<StartError> {
  try {
    const server = await createServer(readConfig({ PORT: '0', ...settings }), { webRoot: import.meta.dirname });
    try {
      await server.listen();
    } finally {
      await server.stop();
    }
  } catch (error) {
    if (error instanceof StartError) return error;
    throw error;
  }
  throw new Error('the server started');
}

/** Returns the checks of the doctor that failed, and everything that it prints. */
export async function diagnose(settings: Settings): Promise<{ failing: NamedFinding[]; printed: string }> {
  const tools = testTools(settings['DATA_DIR'] ?? '', settings);
  const { config, paths } = tools;
  const open: { close(): Promise<void> }[] = [];
  const report = await doctor.run(
    {
      ...tools,
      openMailer: () => void mailSettings(config),
      openObjects: () => openObjects(config, paths.objects, createSigner(randomBytes(32))),
      async inspectMetadata() {
        if (config.DATABASE_URL === undefined && !existsSync(paths.database)) return undefined;
        const inspected = await inspectMetadata(config, paths.database);
        if (inspected.metadata) open.push(inspected.metadata);
        return inspected;
      },
    },
    '',
  );
  for (const store of open) await store.close();
  const { findings } = report.json as { findings: NamedFinding[] };
  return { failing: findings.filter(({ state }) => state === 'failed'), printed: report.lines.join('\n') };
}

/** No cause contains a secret of these settings. */
const SECRETS = ['S3_ACCESS_KEY_ID', 'S3_SECRET_ACCESS_KEY', 'SECRET'];
const secretsOf = (settings: Settings) =>
  [
    ...SECRETS.flatMap((name) => settings[name] ?? []),
    ...[settings['DATABASE_URL'] ?? []].flat().map((url) => new URL(url).password),
  ].filter((secret) => secret !== '');

/** Expects that the start fails, and that the doctor names the same problem and what to do, before the start and after. */
export async function expectSameCause(settings: Settings, problem: RegExp): Promise<StartError> {
  const before = await diagnose(settings);
  const error = await failingStart(settings);
  const after = await diagnose(settings);
  expect(error.problem).toMatch(problem);
  for (const { failing, printed } of [before, after]) {
    const finding = failing.find(({ text }) => text.includes(error.problem));
    expect(finding, printed).toBeDefined();
    expect(finding?.advice).toMatch(/\w/u);
    if (error.advice !== undefined) expect(finding?.advice).toBe(error.advice);
    for (const secret of secretsOf(settings)) expect(printed).not.toContain(secret);
  }
  for (const secret of secretsOf(settings)) expect(String(error)).not.toContain(secret);
  return error;
}

// Makes a fault, observes it, ends it, and checks that the same server works as before.
import { expect, vi } from 'vitest';
import type { Deployment, Fault } from './fault.ts';
import {
  type Observation,
  probeDoctor,
  probeDownload,
  probeLog,
  probeMetrics,
  probeReadiness,
  probeStart,
  probeUpload,
} from './probes.ts';
import { acknowledge, type Acknowledged, readBack, secretsOf, startSubject, type Subject } from './subject.ts';

export async function observeFault({ deploy }: Fault): Promise<Observation> {
  const deployment = await deploy();
  try {
    const subject = await startSubject(deployment.environment);
    const seen = await observeUntilStop(deployment, subject);
    return withAliases({ ...seen, start: await observeStart(deployment, subject) }, deployment.aliases);
  } finally {
    await deployment.discard();
  }
}

async function observeUntilStop(deployment: Deployment, subject: Subject): Promise<Omit<Observation, 'start'>> {
  try {
    const acknowledged = await acknowledge(subject);
    const seen = await observe(deployment, subject, acknowledged);
    await expectRecovery(subject, acknowledged);
    const shown = [...Object.values(seen), subject.log()].join('\n');
    for (const secret of [...deployment.secrets, ...secretsOf(acknowledged)]) expect(shown).not.toContain(secret);
    return seen;
  } finally {
    await subject.stop();
  }
}

async function observe(
  { arrange, restore }: Deployment,
  subject: Subject,
  acknowledged: Acknowledged,
): Promise<Omit<Observation, 'start'>> {
  const before = await subject.metrics();
  await arrange(subject);
  try {
    const [doctor, upload, download] = await Promise.all([
      probeDoctor(subject.environment),
      probeUpload(acknowledged),
      probeDownload(acknowledged),
    ]);
    const readyz = await probeReadiness(subject);
    const metrics = probeMetrics(before, await subject.metrics());
    return { doctor, upload, download, readyz, metrics, log: probeLog(subject.log()) };
  } finally {
    await restore();
  }
}

/** Starts the server again during the same fault. Two cannot share a data folder. */
async function observeStart({ arrange, restore, secrets }: Deployment, subject: Subject): Promise<string> {
  await arrange(subject);
  try {
    const start = await probeStart(subject.environment);
    for (const secret of secrets) expect(start).not.toContain(secret);
    return start;
  } finally {
    await restore();
  }
}

/** Clients retry too: the first call after a fault may meet a connection that has been cut. */
async function expectRecovery(subject: Subject, acknowledged: Acknowledged): Promise<void> {
  const { sender, opened, stored, complete } = acknowledged;
  const patience = { timeout: 60_000, interval: 200 };
  await vi.waitFor(async () => expect(await probeReadiness(subject)).toBe('200'), patience);
  for (const upload of [opened, stored, complete])
    await vi.waitFor(async () => expect(await readBack(subject, sender, upload)).toEqual(upload.sealed), patience);
}

function withAliases(seen: Observation, aliases: Record<string, string>): Observation {
  const aliased = (text: string) =>
    Object.entries(aliases).reduce((rest, [name, alias]) => rest.replaceAll(name, alias), text);
  return Object.fromEntries(Object.entries(seen).map(([probe, text]) => [probe, aliased(text)])) as Observation;
}

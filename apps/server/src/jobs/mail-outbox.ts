// Mails the messages in the outbox every few seconds, in rounds that never overlap.
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyBaseLogger } from 'fastify';
import type { Mailer } from '../ports/messages.ts';
import type { Context } from '../services/context.ts';
import { sendNextMail } from '../services/operator-messages.ts';
import { StoreFailure } from '../ports/store-failures.ts';

const EVERY_MS = 5000;
const MESSAGES_PER_ROUND = 20;

/** Starts at once. When the signal aborts, it finishes the current message and resolves. */
export async function runMailOutbox(
  context: Context,
  mailer: Mailer,
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      await runRound(context, mailer, log, signal);
    } catch (error) {
      // The log of outages has a line about a database that is away.
      if (!(error instanceof StoreFailure))
        log.error({ err: error }, 'the outbox could not be worked on and will be tried again');
    }
    await sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function runRound(
  context: Context,
  mailer: Mailer,
  log: Pick<FastifyBaseLogger, 'warn' | 'error'>,
  signal: AbortSignal,
): Promise<void> {
  for (let n = 0; n < MESSAGES_PER_ROUND && !signal.aborted; n += 1) {
    const round = await sendNextMail(context, mailer);
    if (round.outcome === 'nothing-due') return;
    if (round.outcome === 'failed') {
      const { reason, attempts } = round;
      log.warn({ reason, attempts }, 'a mail could not be sent and will be tried again');
    }
  }
}

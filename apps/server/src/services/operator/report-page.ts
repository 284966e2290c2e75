// Stores a report of a page for the operator, and a notice by mail if mail is configured.
import { type ApiBody, Failure } from '@furoshiki/api';
import type { Context } from '../context.ts';

export async function reportPage(context: Context, { pageID, reason }: ApiBody<'report'>): Promise<void> {
  const report = { id: context.newId(), pageId: pageID, reason, createdAtMs: context.clock.nowMs() };
  const notice = {
    id: context.newId(),
    subject: 'Furoshiki: a page was reported',
    text: `Page: ${pageID}\n\n${reason}\n`,
    replyTo: undefined,
    createdAtMs: report.createdAtMs,
  };
  // Without mail, the operator reads the report itself; a notice in the outbox would only repeat it.
  if (!(await context.metadata.addReport(report, context.sendsMail ? notice : undefined)))
    throw new Failure('NOT_FOUND');
}

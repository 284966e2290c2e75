// Takes the report of a page that should not be there. It is kept for the operator, who is told by mail where there is any.
import { type ApiBody, Failure } from '@furoshiki/core';
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
  // Without mail the report itself is all there is to read; a notice would only repeat it.
  if (!(await context.metadata.addReport(report, context.sendsMail ? notice : undefined)))
    throw new Failure('NOT_FOUND');
}

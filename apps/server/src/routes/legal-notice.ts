// GET /api/legal-notice/{language}: who runs this instance, for readers without JavaScript. The pages of the app cannot say so in
// their HTML: they must have the same bytes on every server, so that a client can verify them.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { API_PREFIX, type InstanceConfig } from '@furoshiki/api';
import { escapeHtml, LEGAL_NOTICE_FOLDER } from '@furoshiki/site';
import { dayIn } from '@furoshiki/texts/format-date';
import type { FastifyInstance } from 'fastify';
import { sendError } from '../http/error-responses.ts';

/** The build writes each block of the page as one line. A line with an empty text is left out unless its value is set. */
const LIVE = /<!--live:([\w-]+)-->(.*?)<!--\/-->/u;

export async function serveLegalNotice(app: FastifyInstance, webRoot: string, config: InstanceConfig): Promise<void> {
  const folder = join(webRoot, 'pages', LEGAL_NOTICE_FOLDER);
  const pages = new Map<string, string>();
  for (const file of await readdir(folder).catch(() => [])) {
    const language = basename(file, '.template');
    pages.set(language, fillIn(await readFile(join(folder, file), 'utf8'), valuesOf(config, language)));
  }
  app.get<{ Params: { language: string } }>(`${API_PREFIX}/legal-notice/:language`, (request, reply) => {
    const page = pages.get(request.params.language);
    if (page === undefined) return sendError(request, reply, 'NOT_FOUND');
    return reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page);
  });
}

/** By the names that the texts use, such as `operator-register-number`. */
function valuesOf({ operator, termsDate, analytics }: InstanceConfig, language: string): Map<string, string | null> {
  const named = Object.entries(operator).map(
    ([key, value]) => [`operator-${key.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`, value] as const,
  );
  const service = analytics && `${analytics.service}, ${new URL(analytics.url).host}`;
  return new Map([...named, ['terms-date', termsDate && dayIn(language, termsDate)], ['analytics-service', service]]);
}

function fillIn(template: string, values: ReadonlyMap<string, string | null>): string {
  const lines = template.split('\n').flatMap((line) => {
    const [, name = '', text] = LIVE.exec(line) ?? [];
    const value = values.get(name) ?? null;
    if (value === null) return text === '' ? [] : [line];
    return [line.replace(LIVE, () => markup(value))];
  });
  return lines.join('\n');
}

function markup(value: string): string {
  const text = escapeHtml(value).replaceAll('\n', '<br>');
  const isUrl = value.startsWith('https://');
  return isUrl || /^[^\s@]+@[^\s@]+$/u.test(value) ? `<a href="${isUrl ? '' : 'mailto:'}${text}">${text}</a>` : text;
}

// furoshiki verify: compares what a server sends to browsers with a release.
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { shownName } from '@furoshiki/format';
import { languages } from '@furoshiki/texts';
import { CliError, EXIT, type ExitCode } from '../errors.ts';
import { parseServer } from '../link.ts';
import { createGetResponse } from '../platform/http/get-response.ts';
import { assertClone, builtRelease, type KnownRelease, ownRelease } from '../platform/known-release.ts';
import { LANES, type Verification, verifySite } from '../verify/verify-site.ts';
import { VERSION } from '../args/command-table.ts';
import type { Command, Tools } from './command.ts';
import { verificationLines } from './output/verification-lines.ts';

export const verify: Command = async (tools) => {
  const { call, terminal, texts, onStop } = tools;
  const siteUrl = siteOf(call.arguments[0] ?? '');
  const connect = call.texts('connect').map(parseOrigin);
  const stopping = new AbortController();
  const { signal } = stopping;
  onStop(() => stopping.abort());
  try {
    const release = await releaseOf(tools, signal);
    const onProgress = (done: number, all: number) =>
      terminal.live?.show(() => [texts.t('verify.progress', { done, count: all })]);
    const get = createGetResponse({ connections: LANES });
    const randomId = () => randomBytes(16).toString('base64url');
    const result = await verifySite({ siteUrl, release, languages, connect, get, randomId, signal, onProgress });
    if ('unreachable' in result)
      throw new CliError('verify.unreachable', { url: siteUrl, code: shownName(result.unreachable) });
    report(tools, siteUrl, release, result);
    return exitCodeFor(result);
  } catch (thrown) {
    throw signal.aborted ? new CliError('verify.stopped', {}, EXIT.cancelled) : thrown;
  }
};

/** An address that was copied from a browser may have a language, and a page after it. */
function siteOf(text: string): string {
  const url = parseServer(text);
  const { origin, pathname } = new URL(url);
  const segments = pathname.split('/');
  const at = segments.findIndex((one) => languages.some((code) => code.toLowerCase() === one.toLowerCase()));
  return at === -1 ? url : origin + segments.slice(0, at).join('/');
}

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/u.test(url.protocol) || `${url.origin}/` !== url.href)
    throw new CliError('verify.badOrigin', { name: shownName(text) }, EXIT.usage);
  return url.origin;
}

async function releaseOf({ call, terminal, texts }: Tools, signal: AbortSignal): Promise<KnownRelease> {
  const wanted = call.text('release') ?? VERSION;
  if (wanted !== VERSION)
    throw new CliError('verify.otherRelease', { version: shownName(wanted), own: VERSION }, EXIT.usage);
  const source = call.text('source');
  if (source === undefined) return ownRelease(signal);
  const clone = resolve(source);
  assertClone(clone);
  terminal.note(texts.t('verify.building', { name: shownName(clone) }));
  const release = await builtRelease(clone, signal);
  // Addresses and policy are those of this version.
  if (release.version !== VERSION)
    throw new CliError(
      'verify.otherSource',
      { name: shownName(clone), version: shownName(release.version), own: VERSION },
      EXIT.usage,
    );
  return release;
}

function report({ call, terminal, texts }: Tools, url: string, release: KnownRelease, result: Verification): void {
  const { version, commit, fingerprint } = release;
  const { addressCount: checked, fileCount: files, differences, unchecked } = result;
  if (call.isSet('json'))
    terminal.print(
      JSON.stringify({ url, version, commit, fingerprint, checked, files, differences, unchecked }, null, 2),
    );
  else for (const line of verificationLines(texts, release, result)) terminal.print(line);
}

/** Something that differs is more urgent than something that could not be requested. */
function exitCodeFor({ differences, unchecked }: Verification): ExitCode {
  if (differences.length > 0) return EXIT.differs;
  return unchecked.length > 0 ? EXIT.failed : EXIT.done;
}

// Checks of the pages: whether they are built, signed and served unchanged, and whether they say who runs the instance.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hash } from 'node:crypto';
import { changedFiles, differencesOf, type Manifest, readRelease, signedFolderOf } from '../../deployment/manifest.ts';
import { readBundle } from '../../deployment/signed-bundle.ts';
import { reasonOf } from '../../diagnosis.ts';
import { CommandError } from '../command.ts';
import { ownManifest } from '../commands/manifest.ts';
import { type Check, failed, ok, request, skipped, warning } from './check.ts';

const BUILD = 'run `npm run build`';

/** Checks that the web app was built, and has not changed since: without it the server has an API and no pages. */
export const webApp: Check = {
  name: 'web app',
  async run({ webRoot }) {
    if (!existsSync(join(webRoot, 'pages')))
      return failed(`${webRoot} has no pages: the web app is not built`, 'run `npm start`: it builds what is missing');
    const release = await readRelease(webRoot);
    if (!release) return failed(`${join(webRoot, 'build.json')} is missing or damaged`, BUILD);
    const [first, ...others] = await changedFiles(webRoot, release);
    if (first === undefined) return ok(`built, version ${release.version}`);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return failed(`files of the web app have changed since they were built (${join(webRoot, first)}${more})`, BUILD);
  },
};

const MAX_NAMED = 3;
const SIGNING_ADVICE = 'sign what `npm run manifest` prints, and put the files into WEBCAT_DIR: see docs/VERIFYING.md';

/**
 * Checks that this server serves what the operator has signed for browsers that check pages (WEBCAT_DIR), and who has signed it. Not
 * whether the log has recorded it, nor whether WEBCAT lists the enrolment: only WEBCAT's own programs know.
 */
export const signedManifest: Check = {
  name: 'signed manifest',
  async run(tools) {
    const { remote } = await tools.openObjects();
    const folder = signedFolderOf(tools.config, remote?.origin);
    if (folder === undefined) return skipped('WEBCAT_DIR is not set');
    if (!existsSync(join(folder, 'bundle.json'))) return failed(`${folder} has no bundle.json`, SIGNING_ADVICE);
    const bundle = await readBundle(folder, tools.clock.nowMs());
    if (!bundle)
      return failed(
        `${join(folder, 'bundle.json')} is not a bundle with an enrolment, a manifest and signatures`,
        SIGNING_ADVICE,
      );
    const [problem] = bundle.problems;
    if (problem !== undefined)
      return failed(`browsers that check pages will block this site: ${problem}`, SIGNING_ADVICE);
    const { manifest: signed } = bundle;
    const own = await ownManifest(tools);
    const differing = differencesOf(signed, own);
    if (differing.length === 0)
      return ok(`this server serves the ${Object.keys(own.files).length} signed files, version ${signed.version}`);
    const others = differing.length > MAX_NAMED ? ` and ${differing.length - MAX_NAMED} more` : '';
    const named = `${differing.slice(0, MAX_NAMED).join(', ')}${others}`;
    return failed(`browsers that check pages will block this site: what was signed differs (${named})`, SIGNING_ADVICE);
  },
};

/** A page, the page of all other addresses, a script and the service worker. `furoshiki verify` compares all. */
const SAMPLES = ['/en', '/', '/theme.js', '/save.worker.js'];
/** A build has each text three times: as it is, and compressed in two ways. */
const ENCODINGS = ['br', 'gzip', 'identity'];
const NEVER_SENT = ['link', 'refresh'];

/**
 * Checks that pages and scripts arrive at the public address as they were built: a proxy may change them or their
 * headers.
 */
export const unchangedPages: Check = {
  name: 'unchanged pages',
  async run(tools) {
    const { PUBLIC_ORIGIN: origin, BASE_PATH: basePath = '' } = tools.config;
    if (origin === undefined) return skipped('PUBLIC_ORIGIN is not set');
    let manifest: Manifest;
    try {
      manifest = await ownManifest(tools);
    } catch (error) {
      if (error instanceof CommandError) return skipped(`there is nothing to compare with: ${error.message}`);
      throw error;
    }
    const differing = new Set<string>();
    const paths = SAMPLES.map((sample) => basePath + sample).filter((path) => path in manifest.files);
    try {
      for (const path of paths)
        for (const encoding of ENCODINGS) {
          const response = await request(origin + path, { headers: { 'accept-encoding': encoding } });
          if (response.status >= 500) return skipped(`the service responds with ${response.status}`);
          if ((await hashOf(response)) !== manifest.files[path]) differing.add(path);
          if (response.headers.get('content-security-policy') !== manifest.default_csp)
            differing.add('Content-Security-Policy');
          for (const name of NEVER_SENT) if (response.headers.has(name)) differing.add(`a ${name} header`);
        }
    } catch (error) {
      return skipped(`the service cannot be reached (${reasonOf(error)})`);
    }
    if (differing.size === 0) return ok(`${origin} serves what was built`);
    return failed(
      `${origin} does not serve what was built (${[...differing].join(', ')})`,
      'restart the server after an upgrade or a changed setting, and see whether the proxy changes pages, scripts or headers',
    );
  },
};

/** Returns undefined for a body that cannot be decoded. */
async function hashOf(response: Response): Promise<string | undefined> {
  const bytes = await response.arrayBuffer().catch(() => undefined);
  return bytes && hash('sha256', Buffer.from(bytes), 'base64url');
}

const APPI = 'Japan (APPI 32)';
const PIPA = 'Korea (PIPA 30)';
const GDPR = 'the EU (GDPR 13)';
const LGPD = 'Brazil (LGPD 9)';
const PIPL = 'China (PIPL 17)';
const PDPA = 'Taiwan (PDPA 8)';
const LEGAL_NOTICE = ['Germany (DDG 5)', 'France (LCEN 1-1)', 'Spain (LSSI 10)'];

/** What the pages lack without a setting, and the law that requires it. Pages in nine languages address people under each. */
const WANTED = [
  ['OPERATOR_NAME', [APPI, PIPA, GDPR, LGPD, PIPL, PDPA, ...LEGAL_NOTICE]],
  ['OPERATOR_ADDRESS', [APPI, GDPR, ...LEGAL_NOTICE]],
  ['OPERATOR_CONTACT', [APPI, PIPA, GDPR, LGPD, PIPL, ...LEGAL_NOTICE]],
  ['OPERATOR_PHONE', [PIPA, ...LEGAL_NOTICE]],
  ['OPERATOR_REPRESENTATIVE', [`${APPI}, for a company`, ...LEGAL_NOTICE]],
  ['OPERATOR_PRIVACY_CONTACT', [PIPA, 'Brazil (LGPD 41)', `${GDPR}, if there is a data protection officer`]],
  ['OPERATOR_SERVER_COUNTRY', ['Japan (APPI 32, guidelines)', 'Korea (PIPA 28-8)', GDPR, 'China (PIPL 39)', PDPA]],
  ['OPERATOR_LAW', ['every country but Japan and Korea: the terms name the law of Japan']],
  ['OPERATOR_COURT', ['every country but Japan and Korea: the terms name a court in Tokyo']],
  ['TERMS_DATE', ['Japan (Civil Code 548-4)', PIPA]],
] as const;

/** Checks that the legal pages of a public instance say who runs it. Only the operator is asked for what is missing: visitors see what is set. */
export const legalPages: Check = {
  name: 'legal pages',
  async run({ config }) {
    if (config.PUBLIC_ORIGIN?.startsWith('https:') !== true) return skipped('PUBLIC_ORIGIN is not an https address');
    const missing = WANTED.filter(
      ([name]) => config[name] === undefined && !(name === 'OPERATOR_CONTACT' && config.CONTACT_EMAIL !== undefined),
    );
    if (missing.length === 0)
      return ok('legal notice, privacy policy and terms say who runs this instance, where, and since when');
    return warning(
      `legal notice, privacy policy and terms lack ${missing.map(([name, laws]) => `${name} (required in ${laws.join('; ')})`).join(', ')}`,
      'if this instance is open to the public, set what applies to you, and let a lawyer review the pages: see "Legal pages" in docs/OPERATING.md',
    );
  },
};

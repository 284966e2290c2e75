// Settings that belong together. Every check that needs no store is made before one is opened, by the server and by the doctor.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { type AnalyticsSettings, INSTANCE_LIMITS, type InstanceConfig } from '@furoshiki/api';
import { type Config, StartError } from './config.ts';
import type { Kept } from './data-folder.ts';

const CHECKS: ((config: Config) => unknown)[] = [
  mailSettings,
  analyticsSettings,
  assertLimits,
  assertPreviews,
  assertSignIn,
  trustedProxies,
  s3Credentials,
  assertSharedSecret,
  readTlsPair,
];

/** Throws the first problem. */
export async function assertSettings(config: Config): Promise<void> {
  const [problem] = await findSettingProblems(config);
  if (problem) throw problem;
}

export async function findSettingProblems(config: Config): Promise<StartError[]> {
  const problems: StartError[] = [];
  for (const check of CHECKS)
    try {
      await check(config);
    } catch (error) {
      if (!(error instanceof StartError)) throw error;
      problems.push(error);
    }
  return problems;
}

function assertLimits({ S3_BUCKET, MAX_STORED_BYTES, HIDE_NAMES, ALLOW_UNENCRYPTED }: Config): void {
  if (S3_BUCKET !== undefined && MAX_STORED_BYTES === undefined)
    throw new StartError(
      'MAX_STORED_BYTES must be set together with S3_BUCKET: a bucket is never full, only expensive',
    );
  if (HIDE_NAMES === 'always' && ALLOW_UNENCRYPTED)
    throw new StartError(
      'HIDE_NAMES=always and ALLOW_UNENCRYPTED=true contradict each other, because only encryption hides a name: ' +
        'remove one of them',
    );
}

function assertPreviews({ FULL_PREVIEWS, PUBLIC_ORIGIN }: Config): void {
  if (FULL_PREVIEWS && PUBLIC_ORIGIN === undefined)
    throw new StartError('FULL_PREVIEWS=true needs PUBLIC_ORIGIN: it is the address that pages then contain');
}

function assertSignIn({ SIGN_IN, UPLOAD_TOKEN }: Config): void {
  if (SIGN_IN && UPLOAD_TOKEN === undefined)
    throw new StartError(
      'SIGN_IN=true needs UPLOAD_TOKEN: with it, the proxy shows this server that a person has signed in',
    );
}

/**
 * The mail server and addresses that the configuration selects. Returns undefined if no mail is sent. Messages then
 * stay in the outbox for the operator to read.
 */
export function mailSettings({ SMTP_URL: url, CONTACT_EMAIL: to, MAIL_FROM: from }: Config) {
  if (url === undefined) return undefined;
  if (to === undefined) throw new StartError('SMTP_URL is set, so CONTACT_EMAIL must say where the mail goes');
  return { url, to, from: from ?? to };
}

/** The analytics service that the configuration selects. Returns undefined if there is no analytics service. */
export function analyticsSettings(config: Config): AnalyticsSettings | undefined {
  const { ANALYTICS_SERVICE: service, ANALYTICS_URL: url, ANALYTICS_ID: id } = config;
  if (service === undefined && url === undefined && id === undefined) return undefined;
  if (service === undefined || url === undefined || id === undefined)
    throw new StartError('ANALYTICS_SERVICE, ANALYTICS_URL and ANALYTICS_ID are set together or not at all');
  return { service, url, id };
}

/** Returns undefined if the credentials of the machine are used. */
export function s3Credentials({ S3_ACCESS_KEY_ID: accessKeyId, S3_SECRET_ACCESS_KEY: secretAccessKey }: Config) {
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new StartError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY must be set together');
  return { accessKeyId, secretAccessKey };
}

/** If this machine stores nothing, several servers share the work, so they need one given secret. */
export function assertSharedSecret(config: Config): void {
  if (config.SECRET === undefined && !usesDataFolder(config))
    throw new StartError('SECRET must be set together with DATABASE_URL and S3_BUCKET');
}

export const keptHere = ({ DATABASE_URL, S3_BUCKET }: Config): Kept => ({
  bytes: S3_BUCKET === undefined,
  database: DATABASE_URL === undefined,
});

export function usesDataFolder(config: Config): boolean {
  const { bytes, database } = keptHere(config);
  return bytes || database;
}

export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/u.test(host);
}

/** A number of hops trusts every address that connects, so it is refused if clients could connect without the proxy. */
export function trustedProxies({
  TRUST_PROXY: trusted,
  HOST: host,
  PORT_IS_PRIVATE: isPrivate,
}: Pick<Config, 'TRUST_PROXY' | 'HOST' | 'PORT_IS_PRIVATE'>): Config['TRUST_PROXY'] {
  if (typeof trusted === 'number' && trusted > 0 && !isLoopback(host) && !isPrivate)
    throw new StartError(
      `TRUST_PROXY is a number, so a client that reaches HOST ${host} without the proxy can forge any address: ` +
        'name the addresses of the proxies instead, or set PORT_IS_PRIVATE=true if only they can reach the port',
    );
  return trusted;
}

export interface TlsPair {
  cert: Buffer;
  key: Buffer;
}

/**
 * Reads the certificate and key of built-in TLS and checks that they belong together. Returns undefined if TLS is not
 * configured. Throws a StartError that names the wrong variable.
 */
export async function readTlsPair({
  TLS_CERT_FILE: certFile,
  TLS_KEY_FILE: keyFile,
}: Pick<Config, 'TLS_CERT_FILE' | 'TLS_KEY_FILE'>): Promise<TlsPair | undefined> {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile === undefined) throw new StartError('TLS_KEY_FILE is set, so TLS_CERT_FILE must be too');
  if (keyFile === undefined) throw new StartError('TLS_CERT_FILE is set, so TLS_KEY_FILE must be too');
  const cert = await readFileOf('TLS_CERT_FILE', certFile);
  const key = await readFileOf('TLS_KEY_FILE', keyFile);
  const certificate = parsed(`TLS_CERT_FILE ${certFile} holds no PEM certificate`, () => new X509Certificate(cert));
  const privateKey = parsed<KeyObject>(`TLS_KEY_FILE ${keyFile} holds no PEM private key without a password`, () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new StartError(`TLS_KEY_FILE ${keyFile} is not the key of TLS_CERT_FILE ${certFile}`);
  // OpenSSL also refuses a broken chain and a weak key.
  parsed(`TLS_CERT_FILE ${certFile} cannot be used`, () => createSecureContext({ cert, key }));
  return { cert, key };
}

async function readFileOf(variable: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (cause) {
    throw new StartError(`${variable} ${path} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown'})`, {
      cause,
    });
  }
}

function parsed<T>(problem: string, parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new StartError(problem, { cause });
  }
}

/** What GET /config returns: the numbers and switches of this instance that clients need. */
export function instanceConfigOf(config: Config, release: InstanceConfig['release']): InstanceConfig {
  return {
    ...INSTANCE_LIMITS,
    allowUnencrypted: config.ALLOW_UNENCRYPTED,
    hideNames: config.HIDE_NAMES,
    requests: config.REQUESTS,
    uploadTokenRequired: config.UPLOAD_TOKEN !== undefined,
    signIn: config.SIGN_IN,
    contactEmail: config.CONTACT_EMAIL ?? null,
    analytics: analyticsSettings(config) ?? null,
    operator: {
      name: config.OPERATOR_NAME ?? null,
      address: config.OPERATOR_ADDRESS ?? null,
      contact: config.OPERATOR_CONTACT ?? config.CONTACT_EMAIL ?? null,
      phone: config.OPERATOR_PHONE ?? null,
      representative: config.OPERATOR_REPRESENTATIVE ?? null,
      privacyContact: config.OPERATOR_PRIVACY_CONTACT ?? null,
      euRepresentative: config.OPERATOR_EU_REPRESENTATIVE ?? null,
      registerNumber: config.OPERATOR_REGISTER_NUMBER ?? null,
      processors: config.OPERATOR_PROCESSORS ?? null,
      serverCountry: config.OPERATOR_SERVER_COUNTRY ?? null,
      law: config.OPERATOR_LAW ?? null,
      court: config.OPERATOR_COURT ?? null,
    },
    termsDate: config.TERMS_DATE ?? null,
    ...(release && { release }),
  };
}

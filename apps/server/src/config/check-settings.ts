// Every check of the settings that needs no store: the server makes them before it opens one, and so does the doctor.
import { analyticsSettings } from './analytics-settings.ts';
import { type Config, StartError } from './config.ts';
import { mailSettings } from './mail-settings.ts';
import { assertSharedSecret, s3Credentials } from './store-settings.ts';
import { readTlsPair } from './tls-pair.ts';
import { trustedProxies } from './trusted-proxies.ts';

const CHECKS: ((config: Config) => unknown)[] = [
  mailSettings,
  analyticsSettings,
  assertLimits,
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

function assertSignIn({ SIGN_IN, UPLOAD_TOKEN }: Config): void {
  if (SIGN_IN && UPLOAD_TOKEN === undefined)
    throw new StartError(
      'SIGN_IN=true needs UPLOAD_TOKEN: with it, the proxy shows this server that a person has signed in',
    );
}

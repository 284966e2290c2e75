// Every check of the settings that needs no store: the server makes them before it opens one, and so does the doctor.
import { analyticsSettings } from './analytics-settings.ts';
import { type Config, StartError } from './config.ts';
import { assertLimits } from './limit-settings.ts';
import { mailSettings } from './mail-settings.ts';
import { assertSharedSecret, s3Credentials } from './store-settings.ts';
import { readTlsPair } from './tls-pair.ts';
import { trustedProxies } from './trusted-proxies.ts';

const CHECKS: ((config: Config) => unknown)[] = [
  mailSettings,
  analyticsSettings,
  assertLimits,
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

// What GET /config returns: the numbers and switches of this instance that clients need.
import { INSTANCE_LIMITS, type InstanceConfig } from '@furoshiki/api';
import { analyticsSettings } from './analytics-settings.ts';
import type { Config } from './config.ts';

export function instanceConfigOf(config: Config, release: InstanceConfig['release']): InstanceConfig {
  return {
    ...INSTANCE_LIMITS,
    allowUnencrypted: config.ALLOW_UNENCRYPTED,
    hideNames: config.HIDE_NAMES,
    uploadTokenRequired: config.UPLOAD_TOKEN !== undefined,
    signIn: config.SIGN_IN,
    contactEmail: config.CONTACT_EMAIL ?? null,
    analytics: analyticsSettings(config) ?? null,
    operator: {
      name: config.OPERATOR_NAME ?? null,
      address: config.OPERATOR_ADDRESS ?? null,
      contact: config.OPERATOR_CONTACT ?? config.CONTACT_EMAIL ?? null,
      representative: config.OPERATOR_REPRESENTATIVE ?? null,
      registerNumber: config.OPERATOR_REGISTER_NUMBER ?? null,
      processors: config.OPERATOR_PROCESSORS ?? null,
    },
    termsDate: config.TERMS_DATE ?? null,
    ...(release && { release }),
  };
}

// What GET /config returns: the numbers and switches of this instance that clients need.
import {
  DEFAULT_RETENTION_DAYS,
  DOWNLOAD_LIMIT,
  type InstanceConfig,
  MAX_FILES_PER_PAGE,
  MAX_TOTAL_BYTES,
  RETENTION_DAYS,
  STATED_TOTAL_GB,
} from '@furoshiki/core';
import { analyticsSettings } from './analytics-settings.ts';
import type { Config } from './config.ts';

export function instanceConfigOf(config: Config): InstanceConfig {
  return {
    maxTotalBytes: MAX_TOTAL_BYTES,
    statedTotalGb: STATED_TOTAL_GB,
    maxFilesPerPage: MAX_FILES_PER_PAGE,
    retentionDays: [...RETENTION_DAYS],
    defaultRetentionDays: DEFAULT_RETENTION_DAYS,
    downloadLimit: { ...DOWNLOAD_LIMIT, shortcuts: [...DOWNLOAD_LIMIT.shortcuts] },
    allowUnencrypted: config.ALLOW_UNENCRYPTED,
    uploadTokenRequired: config.UPLOAD_TOKEN !== undefined,
    contactEmail: config.CONTACT_EMAIL ?? null,
    analytics: analyticsSettings(config) ?? null,
  };
}

// GET /config: the numbers and switches of this instance.
import {
  type AnalyticsSettings,
  DEFAULT_RETENTION_DAYS,
  DOWNLOAD_LIMIT,
  MAX_FILES_PER_PAGE,
  MAX_TOTAL_BYTES,
  RETENTION_DAYS,
  STATED_TOTAL_GB,
} from '@furoshiki/core';
import type { FastifyInstance } from 'fastify';
import { serveEndpoint } from '../http/serve-endpoint.ts';
import type { Limits } from '../services/context.ts';

export function serveConfig(app: FastifyInstance, limits: Limits, analytics: AnalyticsSettings | undefined): void {
  serveEndpoint(app, 'config', async () => ({
    maxTotalBytes: MAX_TOTAL_BYTES,
    statedTotalGb: STATED_TOTAL_GB,
    maxFilesPerPage: MAX_FILES_PER_PAGE,
    retentionDays: [...RETENTION_DAYS],
    defaultRetentionDays: DEFAULT_RETENTION_DAYS,
    downloadLimit: { ...DOWNLOAD_LIMIT, shortcuts: [...DOWNLOAD_LIMIT.shortcuts] },
    allowUnencrypted: limits.allowUnencrypted,
    uploadTokenRequired: limits.uploadToken !== undefined,
    contactEmail: limits.contactEmail ?? null,
    analytics: analytics ?? null,
  }));
}

// The response of GET /config.
import * as z from 'zod/mini';
import { ANALYTICS_SERVICES } from '../analytics.ts';
import { HIDE_NAMES } from '../plan/limits.ts';
import { retentionDays } from './schemas.ts';

/** What a client must know about this instance, so that no number is defined twice. */
export const configResponse = z.object({
  maxTotalBytes: z.int(),
  statedTotalGb: z.int(),
  maxFilesPerPage: z.int(),
  retentionDays: z.array(retentionDays),
  defaultRetentionDays: retentionDays,
  downloadLimit: z.object({ min: z.int(), max: z.int(), default: z.int(), shortcuts: z.array(z.int()) }),
  allowUnencrypted: z.boolean(),
  hideNames: z.enum(HIDE_NAMES),
  /** Whether opening an upload requires the instance's upload token in the header x-upload-token. */
  uploadTokenRequired: z.boolean(),
  /** Whether people sign in at the proxy instead of entering that token. Missing on servers that cannot do so. */
  signIn: z.prefault(z.boolean(), false),
  contactEmail: z.nullable(z.string()),
  /** The service that counts visits. Null: none. */
  analytics: z.nullable(z.object({ service: z.enum(ANALYTICS_SERVICES), url: z.string(), id: z.string() })),
  /** Who runs this instance, for the legal pages. Null: not set. */
  operator: z.object({
    name: z.nullable(z.string()),
    /** May have several lines. */
    address: z.nullable(z.string()),
    /** An email address, or a URL that starts with https://. */
    contact: z.nullable(z.string()),
    representative: z.nullable(z.string()),
    registerNumber: z.nullable(z.string()),
    /** Companies that process data for the operator. May have several lines. */
    processors: z.nullable(z.string()),
  }),
  /** Since when the terms and the privacy policy apply here, such as 2026-01-31. */
  termsDate: z.nullable(z.string()),
  /** What the web app was built from. Missing in development. Proves nothing: see docs/VERIFYING.md. */
  release: z.optional(
    z.object({
      version: z.string(),
      /** Null if the sources had changes that were not committed. */
      commit: z.nullable(z.string()),
      /** The SHA-256 of build.json, which has the SHA-256 of every file. */
      fingerprint: z.string(),
    }),
  ),
});

/** Everything that `GET /config` says about an instance. */
export type InstanceConfig = z.infer<typeof configResponse>;

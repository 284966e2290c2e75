// What every answer tells the browser to forbid. docs/adr/0008-security-headers.md says why.
import { API_PREFIX } from '@furoshiki/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { STORE_PREFIX } from '../signed-paths.ts';

/** The one Trusted Types policy of the web app: it lets workers be made of our own files. */
const TRUSTED_TYPES_POLICY = 'furoshiki-workers';

/**
 * Everything that Chromium lets a page switch off; a name that it does not know would be a warning in every console. Who
 * uses one of them takes it out of this list. The local network is not in it: the storage may stand there.
 */
const UNUSED_FEATURES = [
  'accelerometer',
  'autoplay',
  'browsing-topics',
  'camera',
  'captured-surface-control',
  'clipboard-read',
  'compute-pressure',
  'deferred-fetch',
  'deferred-fetch-minimal',
  'digital-credentials-create',
  'digital-credentials-get',
  'display-capture',
  'encrypted-media',
  'fullscreen',
  'gamepad',
  'geolocation',
  'gyroscope',
  'hid',
  'identity-credentials-get',
  'idle-detection',
  'interest-cohort',
  'keyboard-map',
  'language-detector',
  'language-model',
  'local-fonts',
  'magnetometer',
  'media-playback-while-not-visible',
  'microphone',
  'midi',
  'on-device-speech-recognition',
  'otp-credentials',
  'payment',
  'picture-in-picture',
  'private-state-token-issuance',
  'private-state-token-redemption',
  'publickey-credentials-create',
  'publickey-credentials-get',
  'serial',
  'speaker-selection',
  'storage-access',
  'summarizer',
  'sync-xhr',
  'translator',
  'unload',
  'usb',
  'window-management',
  'xr-spatial-tracking',
];
const PERMISSIONS_POLICY = UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', ');

export interface HeaderChoices {
  /** Whether people reach us over https alone. */
  isSecure: boolean;
  /** Origins besides the page's own to which it may speak: where its bytes go, and who counts visits. */
  otherOrigins: string[];
}

declare module 'fastify' {
  interface FastifyInstance {
    /** What a document needs, where an answer that holds none becomes one. */
    pageHeaders: Record<string, string>;
  }
}

/** Written once at the start: they are the same for every answer. */
export function setSecurityHeaders(app: FastifyInstance, { isSecure, otherOrigins }: HeaderChoices): void {
  const everywhere: Record<string, string> = {
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
    ...(isSecure ? { 'strict-transport-security': 'max-age=31536000; includeSubDomains' } : {}),
  };
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    ["connect-src 'self'", ...otherOrigins].join(' '),
    "worker-src 'self'",
    "manifest-src 'self'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${TRUSTED_TYPES_POLICY}`,
  ].join(';');
  const pageHeaders = {
    ...everywhere,
    'content-security-policy': policy,
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-opener-policy': 'same-origin',
    'origin-agent-cluster': '?1',
    'permissions-policy': PERMISSIONS_POLICY,
    'x-dns-prefetch-control': 'off',
    'x-frame-options': 'DENY',
  };
  // JSON and octets are no documents: should one ever be shown as such, it may do nothing at all.
  const answerHeaders = { ...everywhere, 'content-security-policy': "sandbox; default-src 'none'" };
  app.decorate('pageHeaders', pageHeaders);
  app.addHook('onRequest', ({ url }, reply, done) => {
    reply.headers(url.startsWith(`${API_PREFIX}/`) || url.startsWith(`${STORE_PREFIX}/`) ? answerHeaders : pageHeaders);
    done();
  });
}

/** Nothing is for search engines but what says so. */
export function letBeFound(reply: FastifyReply): void {
  reply.removeHeader('x-robots-tag');
}

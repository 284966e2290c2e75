// What identifies a client and proves its rights, and which call needs what.
import {
  ACCESS_TOKEN_HEADER,
  CSRF_HEADER,
  type Endpoint,
  type EndpointName,
  UPLOAD_TOKEN_HEADER,
} from '../endpoints.ts';
import type { Json } from './json-schema.ts';
import { OPERATIONS } from './operations.ts';

type Requirement = Record<string, readonly string[]>;

const COOKIE: Requirement = { clientCookie: [] };
const TOKEN: Requirement = { ...COOKIE, securityToken: [] };
export const COOKIE_REQUIRED = [COOKIE];
export const SIGNED_URL_REQUIRED = [{ signedUrl: [] }];

export function securitySchemes(serverUrl: string): Json {
  // Browsers accept the prefix only over https and for the root of a host.
  const hasPrefix = /^https:\/\/[^/]+$/u.test(serverUrl);
  return {
    clientCookie: {
      type: 'apiKey',
      in: 'cookie',
      name: hasPrefix ? '__Host-furoshiki' : 'furoshiki',
      description:
        'Identifies a client: grants and security tokens belong to it. A call without it gets a new one in Set-Cookie. Its name is furoshiki without https or below a base path, otherwise __Host-furoshiki.',
    },
    securityToken: {
      type: 'apiKey',
      in: 'header',
      name: CSRF_HEADER,
      description: 'The token of csrfToken, valid for 25 minutes, together with the cookie that it is bound to.',
    },
    uploadToken: {
      type: 'apiKey',
      in: 'header',
      name: UPLOAD_TOKEN_HEADER,
      description:
        'The password of an instance that not everyone may upload to. The call config says whether it has one.',
    },
    uploadPass: {
      type: 'apiKey',
      in: 'cookie',
      name: hasPrefix ? '__Host-furoshiki-pass' : 'furoshiki-pass',
      description:
        'Instead of the upload token, on an instance where people sign in. The page /sign-in sets it for people whom the proxy has let through. Valid for 12 hours.',
    },
    keyProof: {
      type: 'apiKey',
      in: 'header',
      name: ACCESS_TOKEN_HEADER,
      description:
        'Base64 of the access token, which is derived from the key (FORMAT.md): proves that a client has the key. Files of format 1 need none.',
    },
    signedUrl: {
      type: 'apiKey',
      in: 'query',
      name: 'signature',
      description: 'Part of the URL that presignPart and takeGrant return. Use such a URL unchanged.',
    },
  };
}

/** The alternatives of a call, the strongest first. An empty one means that nothing is needed. */
export function securityOf(name: EndpointName, { headers, ...endpoint }: Endpoint): Requirement[] {
  if (name === 'initUpload') return [{ ...TOKEN, uploadToken: [] }, { ...TOKEN, uploadPass: [] }, TOKEN];
  if (name === 'uploadPermission') return [{ uploadToken: [] }, { uploadPass: [] }, {}];
  if (needsToken(name, endpoint)) return [TOKEN];
  if (OPERATIONS[name].needsCookie) return COOKIE_REQUIRED;
  return [...(headers ? [{ ...COOKIE, keyProof: [] }] : []), COOKIE, {}];
}

export function needsToken(name: EndpointName, { method }: Pick<Endpoint, 'method'>): boolean {
  return method !== 'GET' && name !== 'csrfToken';
}

import { expect, it } from 'vitest';
import type { Folders } from '../platform/state/folders.ts';
import { uploadTokenFor } from './command.ts';

const OURS = 'https://files.example.org';

it.each<[string, { server?: string; stored?: string }, string]>([
  ['the server of the environment', { server: `${OURS}/` }, 'secret'],
  ['the stored server', { stored: `${OURS}\n` }, 'secret'],
  ['the only server that is named', {}, 'secret'],
  ['another server than that of the environment', { server: 'https://other.example.org', stored: OURS }, ''],
  ['another server than the stored one', { stored: 'https://other.example.org' }, ''],
  ['a server in another folder', { server: `${OURS}/private` }, ''],
  ['the same host without TLS', { server: 'http://files.example.org' }, ''],
])('the upload token for %s', (_, { server, stored }, token) => {
  const environment = {
    FUROSHIKI_UPLOAD_TOKEN: 'secret',
    ...(server === undefined ? {} : { FUROSHIKI_SERVER: server }),
  };
  const folders = { settings: { getItem: () => stored ?? null } } as unknown as Folders;
  expect(uploadTokenFor({ environment, folders }, OURS)).toBe(token);
});

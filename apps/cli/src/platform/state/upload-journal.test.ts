import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecordEncryption } from '@furoshiki/transfer';
import { expect, it } from 'vitest';
import { createFakeClock } from '../../../../../packages/transfer/testing/fake-clock.ts';
import { nodeCrypto } from '../node-crypto.ts';
import { createJournals } from './upload-journal.ts';

it('a journal has no key that can be used without the half of the server, and only its user can read it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'furoshiki-journal-'));
  let secret = 'the half of the server';
  const secrets = { create: async () => ({ id: 'a', secret }), read: async () => secret, drop: async () => {} };
  const journals = createJournals(folder, createFakeClock(), secrets, createRecordEncryption(nodeCrypto));
  const keyText = Buffer.alloc(32, 7).toString('base64');
  const journal = await journals.begin('identity', { keyText, words: ['legal', 'winner'] });
  journal?.write({ completed: [], open: [] });
  await journal?.flush();
  const name = readdirSync(folder).find((file) => file.endsWith('.json')) ?? '';
  const text = readFileSync(join(folder, name), 'utf8');
  const { identity, ...sealed } = JSON.parse(text) as Record<string, string>;
  expect(identity).toBe('identity');
  for (const kept of [text, ...Object.values(sealed).map(atob)])
    expect(kept).not.toMatch(new RegExp(`${keyText}|winner`, 'u'));
  expect(statSync(join(folder, name)).mode & 0o077).toBe(0);

  const found = await journals.find('identity');
  expect([found?.keyText, found?.words]).toEqual([keyText, ['legal', 'winner']]);
  await found?.journal.flush();
  secret = 'another half';
  expect(await journals.find('identity')).toBeUndefined();
  rmSync(folder, { recursive: true });
});

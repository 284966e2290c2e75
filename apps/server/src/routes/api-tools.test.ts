// The API document, as other programs read it: Redocly checks it, and a client that Redocly generates uses the server.
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { checkTypes, runRedocly } from '../../testing/api-tools.ts';
import { startTestServer, type TestServer } from '../../testing/test-server.ts';

const ROOT = join(import.meta.dirname, '../../../..');
const TRANSFER = join(ROOT, 'apps/server/generated-client/transfer.ts');
const UPLOAD_TOKEN = 'a password for uploads';

let server: TestServer;
/** Below the root, where modules find their dependencies. */
let folder: string;
beforeAll(async () => {
  server = await startTestServer({ config: { UPLOAD_TOKEN } });
  await mkdir(join(ROOT, '.cache'), { recursive: true });
  folder = await mkdtemp(join(ROOT, '.cache', 'api-tools-'));
  const response = await fetch(`${server.url}/api/openapi.json`);
  await writeFile(join(folder, 'openapi.json'), await response.text());
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true });
});

it('passes the recommended rules of Redocly without errors and warnings', async () => {
  const lint = ['lint', '--extends=recommended', '--format=json', 'openapi.json'];
  const { totals, problems } = JSON.parse(await runRedocly(folder, ...lint));
  expect(problems).toEqual([]);
  expect(totals).toEqual({ errors: 0, warnings: 0, ignored: 0 });
});

it('is enough to generate a client that sends, receives and deletes', async () => {
  await runRedocly(folder, 'generate-client', 'openapi.json', '--output=client.ts', '--import-ext=ts');
  await copyFile(TRANSFER, join(folder, 'transfer.ts'));
  const compilerOptions = { lib: ['ES2024', 'DOM', 'DOM.Iterable'], types: ['node'] };
  const tsconfig = { extends: '../../tsconfig.base.json', compilerOptions, files: ['transfer.ts'] };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
  await checkTypes(folder);

  const { transfer } = await import(/* @vite-ignore */ join(folder, 'transfer.ts'));
  const { sent, received, deleted } = await transfer(server.url, UPLOAD_TOKEN);
  expect(sent).toMatchObject({ withoutToken: 'FORBIDDEN', totalParts: 2 });
  expect(received).toMatchObject({
    file: { fileName: 'report.pdf', format: 2, maxDownloads: 1 },
    withoutProof: 'KEY_PROOF_REQUIRED',
    outside: 'RANGE_NOT_SATISFIABLE',
    afterwards: 'NOT_FOUND',
  });
  expect(received.bytes.equals(sent.bytes)).toBe(true);
  expect(deleted).toBe('NOT_FOUND');
});

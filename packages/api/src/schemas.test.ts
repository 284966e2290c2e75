import * as z from 'zod/mini';
import { expect, it } from 'vitest';
import { endpointPath, endpoints, parseResponse } from './endpoints.ts';
import { initUploadBody } from './schemas.ts';
import { failureOfResponse, parseSecurityToken } from './essentials.ts';

const body = {
  fileName: 'サンプル "a".txt',
  fileSize: 1,
  contentType: '',
  totalParts: 1,
  downloadLimit: 5,
  retentionPeriod: 1,
  isEncrypted: true,
};

it.each([
  ['a usual body', {}],
  ['a name of 1,024 characters', { fileName: 'x'.repeat(1024) }],
  ['a name with a direction mark', { fileName: '\u200fתמונה.jpg' }],
  ['no retention period', { retentionPeriod: undefined }],
])('init accepts %s', (_, change) => {
  expect(z.safeParse(initUploadBody, { ...body, ...change }).success).toBe(true);
});

it.each([
  ['an empty name', { fileName: '' }],
  ['a name of 1,025 characters', { fileName: 'x'.repeat(1025) }],
  ['a name that UTF-8 cannot hold', { fileName: 'a\ud800' }],
  ['a name with NUL', { fileName: 'a\0b' }],
  ['a name with a line break', { fileName: 'a\nb' }],
  ['a name that reverses its end', { fileName: 'photo_\u202egpj.exe' }],
  ['a negative size', { fileSize: -1 }],
  ['a fractional size', { fileSize: 1.5 }],
  ['a size beyond exact integers', { fileSize: 2 ** 53 }],
  ['4 days', { retentionPeriod: 4 }],
  ['a limit of 0', { downloadLimit: 0 }],
  ['a limit of 101', { downloadLimit: 101 }],
  ['text for a boolean', { isEncrypted: 'true' }],
])('init refuses %s', (_, change) => {
  expect(z.safeParse(initUploadBody, { ...body, ...change }).success).toBe(false);
});

it('fills the parameters of a path and escapes them', () => {
  expect(endpointPath('confirmDownload', { id: 'a/b' })).toBe('/api/download/a%2Fb/confirm');
  expect(endpointPath('csrfToken')).toBe('/api/csrf-token');
});

it('has a unique method and path for every call', () => {
  const calls = Object.values(endpoints).map(({ method, path }) => `${method} ${path}`);
  expect(new Set(calls).size).toBe(calls.length);
});

it('takes a retention period only when an upload or a request for files is opened, so nothing can extend it', () => {
  const takesIt = Object.entries(endpoints).filter(
    ([, endpoint]) => 'body' in endpoint && 'retentionPeriod' in ((endpoint.body as { shape?: object }).shape ?? {}),
  );
  expect(takesIt.map(([name]) => name)).toEqual(['initUpload', 'createRequest']);
});

const NO_TOKENS = [undefined, null, '<html>', [], {}, { token: 1 }];

it('accepts only responses that match the contract', () => {
  expect(parseResponse('csrfToken', 200, { token: 't', more: 1 })).toEqual({ token: 't' });
  for (const response of NO_TOKENS) {
    expect(() => parseResponse('csrfToken', 200, response)).toThrowError('API_ERROR');
  }
});

it('takes what a page does not say about a file from the defaults', () => {
  const file = {
    id: 'A'.repeat(22),
    fileName: 'a',
    fileSize: 1,
    isEncrypted: false,
    maxDownloads: 5,
    currentDownloads: 0,
    createdAt: 100,
  };
  const defaults = { retentionPeriod: 3, chunkSize: 5 * 1024 * 1024, format: 1, granted: false };
  expect(parseResponse('page', 200, { files: [file] })).toEqual({ files: [{ ...file, ...defaults }] });
});

it('accepts the same security tokens without the schema', () => {
  expect(parseSecurityToken(200, { token: 't', more: 1 })).toBe('t');
  for (const response of NO_TOKENS) {
    expect(() => parseSecurityToken(200, response)).toThrowError('API_ERROR');
  }
});

it('reads the code of an error if it is one of ours', () => {
  const body = { errorCode: 'NOT_FOUND', error: 'x', message: 'y' };
  expect(failureOfResponse(404, body)).toMatchObject({ code: 'NOT_FOUND', details: { status: 404, message: 'y' } });
  for (const other of [undefined, null, '<html>', []])
    expect(failureOfResponse(502, other)).toMatchObject({ code: 'API_ERROR', details: { status: 502 } });
  expect(failureOfResponse(400, { ...body, errorCode: 'MADE_UP' })).toMatchObject({ code: 'API_ERROR' });
  expect(failureOfResponse(400, { ...body, errorCode: 'MADE_UP' }).details).not.toHaveProperty('message');
});

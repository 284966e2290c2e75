import { Failure, type FailureCode } from '@furoshiki/api';
import type { Api } from '@furoshiki/transfer';
import { expect, it, vi } from 'vitest';
import { logSilentCalls } from './log-silent-calls.ts';

const cancel = { uploadId: 'u', fileKey: 'k'.repeat(22) };

/** An API whose calls all fail with this code. */
function failingWith(code: FailureCode): Api {
  const call = () => Promise.reject(new Failure(code, { text: 'secret', message: 'secret' }));
  return logSilentCalls({ call, callOnUnload: () => {} });
}

it('names a failed call of the cleanup and its code, and nothing else', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  const api = failingWith('INTERNAL');
  await expect(api.call('cancelUpload', { body: cancel })).rejects.toMatchObject({ code: 'INTERNAL' });
  await expect(api.call('page', { params: { pageID: 'p'.repeat(22) } })).rejects.toMatchObject({ code: 'INTERNAL' });
  await expect(api.call('groupFiles', {} as never)).rejects.toMatchObject({ code: 'INTERNAL' });
  expect(warn.mock.calls).toEqual([['cancelUpload failed: INTERNAL'], ['groupFiles failed: INTERNAL']]);
});

it('does not mention what the user has cancelled', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
  await expect(failingWith('CANCELLED').call('cancelUpload', { body: cancel })).rejects.toMatchObject({
    code: 'CANCELLED',
  });
  expect(warn).not.toHaveBeenCalled();
});

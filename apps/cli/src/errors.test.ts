import { Failure } from '@furoshiki/api';
import { expect, it } from 'vitest';
import { errorText } from './errors.ts';
import { createTexts } from './texts.ts';

it('says how to send from a terminal if people sign in to send, whatever the server says', async () => {
  const refused = new Failure('SIGN_IN_REQUIRED', { status: 401, message: 'Please sign in.' });
  expect(errorText(createTexts('en'), refused, 'upload')).toContain('set FUROSHIKI_UPLOAD_TOKEN');
});

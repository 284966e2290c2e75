// Checks that a stranger gets no upload pass at the sign-in page, and is led to the sign-in.
import { screenPath } from '@furoshiki/site';
import { reasonOf } from '../../../../diagnosis/error-reason.ts';
import { UPLOAD_PASS_COOKIE } from '../../../../http/cookies.ts';
import { type Check, failed, ok, skipped } from '../../finding.ts';

const TIMEOUT_MS = 5000;
const ADVICE = 'compare its settings with deploy/README.md, "Sign-in"';

export const signIn: Check = {
  name: 'sign-in',
  async run({ config: { SIGN_IN, PUBLIC_ORIGIN, BASE_PATH = '' } }) {
    if (!SIGN_IN) return skipped('SIGN_IN is not set');
    if (PUBLIC_ORIGIN === undefined) return skipped('PUBLIC_ORIGIN is not set');
    const url = PUBLIC_ORIGIN + BASE_PATH + screenPath({ name: 'sign-in' });
    let response: Response;
    try {
      const headers = { accept: 'text/html' };
      response = await fetch(url, { redirect: 'manual', headers, signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch (error) {
      return skipped(`the service cannot be reached (${reasonOf(error)})`);
    }
    const { status, headers } = response;
    await response.body?.cancel();
    if (headers.getSetCookie().some((cookie) => cookie.includes(`${UPLOAD_PASS_COOKIE}=`)))
      return failed(`everyone may send: the proxy adds UPLOAD_TOKEN at ${url} without a sign-in`, ADVICE);
    if (status === 200) return failed(`no one can sign in: the proxy does not protect ${url}`, ADVICE);
    if ((status >= 300 && status < 400) || status === 401 || status === 403)
      return ok(`${url} is only for people who sign in`);
    return failed(`${url} responds with ${status} instead of leading to the sign-in`, ADVICE);
  },
};

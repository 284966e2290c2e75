// Checks that the web app was built, and has not changed since: without it the server has an API and no pages.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { changedFiles, readRelease } from '../../../deployment/read-release.ts';
import { type Check, failed, ok } from '../finding.ts';

const BUILD = 'run `npm run build`';

export const webApp: Check = {
  name: 'web app',
  async run({ webRoot }) {
    if (!existsSync(join(webRoot, 'pages')))
      return failed(`${webRoot} has no pages: the web app is not built`, 'run `npm start`: it builds what is missing');
    const release = await readRelease(webRoot);
    if (!release) return failed(`${join(webRoot, 'build.json')} is missing or damaged`, BUILD);
    const [first, ...others] = await changedFiles(webRoot, release);
    if (first === undefined) return ok(`built, version ${release.version}`);
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return failed(`files of the web app have changed since they were built (${join(webRoot, first)}${more})`, BUILD);
  },
};

// Checks that the web app was built: without it the server has an API and no pages.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Check, failed, ok } from '../finding.ts';

export const webApp: Check = {
  name: 'web app',
  async run({ webRoot }) {
    if (existsSync(join(webRoot, 'pages'))) return ok('built');
    return failed(`${webRoot} has no pages: the web app is not built`, 'run `npm start`: it builds what is missing');
  },
};

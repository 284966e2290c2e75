// Whether browsers may send parts straight to the storage.
import { type Check, skipped } from '../finding.ts';

export const cors: Check = {
  name: 'CORS preflight',
  run: async () => skipped('not configured: this server stores the files itself, under its own origin'),
};

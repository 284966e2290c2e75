// Whether mail can be handed over.
import { type Check, skipped } from '../finding.ts';

export const mail: Check = {
  name: 'SMTP',
  run: async () => skipped('not configured'),
};

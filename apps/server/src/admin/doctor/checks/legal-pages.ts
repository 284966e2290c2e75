// Checks that the legal pages of a public instance say who runs it.
import { type Check, ok, skipped, warning } from '../finding.ts';

const APPI = 'Japan (APPI 32)';
const PIPA = 'Korea (PIPA 30)';
const GDPR = 'the EU (GDPR 13)';
const LGPD = 'Brazil (LGPD 9)';

/** What the pages lack without a setting, and the law that wants it. Pages in nine languages address people under each. */
const WANTED = [
  ['OPERATOR_NAME', [APPI, PIPA, GDPR, LGPD]],
  ['OPERATOR_ADDRESS', [APPI, GDPR]],
  ['OPERATOR_CONTACT', [APPI, PIPA, GDPR, LGPD]],
  ['OPERATOR_REPRESENTATIVE', [`${APPI}, for a company`, PIPA, `${LGPD}, the person in charge`]],
  ['TERMS_DATE', ['Japan (Civil Code 548-4)', PIPA]],
] as const;

export const legalPages: Check = {
  name: 'legal pages',
  async run({ config }) {
    if (config.PUBLIC_ORIGIN?.startsWith('https:') !== true) return skipped('PUBLIC_ORIGIN is not an https address');
    const missing = WANTED.filter(
      ([name]) => config[name] === undefined && !(name === 'OPERATOR_CONTACT' && config.CONTACT_EMAIL !== undefined),
    );
    if (missing.length === 0) return ok('the privacy policy and the terms say who runs this instance, and since when');
    return warning(
      `the privacy policy and the terms lack ${missing.map(([name, laws]) => `${name} (wanted in ${laws.join('; ')})`).join(', ')}`,
      'if this instance is open to the public, set them, and let a lawyer review both pages: see "Legal pages" in docs/OPERATING.md',
    );
  },
};

import { afterEach, beforeEach, expect, it } from 'vitest';
import { createPatient, type Patient } from '../../../testing/patient.ts';
import { testTools } from '../../../testing/test-tools.ts';
import { legalPages } from './site.ts';

let patient: Patient;
beforeEach(async () => {
  patient = await createPatient();
});
afterEach(() => patient.discard());

const ORIGIN = { PUBLIC_ORIGIN: 'https://files.example.org' };
const COMPLETE = {
  ...ORIGIN,
  OPERATOR_NAME: 'Example Ltd',
  OPERATOR_ADDRESS: '1 Example Street',
  OPERATOR_CONTACT: 'https://example.org/legal',
  OPERATOR_PHONE: '+1 555 0100',
  OPERATOR_REPRESENTATIVE: 'A. Example',
  OPERATOR_PRIVACY_CONTACT: 'B. Example',
  OPERATOR_SERVER_COUNTRY: 'Germany',
  OPERATOR_LAW: 'German law',
  OPERATOR_COURT: 'Amtsgericht Berlin-Mitte',
  TERMS_DATE: '2026-01-31',
};
const check = (environment: Record<string, string>) => legalPages.run(testTools(patient.folder, environment));

it('warns about a public instance that does not say who runs it, by the law that requires it', async () => {
  const { state, text, advice } = await check(ORIGIN);
  expect(state).toBe('warning');
  for (const name of Object.keys(COMPLETE).filter((setting) => setting !== 'PUBLIC_ORIGIN'))
    expect(text).toContain(`${name} (required in `);
  for (const law of ['APPI 32', 'PIPA 30', 'GDPR 13', 'LGPD 9']) expect(text).toContain(law);
  expect(advice).toContain('lawyer');
});

it('names only what is missing', async () => {
  const { OPERATOR_ADDRESS: _, OPERATOR_CONTACT: __, ...rest } = COMPLETE;
  const { text } = await check({ ...rest, CONTACT_EMAIL: 'help@example.org' });
  expect(text).toBe(
    'legal notice, privacy policy and terms lack OPERATOR_ADDRESS (required in Japan (APPI 32); the EU (GDPR 13); Germany (DDG 5); France (LCEN 1-1); Spain (LSSI 10))',
  );
});

it('is content with all of it, and skips an instance without a public address', async () => {
  expect((await check(COMPLETE)).state).toBe('ok');
  expect((await check({ PUBLIC_ORIGIN: 'http://localhost:3000' })).state).toBe('skipped');
});

it('does not make the service unhealthy', async () => {
  const { findings, lines, names } = await patient.diagnose({ PUBLIC_ORIGIN: 'https://localhost:1' });
  expect(findings.at(-1)).toMatchObject({ name: 'legal pages', state: 'warning' });
  expect(lines.some((line) => line.startsWith('warning legal pages: '))).toBe(true);
  expect(names).not.toContain('legal pages');
});

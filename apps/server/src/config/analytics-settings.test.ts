import { expect, it } from 'vitest';
import { analyticsSettings } from './settings.ts';
import { readConfig } from './config.ts';

const read = (environment: Record<string, string>) => analyticsSettings(readConfig(environment));
const ALL = {
  ANALYTICS_SERVICE: 'plausible',
  ANALYTICS_URL: 'https://count.example.org',
  ANALYTICS_ID: 'files.example.org',
};

it('selects no analytics service by default', () => {
  expect(read({})).toBeUndefined();
});

it('selects the service that is configured', () => {
  expect(read(ALL)).toEqual({ service: 'plausible', url: 'https://count.example.org', id: 'files.example.org' });
});

it.each(Object.keys(ALL))('refuses settings without %s', (name) => {
  expect(() => read({ ...ALL, [name]: '' })).toThrowError('are set together or not at all');
});

it.each([
  { ...ALL, ANALYTICS_SERVICE: 'spy' },
  { ...ALL, ANALYTICS_URL: 'https://count.example.org/script.js' },
  { ...ALL, ANALYTICS_URL: "https://count.example.org; script-src 'unsafe-inline'" },
])('refuses %j', (environment) => {
  expect(() => read(environment)).toThrowError(/^ANALYTICS_\w+ must be/u);
});

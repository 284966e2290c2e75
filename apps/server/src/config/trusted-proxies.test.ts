import { expect, it } from 'vitest';
import { readConfig } from './config.ts';
import { trustedProxies } from './settings.ts';

const read = (environment: Record<string, string>) => trustedProxies(readConfig(environment));

it.each([
  [{ TRUST_PROXY: '1' }, 1],
  [{ TRUST_PROXY: '1', HOST: 'localhost' }, 1],
  [{ TRUST_PROXY: '1', HOST: '127.3.2.1' }, 1],
  [{ TRUST_PROXY: '1', HOST: '::1' }, 1],
  [{ TRUST_PROXY: '0', HOST: '0.0.0.0' }, 0],
  [{ TRUST_PROXY: '1', HOST: '0.0.0.0', PORT_IS_PRIVATE: 'true' }, 1],
  [{ TRUST_PROXY: 'uniquelocal', HOST: '0.0.0.0' }, ['uniquelocal']],
  [{ HOST: '0.0.0.0' }, undefined],
])('accepts %j', (environment, trusted) => {
  expect(read(environment)).toEqual(trusted);
});

it.each(['0.0.0.0', '::', '192.0.2.1', 'localhost.example.org', '127.0.0.1.example.org'])(
  'refuses to trust any sender on %s',
  (HOST) => {
    expect(() => read({ TRUST_PROXY: '1', HOST })).toThrowError(/^TRUST_PROXY is a number.+PORT_IS_PRIVATE=true/u);
  },
);

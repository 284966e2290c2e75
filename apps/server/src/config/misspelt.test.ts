import { expect, it } from 'vitest';
import { runToExit } from '../../testing/process.ts';
import { testTools } from '../../testing/test-tools.ts';
import { settings } from '../admin/doctor/local.ts';
import { variables } from './config-variables.ts';
import { findMisspelt } from './config.ts';

const find = (name: string, value = 'secret value') => findMisspelt({ [name]: value });

it.each([
  ['DATA_DIRR', 'DATA_DIR'],
  ['DATADIR', 'DATA_DIR'],
  ['DATA_DRI', 'DATA_DIR'],
  ['S3_BUKET', 'S3_BUCKET'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['TRUSTED_PROXY', 'TRUST_PROXY'],
  ['MAX_STORE_BYTES', 'MAX_STORED_BYTES'],
  ['METRIC_PORT', 'METRICS_PORT'],
  ['SECRETS', 'SECRET'],
  ['public_origin', 'PUBLIC_ORIGIN'],
  ['FUROSHIKI_PORT', 'PORT'],
  ['FUROSHIKI_DATA_DIR', 'DATA_DIR'],
])('reports %s as %s', (name, meant) => {
  expect(find(name)).toEqual([`${name} is not a setting; did you mean ${meant}?`]);
});

it.each(['S3_KEY', 'SMTP_HOST', 'TLS_VERSION', 'OPERATOR_LANGUAGE', 'PAGES_PER_HOUR'])('reports %s', (name) => {
  expect(find(name)).toEqual([`${name} is not a setting`]);
});

it('says nothing about a setting, or a usual environment', () => {
  expect(findMisspelt(Object.fromEntries(Object.keys(variables).map((name) => [name, 'x'])))).toEqual([]);
  const shell = `HOME HOSTNAME HOSTTYPE LANG LC_ALL LESS LOGNAME LS_COLORS MAIL OLDPWD PATH PS1 PWD SHELL SHLVL TERM TZ USER _
    DBUS_SESSION_BUS_ADDRESS DISPLAY EDITOR SSH_AUTH_SOCK SSH_CLIENT SSH_CONNECTION SSH_TTY SUDO_USER TMPDIR XDG_DATA_DIRS
    XDG_RUNTIME_DIR XDG_SESSION_ID http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY FTP_PROXY ALL_PROXY`;
  const systemd = `CREDENTIALS_DIRECTORY INVOCATION_ID JOURNAL_STREAM LISTEN_FDS LISTEN_PID MAINPID MANAGERPID NOTIFY_SOCKET
    RUNTIME_DIRECTORY STATE_DIRECTORY LOGS_DIRECTORY CACHE_DIRECTORY SYSTEMD_EXEC_PID WATCHDOG_USEC MEMORY_PRESSURE_WATCH`;
  const programs = `NODE_ENV NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_VERSION YARN_VERSION npm_config_port npm_config_host
    npm_config_cache npm_lifecycle_event npm_package_name INIT_CWD COLOR CI DEBUG LOG_FORMAT LOG_FILE AWS_REGION
    AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY AWS_PROFILE PGHOST PGPORT PGUSER PGPASSWORD POSTGRES_PASSWORD POSTGRES_USER
    DATABASE_HOST DATABASE_PASSWORD PORT_RANGE SECRET_KEY_BASE GPG_KEY AMQP_URL HTTP_URL BASH_ENV container
    SSL_CERT_FILE SSL_CERT_DIR SSLKEYLOGFILE OPENSSL_CONF`;
  const kubernetes = ['FUROSHIKI', 'S3', 'SMTP', 'METRICS', 'KUBERNETES'].flatMap((service) =>
    `SERVICE_HOST SERVICE_PORT SERVICE_PORT_HTTP PORT_3000_TCP PORT_3000_TCP_PROTO PORT_3000_TCP_PORT PORT_3000_TCP_ADDR`
      .split(' ')
      .map((name) => `${service}_${name}`),
  );
  const names = [...`${shell} ${systemd} ${programs}`.split(/\s+/u), ...kubernetes];
  expect(findMisspelt(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([]);
  for (const name of ['FUROSHIKI_PORT', 'S3_PORT', 'SMTP_PORT']) expect(find(name, 'tcp://10.0.0.1:25')).toEqual([]);
});

it('is a line at the start and a warning of the doctor, without the value', async () => {
  const exit = await runToExit('main', [], { DATA_DIRR: 'secret value', PORT: 'no port' });
  expect(exit.stderr).toBe(
    'furoshiki: DATA_DIRR is not a setting; did you mean DATA_DIR?\nfuroshiki: PORT must be a port number from 0 to 65535\n',
  );
  const { stdout } = await runToExit('admin', ['doctor'], { S3_BUKET: 'secret value', DATA_DIR: '/nowhere' });
  expect(stdout).toContain('warning settings: S3_BUKET is not a setting; did you mean S3_BUCKET?\n');
  expect(stdout).not.toContain('secret value');
  const tools = testTools('/nowhere', { SMTP_URL: 'smtp://127.0.0.1' }, { misspelt: find('CONTACT_EMIAL') });
  expect(await settings.run(tools)).toMatchObject({
    state: 'failed',
    text: expect.stringMatching(/SMTP_URL is set.*; CONTACT_EMIAL is not a setting; did you mean CONTACT_EMAIL\?$/u),
  });
});

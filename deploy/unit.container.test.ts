// The unit, in a machine of its own that systemd boots: what make-app.sh has built, behind a proxy and on port 443.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../apps/server/testing/certificate.ts';
import { ROOT } from '../scripts/paths.mjs';
import { debianArchive, runWell } from './testing/containers.ts';

const read = (name: string) => readFileSync(join(ROOT, 'deploy', name), 'utf8');
/** The first drop-in of deploy/README.md: what an operator copies. */
const DROP_IN = /^```\n(\[Service\]\nCapabilityBoundingSet[^]+?)```$/mu.exec(read('README.md'))?.[1] ?? '';
/** How an admin command is run beside the unit, without the command itself. */
const ADMIN = /^(systemd-run [^]+?\/bin\/furoshiki-admin) stats$/mu.exec(read('README.md'))?.[1] ?? '';
/** In the guest. */
const NODE = '/opt/furoshiki/current/bin/node';

let folder: string;
let root: string;

// The Debian archive is made first, which takes a minute on a slow connection.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'furoshiki-unit-'));
  root = join(folder, 'root');
  mkdirSync(root);
  runWell('tar', ['-xf', debianArchive(), '-C', root]);
  runWell('sh', [join(ROOT, 'deploy', 'make-app.sh'), join(root, 'opt', 'furoshiki')]);
  cpSync(join(ROOT, 'deploy', 'furoshiki.service'), join(root, 'etc/systemd/system/furoshiki.service'));
  writeFileSync(join(root, 'etc/furoshiki.env'), '', { mode: 0o600 });
}, 900_000);
afterAll(() => rmSync(folder, { recursive: true }));

/** Boots the machine, which has no network but its own, runs the script in it, and returns what that printed. */
function boot(script: string): string {
  writeFileSync(join(root, 'test.sh'), `#!/bin/sh\nexec >/output 2>&1\n${script}\nsystemctl --force poweroff\n`);
  chmodSync(join(root, 'test.sh'), 0o755);
  const unit = '[Unit]\nAfter=multi-user.target\n[Service]\nType=oneshot\nExecStart=/test.sh\n';
  writeFileSync(join(root, 'etc/systemd/system/test.service'), unit);
  const wants = join(root, 'etc/systemd/system/default.target.wants');
  mkdirSync(wants, { recursive: true });
  for (const name of ['furoshiki', 'test'])
    runWell('ln', ['-sf', `../${name}.service`, join(wants, `${name}.service`)]);
  rmSync(join(root, 'output'), { force: true });
  const options = ['--private-network', '--register=no', '--keep-unit', '--quiet'];
  runWell('systemd-nspawn', ['--boot', `--directory=${root}`, ...options]);
  return readFileSync(join(root, 'output'), 'utf8');
}

/** A shell command that prints status and body as soon as the server responds. After a minute it gives up. */
function request(url: string): string {
  const code = `
    const again = () => new Promise((next) => setTimeout(next, 50));
    const get = () => fetch(${JSON.stringify(url)}).catch((error) => {
      if (performance.now() > 60000) throw error;
      return again().then(get);
    });
    get().then(async (response) => console.log(response.status, await response.text()));`;
  return `NODE_NO_WARNINGS=1 NODE_TLS_REJECT_UNAUTHORIZED=0 ${NODE} --eval '${code.replaceAll("'", `'\\''`)}'`;
}

it('serves on a loopback port with its own user, keeps its data over a restart, and is backed up and restored', () => {
  writeFileSync(join(root, 'etc/furoshiki.env'), 'PORT=3000\n', { mode: 0o600 });
  const output = boot(`
    ${request('http://127.0.0.1:3000/healthz')}
    systemctl show furoshiki --property=ActiveState --property=NRestarts | sort
    stat -c '%a %U' /var/lib/private/furoshiki/furoshiki.db
    cat /var/lib/private/furoshiki/secret | sha256sum
    systemctl restart furoshiki
    ${request('http://127.0.0.1:3000/healthz')}
    cat /var/lib/private/furoshiki/secret | sha256sum
    ${ADMIN} stats | head -n 1
    ${ADMIN} backup - 2>/dev/null >/backup.tar
    systemctl stop furoshiki
    mv /var/lib/private/furoshiki /var/lib/private/furoshiki.old
    ${ADMIN} restore - </backup.tar >/dev/null
    systemctl start furoshiki
    ${request('http://127.0.0.1:3000/healthz')}
    cat /var/lib/private/furoshiki/secret | sha256sum`);
  const [health, active, restarts, owner, secret, again, sameSecret, stats, restored, restoredSecret] =
    output.split('\n');
  expect([health, again, restored]).toEqual(Array.from({ length: 3 }, () => '200 {"status":"ok"}'));
  expect(stats).toBe('live files: 0');
  expect([active, restarts]).toEqual(['ActiveState=active', 'NRestarts=0']);
  expect(owner).toMatch(/^600 /u);
  expect(secret).toMatch(/^[0-9a-f]{64} /u);
  expect([sameSecret, restoredSecret]).toEqual([secret, secret]);
});

it('serves on every address and on port 443 with the drop-in of the docs', async () => {
  const { certFile, keyFile, discard } = await makeCertificate();
  const live = join(root, 'etc/letsencrypt/live/files.example.org');
  mkdirSync(live, { recursive: true, mode: 0o700 });
  for (const [from, to] of [
    [certFile, 'fullchain.pem'],
    [keyFile, 'privkey.pem'],
  ] as const) {
    cpSync(from, join(live, to));
    chmodSync(join(live, to), 0o600);
  }
  await discard();
  const dropIns = join(root, 'etc/systemd/system/furoshiki.service.d');
  mkdirSync(dropIns);
  expect(DROP_IN).toContain('HOST=0.0.0.0 PORT=443');
  writeFileSync(join(dropIns, 'override.conf'), DROP_IN);
  writeFileSync(join(root, 'etc/furoshiki.env'), '', { mode: 0o600 });
  const output = boot(`
    ${request('https://127.0.0.1/healthz')}
    systemctl show furoshiki --property=ActiveState --property=NRestarts | sort
    grep CapEff /proc/$(systemctl show furoshiki --property=MainPID --value)/status`);
  rmSync(dropIns, { recursive: true });
  const [health, active, restarts, capabilities] = output.split('\n');
  expect(health).toBe('200 {"status":"ok"}');
  expect([active, restarts]).toEqual(['ActiveState=active', 'NRestarts=0']);
  expect(capabilities).toBe('CapEff:\t0000000000000400'); // only CAP_NET_BIND_SERVICE
});

describe('make-app.sh', () => {
  const target = () => join(root, 'opt', 'furoshiki');
  const make = () => runWell('sh', [join(ROOT, 'deploy', 'make-app.sh'), target()]);

  it('keeps the version before, and removes older ones', () => {
    const first = readlinkSync(join(target(), 'current'));
    make();
    const second = readlinkSync(join(target(), 'current'));
    expect(readlinkSync(join(target(), 'previous'))).toBe(first);
    make();
    const third = readlinkSync(join(target(), 'current'));
    expect(readlinkSync(join(target(), 'previous'))).toBe(second);
    expect(new Set([first, second, third]).size).toBe(3);
    expect(runWell('ls', [target()]).split('\n').toSorted()).toEqual([second, third, 'current', 'previous'].toSorted());
  });
});

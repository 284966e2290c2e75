// Images in place of those that the compose files name, which are in a registry: the same programs from Debian's packages.
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { ROOT } from '../../scripts/paths.mjs';
import { CERTIFICATES, debianArchive, run, runWell } from './containers.ts';

const POSTGRES = '/usr/lib/postgresql/15/bin';
const START_POSTGRES = `#!/bin/sh
set -e
data=/var/lib/postgresql/data
chown postgres: $data
if [ ! -e $data/PG_VERSION ]; then
	echo "$POSTGRES_PASSWORD" >/tmp/password
	setpriv --reuid=postgres --regid=postgres --init-groups ${POSTGRES}/initdb -D $data -U "$POSTGRES_USER" -A scram-sha-256 --pwfile=/tmp/password
	echo 'host all all all scram-sha-256' >>$data/pg_hba.conf
	echo "CREATE DATABASE $POSTGRES_DB" | setpriv --reuid=postgres --regid=postgres --init-groups ${POSTGRES}/postgres --single -D $data postgres
fi
mkdir -p /run/postgresql && chown postgres: /run/postgresql
exec setpriv --reuid=postgres --regid=postgres --init-groups ${POSTGRES}/postgres -D $data -c listen_addresses='*'
`;

const CEPH = ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph-common'];
const IMAGES = {
  proxy: {
    packages: ['caddy'],
    command: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'],
  },
  database: { packages: ['postgresql'], command: ['/start-postgres'] },
  store: { packages: CEPH, command: ['/src/node_modules/.bin/node', '/src/deploy/testing/store-stand-in.ts'] },
};
type Name = keyof typeof IMAGES;
const imageOf = (name: Name) => `localhost/furoshiki-test-${name}`;

function buildStandIn(name: Name): void {
  if (run('podman', ['image', 'exists', imageOf(name)]).status === 0) return;
  const { packages, command } = IMAGES[name];
  const context = mkdtempSync(join(tmpdir(), 'furoshiki-stand-in-'));
  try {
    cpSync(debianArchive(), join(context, 'debian.tar'));
    cpSync(CERTIFICATES, join(context, 'certificates.crt'));
    writeFileSync(join(context, 'start-postgres'), START_POSTGRES, { mode: 0o755 });
    const lines = [
      'FROM scratch',
      'ADD debian.tar /',
      'COPY start-postgres /',
      'ENV DEBIAN_FRONTEND=noninteractive XDG_DATA_HOME=/data',
      `RUN apt-get update && apt-get install -y --no-install-recommends ${packages.join(' ')}`,
      `CMD ${JSON.stringify(command)}`,
    ];
    writeFileSync(join(context, 'Containerfile'), `${lines.join('\n')}\n`);
    runWell('buildah', ['build', '--quiet', '--network=host', '--tag', imageOf(name), context]);
  } finally {
    rmSync(context, { recursive: true });
  }
}

interface Service {
  image: string;
  command?: unknown;
  container_name?: string;
  ports?: unknown;
  volumes?: string[] | undefined;
}

/** Returns the file with images that exist here, and without ports of this machine. Everything else stays as it is. */
export function withStandIns(text: string): string {
  const file = parse(text, { merge: true }) as { services: Record<string, Service> };
  for (const [name, service] of Object.entries(file.services)) {
    delete service.ports;
    service.volumes = service.volumes?.map((volume) => volume.replace(/^\.\//u, `${join(ROOT, 'deploy')}/`)) ?? [];
    if (!(name in IMAGES)) continue;
    buildStandIn(name as Name);
    service.image = imageOf(name as Name);
    delete service.command;
    if (name === 'store') service.volumes.push(`${ROOT}:/src:ro`);
  }
  const { proxy } = file.services;
  // No DNS here knows the second name of the proxy, so it is a second proxy.
  if (proxy && text.includes('${STORE}'))
    file.services['proxy-of-store'] = { ...proxy, container_name: '${STORE}', volumes: proxy.volumes?.slice(0, 1) };
  return stringify(file);
}

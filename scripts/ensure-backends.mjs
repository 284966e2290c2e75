// Finds PostgreSQL and the Ceph Object Gateway, and installs their Debian packages if possible.
import { existsSync, readdirSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findProgram, installDebianPackages } from './ensure-programs.mjs';

const POSTGRES_VERSIONS = '/usr/lib/postgresql';
const CEPH_PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'ceph-authtool', 'monmaptool', 'radosgw', 'radosgw-admin'];
const CEPH_PACKAGES = ['ceph-mon', 'ceph-osd', 'radosgw', 'ceph-common'];

/** @returns {string | undefined} the folder of its programs: Debian has one per version, which is not on the PATH */
export function findPostgres() {
  const onPath = findProgram('initdb');
  // A link on the PATH leads to one program; the others are beside its target.
  if (onPath) return dirname(realpathSync(onPath));
  if (!existsSync(POSTGRES_VERSIONS)) return undefined;
  const [newest] = readdirSync(POSTGRES_VERSIONS).toSorted((a, b) => Number(b) - Number(a));
  return newest && join(POSTGRES_VERSIONS, newest, 'bin');
}

/** @returns {boolean} */
export const hasCeph = () => CEPH_PROGRAMS.every((name) => findProgram(name));

/** @returns {string | undefined} why a backend is missing, or undefined if none is */
export function ensureBackends() {
  const missing = [...(findPostgres() ? [] : ['postgresql']), ...(hasCeph() ? [] : CEPH_PACKAGES)];
  if (missing.length === 0) return undefined;
  const reason = installDebianPackages(missing);
  return reason === undefined ? undefined : `PostgreSQL and Ceph were not both found (${reason})`;
}

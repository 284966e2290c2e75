// Packs a folder so that the same files give the same bytes on every machine.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

/** Names, times, owners and permissions of the machine are left out. */
const NEUTRAL = [
  '--sort=name',
  '--format=ustar',
  '--owner=0',
  '--group=0',
  '--numeric-owner',
  '--mode=u+rw,go+r,go-w,a+X',
];

/**
 * GNU tar writes the archive. The pinned Node compresses it, because the bytes of gzip depend on its version.
 * @param {string} archive the .tar.gz to write
 * @param {string} parent
 * @param {string} folder in parent, and the only one in the archive
 * @param {number} timeS of every file. It must differ between versions: the server makes its ETags from it.
 */
export function archiveFolder(archive, parent, folder, timeS) {
  const { status, stdout, stderr, error } = spawnSync(
    'tar',
    [...NEUTRAL, `--mtime=@${timeS}`, '--create', '--file=-', `--directory=${parent}`, folder],
    { env: { ...process.env, LC_ALL: 'C', TAR_OPTIONS: '' }, maxBuffer: 1024 ** 3 },
  );
  if (status !== 0) throw new Error(`tar failed: ${String(stderr)}${error?.message ?? ''}`);
  writeFileSync(archive, gzipSync(stdout));
}

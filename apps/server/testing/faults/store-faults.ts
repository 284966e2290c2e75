// Faults of an S3 store: a bucket of Ceph, behind a proxy with TLS. Bytes pass through the server.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hasCeph } from '../../../../scripts/ensure-backends.mjs';
import type { Ceph } from '../ceph.ts';
import { type MadeCertificate, makeCertificate } from '../certificate.ts';
import { wrongClock } from './clock.ts';
import type { Deployment, Fault, Switch } from './fault.ts';
import { FaultProxy } from './fault-proxy.ts';

interface Store {
  proxy: FaultProxy;
  /** Replaces the secret of the access key. */
  setSecret(secret: string): Promise<void>;
  secret: string;
  renameBucket(isAway: boolean): Promise<void>;
  certificate: MadeCertificate;
  unknownCertificate: MadeCertificate;
  /** While it exists, the clock of the server is wrong. */
  clockFile: string;
}

export function storeFaults(ceph: () => Promise<Ceph>): Fault[] {
  const fault = (name: string, switchOf: (store: Store) => Switch): Fault => ({
    name,
    isPossible: hasCeph(),
    deploy: async () => deployWith(await ceph(), switchOf),
  });
  const present = (proxy: FaultProxy, certificate: MadeCertificate) => {
    proxy.certificate = certificate;
    proxy.cut();
  };
  return [
    fault('store down', ({ proxy }) => ({ arrange: () => proxy.interrupt(), restore: () => proxy.resume() })),
    fault('store frozen', ({ proxy }) => ({ arrange: () => proxy.freeze(), restore: () => proxy.thaw() })),
    fault('store: wrong key', ({ setSecret, secret }) => ({
      arrange: () => setSecret(randomBytes(16).toString('hex')),
      restore: () => setSecret(secret),
    })),
    fault('store: bucket missing', ({ renameBucket }) => ({
      arrange: () => renameBucket(true),
      restore: () => renameBucket(false),
    })),
    fault('store: certificate wrong', ({ proxy, certificate, unknownCertificate }) => ({
      arrange: () => present(proxy, unknownCertificate),
      restore: () => present(proxy, certificate),
    })),
    fault('clock wrong by 17 minutes', ({ clockFile }) => ({
      arrange: () => writeFile(clockFile, ''),
      restore: () => rm(clockFile),
    })),
  ];
}

async function deployWith(ceph: Ceph, switchOf: (store: Store) => Switch): Promise<Deployment> {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-faults-'));
  const [certificate, unknownCertificate] = [await makeCertificate(), await makeCertificate()];
  const proxy = await FaultProxy.start(Number(new URL(ceph.endpoint).port), certificate);
  const keys = { accessKeyId: randomBytes(16).toString('hex'), secretAccessKey: randomBytes(16).toString('hex') };
  const user = `--uid=${keys.accessKeyId}`;
  const setSecret = (secret: string) =>
    ceph.admin('key', 'create', user, `--access-key=${keys.accessKeyId}`, `--secret-key=${secret}`);
  await ceph.admin('user', 'create', user, '--display-name=faults');
  await setSecret(keys.secretAccessKey);
  const bucket = await ceph.newBucket(keys);
  const renameBucket = (isAway: boolean) => {
    const [from, to] = isAway ? [bucket, `${bucket}-away`] : [`${bucket}-away`, bucket];
    return ceph.admin('bucket', 'link', user, `--bucket=${from}`, `--bucket-new-name=${to}`);
  };
  const clockFile = join(folder, 'clock-is-wrong');
  return {
    ...switchOf({
      proxy,
      setSecret,
      secret: keys.secretAccessKey,
      renameBucket,
      certificate,
      unknownCertificate,
      clockFile,
    }),
    environment: {
      DATA_DIR: folder,
      S3_BUCKET: bucket,
      S3_ENDPOINT: `https://127.0.0.1:${proxy.port}`,
      S3_PATH_STYLE: 'true',
      S3_PROXY: 'true',
      S3_ACCESS_KEY_ID: keys.accessKeyId,
      S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
      MAX_STORED_BYTES: '1GB',
      NODE_EXTRA_CA_CERTS: certificate.certFile,
      ...wrongClock(clockFile),
    },
    aliases: { [folder]: '…', [bucket]: '…', [String(proxy.port)]: '…' },
    secrets: Object.values(keys),
    async discard() {
      await proxy.discard();
      for (const made of [certificate, unknownCertificate]) await made.discard();
      await rm(folder, { recursive: true });
    },
  };
}

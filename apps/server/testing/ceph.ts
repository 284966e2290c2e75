// A real Ceph with its Object Gateway, from Debian's packages: three processes over a temporary folder, with the objects in
// memory.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePort } from './process.ts';

const run = promisify(execFile);
export const CEPH_KEYS = { accessKeyId: 'testaccess', secretAccessKey: 'testsecretkey' };

/** What tests can do with a shared Ceph cluster. */
export interface Ceph {
  endpoint: string;
  /** Creates an empty bucket of the user with these keys and returns its name. */
  newBucket(credentials?: typeof CEPH_KEYS, name?: string): Promise<string>;
  /** Runs radosgw-admin. */
  admin(...args: string[]): Promise<void>;
  stop(): Promise<void>;
}

/** A Ceph that belongs to one test, which may stop and start it. */
export interface CephCluster extends Ceph {
  /** The path of ceph.conf. */
  config: string;
  /** Kills the gateway (connections are cut, and new ones refused) and pauses the processes behind it. */
  interrupt(): Promise<void>;
  resume(): Promise<void>;
  /** Applies the lifecycle rules of all buckets now, as if each day of a rule lasted one second. */
  runLifecycles(): Promise<void>;
}

export async function startCeph(): Promise<CephCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'furoshiki-ceph-'));
  const inFolder = (name: string) => join(folder, name);
  for (const name of ['mon', 'osd', 'rgw', 'log', 'run']) await mkdir(inFolder(name));
  const [monPort, gatewayPort, osdPorts] = [await freePort(), await freePort(), await freePort()];
  const [cluster, osd] = [randomUUID(), randomUUID()];
  const config = inFolder('ceph.conf');
  await writeFile(config, configuration());

  function configuration(): string {
    return `[global]
fsid = ${cluster}
mon host = v2:127.0.0.1:${monPort}
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind msgr1 = false
ms bind port min = ${osdPorts}
ms bind port max = ${osdPorts + 200}
auth cluster required = none
auth service required = none
auth client required = none
run dir = ${inFolder('run')}
admin socket = ${inFolder('run')}/$name.asok
crash dir = ${inFolder('run')}
log file = ${inFolder('log')}/$name.log
keyring = ${inFolder('keyring')}
mon data = ${inFolder('mon')}
osd data = ${inFolder('osd')}
rgw data = ${inFolder('rgw')}
# A single monitor needs no quorum, so it accepts changes of the map at once.
paxos propose interval = 0.02
paxos min wait = 0.01
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 4
osd pool default pgp num = 4
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon max pg per osd = 1000
mon data avail crit = 1
osd objectstore = memstore
memstore device bytes = 8589934592
[client.rgw]
# Without it the gateway waits for an authentication that is disabled.
ms mon client mode = crc
rgw frontends = beast endpoint=127.0.0.1:${gatewayPort}
# A gateway that is killed while it completes a multipart upload leaves its lock behind, by default for ten minutes.
rgw mp lock max time = 20
rgw gc obj min wait = 1
rgw gc processor period = 2
`;
  }

  const ceph = (program: string, ...args: string[]) => run(program, ['-c', config, ...args]);
  // The daemons end with this process, even if it is killed.
  const daemon = (program: string, ...args: string[]) =>
    spawn('setpriv', ['--pdeathsig', 'KILL', program, '-c', config, ...args, '-f'], { stdio: 'ignore' });

  await run('ceph-authtool', ['-C', inFolder('keyring'), '--gen-key', '-n', 'mon.', '--cap', 'mon', 'allow *']);
  const address = `[v2:127.0.0.1:${monPort}]`;
  await run('monmaptool', ['--create', '--fsid', cluster, '--addv', 'a', address, inFolder('monmap')]);
  await ceph('ceph-mon', '-i', 'a', '--mkfs', '--monmap', inFolder('monmap'), '--keyring', inFolder('keyring'));
  const monitor = daemon('ceph-mon', '-i', 'a');
  await ceph('ceph', '--connect-timeout', '300', 'osd', 'new', osd);
  await ceph('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd);
  const storage = daemon('ceph-osd', '-i', '0');
  const user = ['--uid=test', '--display-name=test'];
  const keys = [`--access-key=${CEPH_KEYS.accessKeyId}`, `--secret-key=${CEPH_KEYS.secretAccessKey}`];
  await ceph('radosgw-admin', '-n', 'client.rgw', 'user', 'create', ...user, ...keys);

  let gateway: ChildProcess;
  async function startGateway(): Promise<void> {
    gateway = daemon('radosgw', '-n', 'client.rgw');
    while (!(await acceptsConnections(gatewayPort))) {
      if (gateway.exitCode !== null) throw new Error('the gateway did not start');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  await startGateway();

  const connected = connectToCeph(`http://127.0.0.1:${gatewayPort}`, config);
  return {
    ...connected,
    config,
    runLifecycles: () => connected.admin('lc', 'process', '--rgw-lc-debug-interval=1'),
    async interrupt() {
      await kill(gateway);
      // Paused and not killed, because the objects are in their memory.
      for (const child of [storage, monitor]) child.kill('SIGSTOP');
    },
    async resume() {
      for (const child of [monitor, storage]) child.kill('SIGCONT');
      await startGateway();
    },
    async stop() {
      for (const child of [gateway, storage, monitor]) await kill(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A Ceph that is already running. `stop` leaves it running. */
export function connectToCeph(endpoint: string, config: string): Ceph {
  const admin = async (...args: string[]) =>
    void (await run('radosgw-admin', ['-c', config, '-n', 'client.rgw', ...args]));
  return {
    endpoint,
    admin,
    async newBucket(credentials = CEPH_KEYS, name = `test-${randomBytes(8).toString('hex')}`) {
      const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
      await client.send(new CreateBucketCommand({ Bucket: name }));
      return name;
    },
    stop: () => Promise.resolve(),
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function acceptsConnections(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

// Runs Debian's nginx and Caddy as ordinary processes with a temporary folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, open, readdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../../scripts/ensure-programs.mjs';

export type ProxyName = 'nginx' | 'caddy';

/** Caddy logs to stderr. */
const LOGS = ['access.log', 'error.log', 'stderr.log'];

export class ProxyProcess {
  readonly #child: ChildProcess;
  readonly #folder: string;

  /** `sites` is the part that an operator writes. The rest of Debian's configuration is added here. */
  static async start(
    name: ProxyName,
    port: number,
    sites: string,
    environment: Record<string, string> = {},
  ): Promise<ProxyProcess> {
    const folder = await mkdtemp(join(tmpdir(), `furoshiki-${name}-`));
    const file = join(folder, 'configuration');
    await writeFile(file, name === 'nginx' ? nginxConfiguration(folder, sites) : caddyConfiguration(sites));
    for (const log of LOGS) await writeFile(join(folder, log), '');
    const stderr = await open(join(folder, 'stderr.log'), 'a');
    const args =
      name === 'nginx'
        ? ['-p', folder, '-c', file, '-e', join(folder, 'error.log')]
        : ['run', '--adapter', 'caddyfile', '--config', file];
    const child = spawn(findProgram(name) ?? name, args, {
      stdio: ['ignore', 'inherit', stderr.fd],
      env: { PATH: process.env['PATH'], HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder, ...environment },
    });
    await stderr.close();
    const proxy = new ProxyProcess(child, folder);
    await proxy.#waitUntilListening(port);
    return proxy;
  }

  private constructor(child: ChildProcess, folder: string) {
    this.#child = child;
    this.#folder = folder;
  }

  async #waitUntilListening(port: number): Promise<void> {
    for (;;) {
      if (this.#child.exitCode !== null) throw new Error(`the proxy did not start: ${await this.logs()}`);
      const socket = connect(port, '127.0.0.1');
      const [event] = await Promise.race([
        once(socket, 'connect').then(() => ['connected']),
        once(socket, 'error').catch(() => []),
        once(socket, 'close').then(() => []),
      ]).catch(() => []);
      socket.destroy();
      if (event === 'connected') return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** Everything that the proxy has logged. */
  async logs(): Promise<string> {
    return (await Promise.all(LOGS.map((log) => readFile(join(this.#folder, log), 'utf8')))).join('');
  }

  /**
   * How many bytes of responses nginx keeps on its disk. It removes the name of a temporary file when it has opened it, so only
   * the descriptors of its processes lead to it.
   */
  async temporaryBytes(): Promise<number> {
    const { pid } = this.#child;
    const workers = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ');
    const sizes = workers.map(async (worker) => {
      const folder = `/proc/${worker}/fd`;
      const isTemporary = async (name: string) =>
        (await readlink(join(folder, name))).startsWith(`${this.#folder}/proxy/`);
      let bytes = 0;
      for (const name of await readdir(folder))
        if (await isTemporary(name).catch(() => false)) bytes += (await stat(join(folder, name))).size;
      return bytes;
    });
    return (await Promise.all(sizes)).reduce((sum, bytes) => sum + bytes, 0);
  }

  async discard(): Promise<void> {
    this.#child.kill('SIGTERM');
    if (this.#child.exitCode === null) await once(this.#child, 'exit');
    await rm(this.#folder, { recursive: true });
  }
}

/** The relevant rest of Debian's nginx.conf, with all files in the temporary folder. */
function nginxConfiguration(folder: string, sites: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  // If root starts nginx, its workers switch to a user who has no access to the temporary folder.
  const user = process.getuid?.() === 0 ? 'user root;' : '';
  return `${user}
daemon off;
worker_processes 2;
pid ${folder}/pid;
events { worker_connections 768; }
http {
include /etc/nginx/mime.types;
access_log ${folder}/access.log;
error_log ${folder}/error.log;
${temporary.map((name) => `${name}_temp_path ${folder}/${name};`).join('\n')}
${sites.replaceAll('/var/log/nginx', folder)}
}
`;
}

/** Disables the admin port and the redirect from port 80 to HTTPS, in the block of global options if there is one. */
function caddyConfiguration(sites: string): string {
  const options = 'admin off\nauto_https disable_redirects\nskip_install_trust\n';
  return /^\{$/mu.test(sites) ? sites.replace(/^\{$/mu, `{\n${options}`) : `{\n${options}}\n${sites}\n`;
}

// The proxies of deploy/, with only addresses, names and certificates replaced.
import { readFile } from 'node:fs/promises';
import type { MadeCertificate } from '../../apps/server/testing/certificate.ts';
import { freePort } from '../../apps/server/testing/process.ts';
import { type ProxyName, ProxyProcess } from './proxy-process.ts';

export interface DeployedProxy {
  url: string;
  process: ProxyProcess;
}

export interface Ports {
  proxy: number;
  server: number;
}

export const deployed = (name: string) => readFile(new URL(`../../deploy/${name}`, import.meta.url), 'utf8');

/** The site of deploy/nginx.many.conf. */
export async function nginxSite(
  port: number,
  servers: string[],
  { certFile, keyFile }: MadeCertificate,
): Promise<string> {
  const members = servers.values();
  return (await deployed('nginx.many.conf'))
    .replace('listen 443 ', `listen 127.0.0.1:${port} `)
    .replace('server_name files.example.org;', 'server_name 127.0.0.1;')
    .replace(/ssl_certificate \S+;/u, `ssl_certificate ${certFile};`)
    .replace(/ssl_certificate_key \S+;/u, `ssl_certificate_key ${keyFile};`)
    .replaceAll(/10\.0\.0\.\d+:3000/gu, () => members.next().value ?? 'too-few-servers');
}

async function caddySite(port: number, servers: string[], { certFile, keyFile }: MadeCertificate): Promise<string> {
  const [site = ''] = (await deployed('Caddyfile.many')).split('# The Host header');
  return site
    .replace('{$SITE}', `https://localhost:${port}, https://127.0.0.1:${port}`)
    .replace('tls {', `tls ${certFile} ${keyFile} {`)
    .replaceAll('{$SERVERS}', servers.join(' '));
}

export async function startDeployedProxy(
  name: ProxyName,
  ports: number[],
  certificate: MadeCertificate,
): Promise<DeployedProxy> {
  const port = await freePort();
  const addresses = ports.map((serverPort) => `127.0.0.1:${serverPort}`);
  const site = name === 'nginx' ? nginxSite : caddySite;
  const process = await ProxyProcess.start(name, port, await site(port, addresses, certificate));
  return { url: `https://localhost:${port}`, process };
}

/** The site of deploy/nginx.conf or deploy/Caddyfile, which has one server. */
export async function oneServerSite(
  name: ProxyName,
  { proxy, server }: Ports,
  { certFile, keyFile }: MadeCertificate,
): Promise<string> {
  if (name === 'nginx')
    return (await deployed('nginx.conf'))
      .replace('listen 443 ', `listen 127.0.0.1:${proxy} `)
      .replace('server_name files.example.org;', 'server_name 127.0.0.1;')
      .replace(/ssl_certificate \S+;/u, `ssl_certificate ${certFile};`)
      .replace(/ssl_certificate_key \S+;/u, `ssl_certificate_key ${keyFile};`)
      .replace('127.0.0.1:3000', `127.0.0.1:${server}`);
  return (await deployed('Caddyfile'))
    .replace('{$SITE:files.example.org}', `https://localhost:${proxy}, https://127.0.0.1:${proxy}`)
    .replace('tls {', `tls ${certFile} ${keyFile} {`)
    .replace('{$SERVER:127.0.0.1:3000}', `127.0.0.1:${server}`);
}

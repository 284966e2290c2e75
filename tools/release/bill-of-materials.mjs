// npm run sbom [-- <file>]: the bill of materials in the CycloneDX format, of every package that production runs, from
// package-lock.json. By hand, because `npm sbom` leaves out packages that a workspace also uses in development, such as
// fastify.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ROOT } from '../../scripts/paths.mjs';

/**
 * @typedef {{ version?: string, integrity?: string, license?: string, link?: boolean, resolved?: string,
 *   bin?: Record<string, string>, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 *   peerDependencies?: Record<string, string>, peerDependenciesMeta?: Record<string, { optional?: boolean }> }} Locked
 * @typedef {{ version: string, packages: Record<string, Locked> }} Lockfile
 */

/** What the server runs, and what is built into the pages. The root has Node. */
const ROOTS = ['', 'apps/server', 'apps/web'];
const FOLDER = 'node_modules/';

/** @param {Locked} locked @returns {string[]} */
function needsOf({ dependencies, optionalDependencies, peerDependencies, peerDependenciesMeta = {} }) {
  const peers = Object.keys(peerDependencies ?? {}).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers];
}

/**
 * Finds a package as Node does: in the node_modules of the folder, then of those above it.
 * @param {Lockfile['packages']} packages
 * @param {string} from
 * @param {string} name
 * @returns {string}
 */
function resolve(packages, from, name) {
  const path = `${from === '' ? '' : `${from}/`}${FOLDER}${name}`;
  const locked = packages[path];
  if (locked) return locked.link ? (locked.resolved ?? '') : path;
  if (from === '') throw new Error(`${name} is not in the lockfile`);
  return resolve(packages, from.includes('/') ? from.slice(0, from.lastIndexOf('/')) : '', name);
}

/** @param {string} path @param {Locked} locked */
function componentOf(path, { version, integrity = '', license, bin }) {
  const name = path.slice(path.lastIndexOf(FOLDER) + FOLDER.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const content = Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    'bom-ref': purl,
    type: bin?.node === undefined ? 'library' : 'platform',
    name,
    version,
    purl,
    // Scanners know Node's vulnerabilities by this name, not by that of the package.
    ...(bin?.node === undefined ? {} : { cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*` }),
    hashes: [{ alg: 'SHA-512', content }],
    licenses: [{ expression: license }],
  };
}

/**
 * The result depends on the lockfile alone: it has no time, no serial number and no path.
 * @param {Lockfile} lockfile
 */
export function billOfMaterials({ version, packages }) {
  /** @type {Map<string, string[]>} */
  const found = new Map();
  /** @param {string} path */
  const visit = (path) => {
    if (found.has(path)) return;
    const needs = needsOf(packages[path] ?? {}).map((name) => resolve(packages, path, name));
    found.set(path, needs);
    needs.forEach(visit);
  };
  ROOTS.forEach(visit);

  const application = { 'bom-ref': 'furoshiki', type: 'application', name: 'furoshiki', version };
  /** Our own workspaces are parts of the application. @param {string} path */
  const isOurs = (path) => !path.includes(FOLDER);
  const components = [...found.keys()]
    .filter((path) => !isOurs(path))
    .toSorted()
    .map((path) => ({ path, component: componentOf(path, packages[path] ?? {}) }));
  const refs = new Map(components.map(({ path, component }) => [path, component['bom-ref']]));
  /** @param {string[]} paths */
  const refsOf = (paths) => [...new Set(paths.flatMap((path) => refs.get(path) ?? []))].toSorted();
  const direct = [...found].filter(([path]) => isOurs(path)).flatMap(([, needs]) => needs);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: application },
    components: components.map(({ component }) => component),
    dependencies: [
      { ref: application['bom-ref'], dependsOn: refsOf(direct) },
      ...components.map(({ path }) => ({ ref: refs.get(path), dependsOn: refsOf(found.get(path) ?? []) })),
    ],
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = process.argv[2] ?? 'sbom.cdx.json';
  const lockfile = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  writeFileSync(file, `${JSON.stringify(billOfMaterials(lockfile), null, 2)}\n`);
  console.log(`Wrote ${file}`);
}

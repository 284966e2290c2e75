// What the operator has signed with WEBCAT's tool (bundle.json), and what is wrong with it. It checks who has signed, not whether
// the log and its witnesses have recorded it: only WEBCAT's own programs do.
import { createPublicKey, hash, verify } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod/mini';
import type { Manifest } from './manifest.ts';

const sigsum = z.object({
  type: z.prefault(z.literal('sigsum'), 'sigsum'),
  signers: z.array(z.string()),
  threshold: z.number(),
  max_age: z.number(),
});
const sigstore = z.object({ type: z.literal('sigstore'), max_age: z.number() });
const sigstoreSignatures = z.array(
  z.object({ messageSignature: z.object({ messageDigest: z.object({ digest: z.string() }) }) }),
);
const bundle = z.object({
  enrollment: z.union([sigstore, sigsum]),
  manifest: z.looseObject({ version: z.string(), timestamp: z.optional(z.string()), files: z.object({}) }),
  signatures: z.union([z.record(z.string(), z.string()), z.array(z.unknown())]),
});

export interface SignedBundle {
  manifest: Partial<Manifest>;
  /** In one sentence each, the first to solve first. */
  problems: string[];
}

/** Returns undefined if the folder has no bundle, or one that is not JSON with the fields of a bundle. */
export async function readBundle(folder: string, nowMs: number): Promise<SignedBundle | undefined> {
  const json = await readJson(folder, 'bundle.json');
  const parsed = bundle.safeParse(json);
  if (!parsed.success) return undefined;
  const { enrollment, signatures } = parsed.data;
  // As it was read: parsing drops fields that are signed too.
  const { manifest, enrollment: ownEnrollment } = json as { manifest: Partial<Manifest>; enrollment: unknown };
  const published = await readJson(folder, 'enrollment.json');
  const enrolled =
    published === undefined
      ? ['enrollment.json is missing or damaged: copy the file that you enrolled with into the folder']
      : canonical(published) === canonical(ownEnrollment)
        ? []
        : [
            'the enrolment in bundle.json is not that of enrollment.json: make the bundle again with `webcat bundle create`',
          ];
  const signed =
    enrollment.type === 'sigstore'
      ? problemsOfSigstore(manifest, signatures)
      : [
          ...problemsOfTimestamp(manifest.timestamp, enrollment.max_age, nowMs),
          ...problemsOfSignatures(manifest, signatures, enrollment),
        ];
  return { manifest, problems: [...enrolled, ...signed] };
}

async function readJson(folder: string, name: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(join(folder, name), 'utf8'));
  } catch {
    return undefined;
  }
}

/** A tree head of a Sigsum log, which witnesses have signed with the time. */
export function cosignedAtMs(timestamp: string): number | undefined {
  const isTreeHead = ['size', 'root_hash', 'signature'].every((name) =>
    new RegExp(`^${name}=\\w+$`, 'mu').test(timestamp),
  );
  const times = [...timestamp.matchAll(/^cosignature=\w+ (\d+) \w+$/gmu)].map(([, seconds]) => Number(seconds) * 1000);
  return isTreeHead ? times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] : undefined;
}

function problemsOfTimestamp(timestamp: string | undefined, maxAgeSeconds: number, nowMs: number): string[] {
  const again = 'make the manifest again with --timestamp, and sign it';
  if (timestamp === undefined) return [`the manifest has no timestamp: ${again}`];
  const atMs = cosignedAtMs(timestamp);
  if (atMs === undefined) return [`the timestamp of the manifest is not a tree head with cosignatures: ${again}`];
  return nowMs - atMs > maxAgeSeconds * 1000
    ? [`the timestamp of the manifest is older than the enrolment allows: ${again}`]
    : [];
}

const LEAF = Buffer.from('sigsum.org/v1/tree-leaf\0');
/** An Ed25519 key as DER begins with this. */
const KEY_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');

function problemsOfSignatures(
  manifest: object,
  signatures: Record<string, string> | unknown[],
  { signers, threshold }: z.infer<typeof sigsum>,
): string[] {
  const proofs = Array.isArray(signatures) ? {} : signatures;
  const signed = Buffer.concat([LEAF, hash('sha256', hash('sha256', canonical(manifest), 'buffer'), 'buffer')]);
  const present = signers.filter((signer) => Object.hasOwn(proofs, signer));
  const isValid = (signer: string) => {
    const [, signature = ''] = /^leaf=[0-9a-f]{64} ([0-9a-f]{128})$/mu.exec(proofs[signer] ?? '') ?? [];
    const key = Buffer.concat([KEY_PREFIX, Buffer.from(signer, 'base64url')]);
    try {
      const publicKey = createPublicKey({ key, format: 'der', type: 'spki' });
      return verify(null, signed, publicKey, Buffer.from(signature, 'hex'));
    } catch {
      return false;
    }
  };
  // The extension refuses a bundle with one wrong signature, however many others are right.
  if (!present.every(isValid))
    return ['a signature is not one of this manifest: sign the manifest again, and change nothing in it afterwards'];
  return present.length < threshold
    ? [
        `${present.length} of the enrolled signers have signed, and the enrolment needs ${threshold}: sign with more keys`,
      ]
    : [];
}

function problemsOfSigstore(manifest: object, signatures: unknown): string[] {
  const parsed = sigstoreSignatures.safeParse(signatures);
  const digest = hash('sha256', canonical(manifest), 'base64');
  const isSigned =
    parsed.success && parsed.data.some(({ messageSignature }) => messageSignature.messageDigest.digest === digest);
  return isSigned
    ? []
    : ['no signature is one of this manifest: sign the manifest again with `webcat manifest sign --type sigstore`'];
}

/** Canonical JSON, as WEBCAT signs it: sorted keys, and only quotes and backslashes are escaped. */
export function canonical(value: unknown): string {
  if (typeof value === 'string') return `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${canonical(key)}:${canonical(field)}`).join(',')}}`;
}

// Requests for files, made with the packages only.
import { OWNER_TOKEN_HEADER, REQUEST_HEADER, SENDER_TOKEN_HEADER } from '@furoshiki/api';
import { sealList, toBase64 } from '@furoshiki/format';
import {
  type CardNote,
  deriveOwnerSecrets,
  deriveSenderSecrets,
  openCard,
  type OwnerSecrets,
  sealCard,
  sealDelivery,
} from '@furoshiki/format/requests';
import { newTransfer, sendFormat2, type SentFile2, type Transfer } from './format-2.ts';
import type { Reply, TestClient } from './test-client.ts';

const { subtle } = crypto;
const random = (length: number) => crypto.getRandomValues(new Uint8Array(length));

export interface AskedRequest extends OwnerSecrets {
  id: string;
  salt: string;
  /** The headers that prove the inbox key, and those of a sender. */
  owner: Record<string, string>;
  sender: Record<string, string>;
}

/** The body that asks for files, and what is derived for it. */
export async function newRequest(note: CardNote = { title: 'Photos' }) {
  const salt = toBase64(random(16));
  const secrets = await deriveOwnerSecrets(subtle, random(32), salt);
  const { cardKey, senderToken, senderCheck } = await deriveSenderSecrets(subtle, secrets.linkSecret, salt);
  const card = await sealCard(subtle, cardKey, random(12), salt, { ...note, publicKey: secrets.publicKey });
  const { ownerCheck } = secrets;
  return { secrets, senderToken, body: { salt, card, senderCheck, ownerCheck, openDays: 7, retentionPeriod: 2 } };
}

/** Asks for files. `headers` are those of the call. */
export async function askForFiles(client: TestClient, headers: Record<string, string> = {}): Promise<AskedRequest> {
  const { secrets, senderToken, body } = await newRequest();
  const { body: asked } = await client.post('/requests', body, headers);
  return {
    ...secrets,
    id: asked.requestID,
    salt: body.salt,
    owner: { [OWNER_TOKEN_HEADER]: secrets.ownerToken },
    sender: { [REQUEST_HEADER]: asked.requestID, [SENDER_TOKEN_HEADER]: senderToken },
  };
}

export interface SentDelivery {
  transfer: Transfer;
  files: SentFile2[];
  grouped: Reply;
}

/** Sends files with nothing but the link, as a sender does. */
export async function deliver(
  client: TestClient,
  { id, linkSecret, sender }: AskedRequest,
  contents: Uint8Array<ArrayBuffer>[],
): Promise<SentDelivery> {
  const { body } = await client.get(`/requests/${id}`);
  const { publicKey } = await openCard(subtle, linkSecret, body.salt, body.card);
  const transfer = await newTransfer();
  const files: SentFile2[] = [];
  for (const [index, plain] of contents.entries())
    files.push(await sendFormat2(client, transfer, plain, { hiddenAs: index + 1, headers: sender }));
  return { transfer, files, grouped: await group(client, { id, sender, transfer, files, publicKey, salt: body.salt }) };
}

interface Grouping extends Pick<AskedRequest, 'id' | 'salt' | 'sender' | 'publicKey'> {
  transfer: Transfer;
  files: SentFile2[];
}

export async function group(client: TestClient, grouping: Grouping): Promise<Reply> {
  const { id: requestID, salt, sender, publicKey, transfer, files } = grouping;
  const { pageSalt, detailsKey, keyBytes: key } = transfer;
  const salts = files.map((file) => file.salt);
  const list = await sealList(subtle, detailsKey, random(12), pageSalt, { files: salts });
  const sealed = await sealDelivery(publicKey, salt, pageSalt, { key, from: 'Ana', sentAt: 1_800_000_000 });
  const fileIDs = files.map((file) => file.id);
  return client.post('/batch/upload', { fileIDs, list, delivery: { requestID, sealed } }, sender);
}

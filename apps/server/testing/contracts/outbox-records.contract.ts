// The contract of the outbox.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewMessage } from '../../src/ports/messages.ts';
import type { MetadataStore } from '../../src/ports/metadata-store.ts';
import { newId, NOW } from './metadata-fixture.ts';

const LEASE = 60_000;

export function describeOutboxRecords(
  name: string,
  /** Opens the same database twice, as two servers do. */
  open: () => Promise<{ stores: [MetadataStore, MetadataStore]; discard(): Promise<void> }>,
) {
  describe(`the outbox on ${name}`, () => {
    let store: MetadataStore;
    let other: MetadataStore;
    let discard: () => Promise<void>;
    beforeEach(async () => {
      const opened = await open();
      [store, other] = opened.stores;
      discard = opened.discard;
    });
    afterEach(() => discard());

    async function aMessage(change: Partial<NewMessage> = {}): Promise<NewMessage> {
      const message = {
        id: newId(),
        subject: 'サンプル',
        text: 'Grüße\r\n"😀"\n',
        replyTo: 'a@b.example',
        createdAtMs: NOW,
        ...change,
      };
      await store.addMessage(message);
      return message;
    }
    const idsOf = (messages: { id: string }[]) => messages.map(({ id }) => id);

    it('returns a message unchanged, with the number of claims', async () => {
      const message = await aMessage();
      expect(await store.listMessages(10)).toEqual([{ ...message, attempts: 0 }]);
      expect(await store.claimMessages(NOW, LEASE, 10)).toEqual([{ ...message, attempts: 1 }]);
      const anonymous = await aMessage({ replyTo: undefined });
      expect(await store.claimMessages(NOW, LEASE, 10)).toEqual([{ ...anonymous, attempts: 1 }]);
    });

    it('gives a claimed message to no other caller until its lease ends, and then again', async () => {
      const { id } = await aMessage();
      await store.claimMessages(NOW, LEASE, 10);
      expect(await other.claimMessages(NOW + LEASE - 1, LEASE, 10)).toEqual([]);
      expect(await other.claimMessages(NOW + LEASE, LEASE, 10)).toMatchObject([{ id, attempts: 2 }]);
    });

    it('gives each message to only one of many servers that claim concurrently', async () => {
      const sent = [];
      for (let n = 0; n < 30; n += 1) sent.push((await aMessage()).id);
      const claims = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? store : other).claimMessages(NOW, LEASE, 2)),
      );
      expect(idsOf(claims.flat()).toSorted()).toEqual(sent.toSorted());
    });

    it('claims at most `limit` messages, oldest due first', async () => {
      const late = await aMessage({ createdAtMs: NOW - 10 });
      const later = await aMessage({ createdAtMs: NOW - 5 });
      await aMessage({ createdAtMs: NOW });
      const claimed = idsOf(await store.claimMessages(NOW, LEASE, 2));
      expect(claimed.toSorted()).toEqual([late.id, later.id].toSorted());
    });

    it('postpones a message for all servers', async () => {
      const { id } = await aMessage();
      await store.claimMessages(NOW, LEASE, 1);
      await store.postponeMessage({ id, attempts: 1 }, NOW + 5000);
      expect(await other.claimMessages(NOW + 4999, LEASE, 1)).toEqual([]);
      expect(await other.claimMessages(NOW + 5000, LEASE, 1)).toMatchObject([{ id, attempts: 2 }]);
    });

    it('ignores a server whose lease has ended and whose message was claimed again', async () => {
      const { id } = await aMessage();
      await store.claimMessages(NOW, LEASE, 1);
      await other.claimMessages(NOW + LEASE, LEASE, 1);
      await store.postponeMessage({ id, attempts: 1 }, NOW + LEASE + 1);
      expect(await store.claimMessages(NOW + 2 * LEASE - 1, LEASE, 1)).toEqual([]);
    });

    it('removes a message, also when called twice', async () => {
      const { id } = await aMessage();
      const kept = await aMessage();
      expect([await store.removeMessage(id), await store.removeMessage(id)]).toEqual([true, false]);
      expect(idsOf(await store.claimMessages(NOW, LEASE, 10))).toEqual([kept.id]);
    });

    it('lists at most `limit` messages, oldest first, due or not', async () => {
      const second = await aMessage({ createdAtMs: NOW + 2 });
      const first = await aMessage({ createdAtMs: NOW + 1 });
      await aMessage({ createdAtMs: NOW + 3 });
      await store.claimMessages(NOW + 1, LEASE, 10);
      expect(idsOf(await store.listMessages(2))).toEqual([first.id, second.id]);
    });
  });
}

import { createPublicKey, verify } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPostgres, type PostgresServer, postgresNote, startPostgres } from '../support/archive/postgres.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { type Stack, startStack } from '../support/stack.ts';

const secret = 'a secret of at least thirty-two characters';

describe.skipIf(!hasPostgres)(`servers on one database${postgresNote}`, () => {
  let postgres: PostgresServer;
  let chain: TestChain;
  let receiver: Receiver;
  const stacks: Stack[] = [];

  beforeAll(async () => {
    [postgres, chain, receiver] = await Promise.all([startPostgres(), startChain(), startReceiver()]);
    const url = await postgres.database();
    for (let count = 0; count < 2; count += 1)
      stacks.push(
        await startStack([chain.node.url], {
          archive: { records: { kind: 'postgres', url } },
          server: { webhooks: { secret, networks: ['127.0.0.1'], schedule: [20] } },
        }),
      );
  }, 60_000);

  afterAll(async () => {
    for (const stack of stacks) await stack.close();
    await receiver.close();
    await chain.devnet.close();
    await postgres.close();
  });

  it('deliver once, whichever of them creates the webhook, and another one takes over', { timeout: 60_000 }, async () => {
    const [one, two] = stacks;
    const { body } = await two!.ask(
      'mutation($input: CreateWebhookInput!) { createWebhook(input: $input) { webhook { id publicKey } } }',
      { input: { url: receiver.url, document: 'subscription { newBlock { height } }' } },
    );
    const { webhook } = (body.data as { createWebhook: { webhook: { id: string; publicKey: string } } }).createWebhook;
    for (let block = 0; block < 3; block += 1) await chain.devnet.commit();
    await receiver.until((all) => all.length >= 3);
    await one!.close();
    stacks.shift();
    for (let block = 0; block < 3; block += 1) await chain.devnet.commit();
    const sequences = (all: readonly Received[]): ReadonlySet<string | null> =>
      new Set(all.map(({ body: { sequence } }) => sequence));
    await receiver.until((all) => sequences(all).size >= 6);
    expect([...sequences(receiver.received)]).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(new Set(receiver.received.map(({ body: { id } }) => id)).size).toBe(6);
    const key = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), Buffer.from(webhook.publicKey.slice(5), 'base64')]),
      format: 'der',
      type: 'spki',
    });
    for (const { headers, text } of receiver.received) {
      const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${text}`;
      const signature = String(headers['webhook-signature']).slice(4);
      expect(verify(null, Buffer.from(signed), key, Buffer.from(signature, 'base64'))).toBe(true);
    }
  });
});

import { createHash } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import type { ChainError } from '../../../src/chain/base/errors.ts';
import { type Client, createClient } from '../../../src/chain/client.ts';
import type { BroadcasterOptions } from '../../../src/chain/transactions/broadcaster.ts';
import type { TxUpdate } from '../../../src/chain/transactions/resend.ts';
import { fallback } from '../../../src/chain/transports/fallback.ts';
import { type HttpOptions, http } from '../../../src/chain/transports/http.ts';
import { decodeBlock } from '../../../src/chain/wire/block.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../../support/chain.ts';

/** A chain and a client for all of its nodes, named `node-1` and so on. */
export interface BroadcasterSetup {
  readonly chain: TestChain;
  readonly client: Client;
  readonly nodes: readonly DevnetNode[];
  /** Signs a transfer of this amount from an account to the last one. Does not send it. */
  transfer(amount: number, from?: number, options?: Parameters<TestChain['sign']>[2]): Uint8Array;
  /** Makes blocks, each after the client has received the previous one. */
  commit(blocks?: number): Promise<bigint>;
  /** Heights above `after` whose block contains a transaction, read from a node: the last one by default. */
  heightsOf(tx: Uint8Array, from?: { readonly node?: DevnetNode; readonly after?: bigint }): Promise<number[]>;
  /** Makes another client for the same nodes, without any state. */
  anotherClient(): Promise<Client>;
}

export interface BroadcasterSetupOptions extends NonNullable<Parameters<typeof startChain>[0]> {
  readonly broadcaster?: BroadcasterOptions;
  /** Timeout of each call: 1,000 ms. */
  readonly timeout?: NonNullable<HttpOptions['timeout']>;
}

/** SHA-256 in upper case hex: the hash of a transaction. */
export function hashOf(tx: Uint8Array): string {
  return createHash('sha256').update(tx).digest('hex').toUpperCase();
}

/** The methods of the calls that a node received, without those for health and blocks. */
export function txCalls({ counters }: DevnetNode): string[] {
  return counters.log.map(({ method }) => method).filter((method) => /tx/.test(method));
}

/** Starts the chain and the client, which are closed when the test has finished. */
export async function setUp(options: BroadcasterSetupOptions = {}): Promise<BroadcasterSetup> {
  const { broadcaster, timeout = 1_000, ...chainOptions } = options;
  const chain = await startChain({ bare: true, ...chainOptions });
  const { devnet } = chain;
  const clients: Client[] = [];

  async function newClient(): Promise<Client> {
    const transports = devnet.nodes.map(({ url }, index) => http(url, { alias: `node-${index + 1}`, timeout }));
    const client = createClient({
      transport: fallback(transports, { probeInterval: 50 }),
      ...(broadcaster && { broadcaster }),
    });
    clients.push(client);
    await client.head.ready();
    // A block made before the subscription is open would arrive late.
    await expect.poll(() => client.head.stats().isSubscribed, { interval: 2 }).toBe(true);
    return client;
  }

  onTestFinished(async () => {
    await Promise.all(clients.map((each) => each.close()));
    await devnet.close();
  });
  const client = await newClient();
  return {
    chain,
    client,
    nodes: devnet.nodes,
    transfer(amount, from = 0, signing = {}) {
      const [sender, recipient] = [chain.accounts[from]!, chain.accounts[9]!];
      const coins = [{ denom: 'nhash', amount: `${amount}` }];
      const message = any(MsgSendSchema, { fromAddress: sender.address, toAddress: recipient.address, amount: coins });
      return chain.sign(sender, [message], signing);
    },
    async commit(blocks = 1) {
      for (let made = 0; made < blocks; made += 1) {
        await client.head.waitFor(await devnet.commit(), { milliseconds: 30_000 });
      }
      return devnet.height;
    },
    async heightsOf(tx, { node = devnet.nodes.at(-1)!, after = 0n } = {}) {
      const reader = http(node.url, { timeout: 5_000 });
      const heights = Array.from({ length: Number(node.height - after) }, (_, index) => Number(after) + index + 1);
      const blocks = heights.map((height) => reader.call('block', { height: `${height}` }, { decode: decodeBlock }));
      const held = (await Promise.all(blocks)).flatMap(({ txs, header }) =>
        txs.filter((each) => each === Buffer.from(tx).toString('base64')).map(() => Number(header.height)),
      );
      await reader.close();
      return held;
    },
    anotherClient: newClient,
  };
}

/** The error that a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<ChainError> {
  return promise.then(
    () => Promise.reject(new Error('no failure')),
    (error: ChainError) => error,
  );
}

/** Reads all updates, and calls `onUpdate` with each before the next. */
export async function read(
  updates: AsyncIterable<TxUpdate>,
  onUpdate: (update: TxUpdate) => unknown = () => 0,
): Promise<TxUpdate[]> {
  const all: TxUpdate[] = [];
  for await (const update of updates) {
    all.push(update);
    await onUpdate(update);
  }
  return all;
}

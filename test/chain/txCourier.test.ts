import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { type Client, createClient } from '../../src/chain/client.ts';
import { fallback } from '../../src/chain/transports/fallback.ts';
import { http } from '../../src/chain/transports/http.ts';
import type { TxCourierOptions, TxUpdate } from '../../src/chain/txCourier.ts';
import type { DevnetNode } from '../../src/devnet/node/node.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { any, startChain, type TestChain } from '../support/chain.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

interface Setup {
  readonly chain: TestChain;
  readonly client: Client;
  readonly nodes: readonly DevnetNode[];
  /** A transfer of an account of its own amount, signed and sent nowhere. */
  transfer(amount: number, from?: number, options?: Parameters<TestChain['sign']>[2]): Uint8Array;
}

async function setUp(
  options: Parameters<typeof startChain>[0] & { readonly courier?: TxCourierOptions; readonly timeout?: number } = {},
): Promise<Setup> {
  const { courier, timeout = 1_000, ...chainOptions } = options;
  const chain = await startChain({ bare: true, ...chainOptions });
  const { nodes } = chain.devnet;
  const transport = fallback(
    nodes.map(({ url }, index) => http(url, { alias: `node-${index + 1}`, timeout })),
    { probeInterval: 100 },
  );
  const client = createClient({ transport, ...(courier && { courier }) });
  closing.push(
    () => chain.devnet.close(),
    () => client.close(),
  );
  await client.head.ready();
  return {
    chain,
    client,
    nodes,
    transfer(amount, from = 0, signing = {}) {
      const [sender, recipient] = [chain.accounts[from]!, chain.accounts[9]!];
      const coins = [{ denom: 'nhash', amount: `${amount}` }];
      const message = any(MsgSendSchema, { fromAddress: sender.address, toAddress: recipient.address, amount: coins });
      return chain.sign(sender, [message], signing);
    },
  };
}

const hashOf = (tx: Uint8Array): string => createHash('sha256').update(tx).digest('hex').toUpperCase();

/** The heights of the chain's blocks that hold a transaction. */
async function ledger({ chain, client }: Setup, hash: string): Promise<number[]> {
  const heights = Array.from({ length: Number(chain.devnet.height) }, (_, index) => BigInt(index + 1));
  await client.head.waitFor(chain.devnet.height, { milliseconds: 5000 });
  const blocks = await Promise.all(heights.map((height) => client.block(height)));
  return blocks.flatMap(({ txs, header }) =>
    txs.filter((tx) => hashOf(Buffer.from(tx, 'base64')) === hash).map(() => Number(header.height)),
  );
}

describe('sync', () => {
  it('sends once and tells what CheckTx said', async () => {
    const { client, nodes, transfer } = await setUp();
    const tx = transfer(1);
    const sent = await client.courier.sync(tx);
    expect(sent).toMatchObject({
      hash: hashOf(tx),
      status: 'ACCEPTED',
      checkTx: { code: 0, data: null },
      inclusion: null,
      duplicate: false,
      attempts: [{ node: 'node-1', height: 1n, outcome: 'ACCEPTED', error: null }],
    });
    expect(nodes[0]!.mempool.txs).toEqual([tx]);
  });
});

describe('commit', () => {
  it('waits for the block', async () => {
    const setup = await setUp();
    const tx = setup.transfer(1);
    const committing = setup.client.courier.commit(tx);
    await expect.poll(() => setup.nodes[0]!.mempool.txs.length).toBe(1);
    await setup.chain.devnet.commit();
    expect(await committing).toMatchObject({
      status: 'COMMITTED',
      inclusion: { height: 2n, confirmedBy: 1 },
      checkTx: { code: 0 },
    });
    expect(await ledger(setup, hashOf(tx))).toEqual([2]);
  });
});

describe('submit', () => {
  it('tells the life', async () => {
    const setup = await setUp();
    const tx = setup.transfer(1);
    const updates: TxUpdate[] = [];
    for await (const update of setup.client.courier.submit(tx)) {
      updates.push(update);
      if (update.stage === 'PENDING') await setup.chain.devnet.commit();
    }
    expect(updates.map(({ stage }) => stage)).toEqual(['CHECKED', 'PENDING', 'INCLUDED']);
  });
});

import { createHash } from 'node:crypto';
import { createRandom } from '../../packages/devnet/src/app/runtime/random.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { seed } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';

/** The least event of a subscription to transactions. */
export interface Sent {
  readonly height: string;
  readonly hash: string;
}

/** A chain with up to eight transfers in each block. */
export interface BusyChain extends TestChain {
  /** Creates no further block. Resolves with the transactions of all blocks after a height, in order, as the node has them. */
  halt(after: number): Promise<Sent[]>;
}

/** Starts the chain, with a block each 50 ms. */
export async function startBusyChain(): Promise<BusyChain> {
  const random = createRandom(seed);
  let chain: TestChain | undefined;
  const actors = (): Uint8Array[] => {
    const senders = chain?.accounts.slice(0, random.below(9)) ?? [];
    return senders.map((from) => {
      const send = { fromAddress: from.address, toAddress: from.address, amount: [{ denom: 'nhash', amount: '1' }] };
      return chain!.sign(from, [any(MsgSendSchema, send)]);
    });
  };
  chain = await startChain({ bare: true, blockTime: 50, actors });
  const { devnet, node } = chain;

  async function hashesAt(height: number): Promise<Sent[]> {
    const response = await fetch(`${node.url}/block?height=${height}`);
    const { result } = (await response.json()) as { result: { block: { data: { txs: string[] } } } };
    const hash = (tx: string): string => createHash('sha256').update(Buffer.from(tx, 'base64')).digest('hex').toUpperCase();
    return result.block.data.txs.map((tx) => ({ height: String(height), hash: hash(tx) }));
  }

  return {
    ...chain,
    async halt(after) {
      devnet.halt();
      const sent: Sent[] = [];
      for (let height = after + 1; height <= devnet.height; height += 1) sent.push(...(await hashesAt(height)));
      return sent;
    },
  };
}

import { expect } from 'vitest';
import { type Listener, transports } from '../../support/listeners.ts';
import type { GuardedTarget } from './setup.ts';

const stream = 'subscription { newBlock(after: 0) { height hash } }';

/** Subscribes to every block since the first, over each transport. The subscriptions end with the server. */
export function listen({ stack }: GuardedTarget): Promise<readonly Listener[]> {
  return Promise.all(Object.values(transports).map((over) => over(stack.server.url, stream)));
}

/** Makes blocks, and waits until the server has seen the last. */
export async function commit({ chain, stack }: GuardedTarget, blocks = 1): Promise<void> {
  for (let left = blocks; left > 0; left -= 1) await chain.devnet.commit();
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
}

/** Checks that each subscriber has every block of the chain once, in order: the last ten by the hashes in the next block. */
export async function expectWhole({ chain }: GuardedTarget, listeners: readonly Listener[]): Promise<void> {
  const { height } = chain.devnet;
  const response = await fetch(chain.devnet.nodes.at(-1)!.url, {
    method: 'POST',
    body: JSON.stringify(
      Array.from({ length: Number(height) }, (_, index) => ({
        jsonrpc: '2.0',
        id: index + 1,
        method: 'header',
        params: { height: String(index + 1) },
      })).slice(-10),
    ),
  });
  const headers = [(await response.json()) as { id: number; result: { header: { last_block_id: { hash: string } } } }].flat();
  for (const listener of listeners) {
    await listener.count(Number(height));
    const blocks = listener.answers.map(({ data }) => data?.newBlock);
    expect(blocks.map((block) => block?.height)).toEqual(Array.from({ length: Number(height) }, (_, index) => `${index + 1}`));
    for (const { id, result } of headers) if (id > 1) expect(blocks[id - 2]?.hash).toBe(result.header.last_block_id.hash);
  }
}

/** Reads the metrics and the readiness of the server. */
export async function metrics({ stack }: GuardedTarget): Promise<string> {
  return (await fetch(`${stack.server.adminUrl}/metrics`)).text();
}

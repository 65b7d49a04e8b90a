import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { base64, hashOf, type RpcChain, startRpcChain, transfer } from './rpcChain.ts';

let rpc: RpcChain;

afterEach(async () => {
  expect(rpc.stack.masked).toEqual([]);
  await rpc.close();
});

/** How often each node received a transaction. */
const sendings = (): number[] => rpc.chain.devnet.nodes.map(({ counters }) => counters.byMethod.broadcast_tx_sync ?? 0);

/** Commits blocks until a call has its response. Returns how often the nodes had received the transaction at each block. */
async function blocksUntil<T>(answer: Promise<T>): Promise<{ readonly answer: T; readonly sent: readonly number[][] }> {
  const sent: number[][] = [];
  let isOver = false;
  const over = answer.finally(() => {
    isOver = true;
  });
  while (!isOver && sent.length < 12) {
    const before = sendings().join();
    sent.push(sendings());
    await rpc.commit();
    await Promise.race([
      over,
      expect
        .poll(() => sendings().join(), { timeout: 300 })
        .not.toBe(before)
        .catch(() => undefined),
    ]);
  }
  return { answer: await over, sent };
}

describe('the rules of the transaction methods (docs/chain.md, "Rules of the transaction methods")', () => {
  it('rule 1: the subscription to the result of a transaction confirms its inclusion', async () => {
    rpc = await startRpcChain();
    await expect.poll(() => rpc.stack.client.head.stats().isSubscribed).toBe(true);
    const tx = transfer(rpc.chain, 5);
    const socket = new WebSocket(`${rpc.url.replace('http', 'ws')}/websocket`);
    await once(socket, 'open');
    const query = `tm.event='Tx' AND tx.hash='${hashOf(tx)}'`;
    socket.send(JSON.stringify({ jsonrpc: '2.0', method: 'subscribe', id: 1, params: { query } }));
    const [ack] = await once(socket, 'message');
    expect(JSON.parse(String(ack))).toEqual({ jsonrpc: '2.0', id: 1, result: {}, error: '' });
    const nextMessage = once(socket, 'message');
    expect((await rpc.call('/', 'broadcast_tx_sync', { tx: base64(tx) })).json.result).toMatchObject({ code: 0 });
    const height = await rpc.commit();
    const { id, result } = JSON.parse(String((await nextMessage)[0])) as JsonObject & { result: JsonObject };
    expect([id, result.data]).toMatchObject([1, { value: { TxResult: { height: `${height}` } } }]);
    socket.close();
    await once(socket, 'close');
  });

  it('rule 2: a transaction that two blocks lack is sent to the same node again, and after two more blocks to another node', async () => {
    rpc = await startRpcChain({}, { nodes: 2 });
    // Rule 3: a node that accepts a transaction and drops it.
    const [malicious] = rpc.chain.devnet.nodes;
    malicious!.faults.dropTransactions = true;
    const tx = transfer(rpc.chain, 5);
    const call = rpc.call('/', 'broadcast_tx_commit', { tx: base64(tx) });
    await expect.poll(() => sendings().reduce((sum, count) => sum + count)).toBe(1);
    const wasFirst = sendings()[0] === 1;
    const { answer, sent } = await blocksUntil(call);
    expect(answer.json).toMatchObject({
      error: '',
      result: { check_tx: { code: 0 }, deliver_tx: { code: 0 }, hash: hashOf(tx) },
    });
    if (wasFirst)
      expect([sendings(), sent[1], sent[3]]).toEqual([
        [2, 1],
        [1, 0],
        [2, 0],
      ]);
    else expect(sendings()).toEqual([0, 1]);
  });

  it('rule 3: an offline node', async () => {
    rpc = await startRpcChain({}, { nodes: 2 });
    await rpc.chain.devnet.nodes[0]!.stop();
    const tx = transfer(rpc.chain, 5);
    const { json } = await rpc.call('/', 'broadcast_tx_sync', { tx: base64(tx) });
    expect(json).toMatchObject({ error: '', result: { code: 0, hash: hashOf(tx) } });
    expect(sendings()[1]).toBe(1);
  });

  it('rule 3: the false report of one node that a block includes the transaction does not count', async () => {
    rpc = await startRpcChain({ client: { broadcaster: { commitWait: 1_500, grace: 200 } } }, { nodes: 3 });
    for (const node of rpc.chain.devnet.nodes) node.faults.pretendCommits = node === rpc.chain.devnet.nodes[0];
    const tx = transfer(rpc.chain, 5);
    const call = rpc.call('/', 'broadcast_tx_commit', { tx: base64(tx) });
    const { answer } = await blocksUntil(call);
    // Either all nodes have it in a block in the end, or the call timed out. The false report is never returned.
    const { result, error } = answer.json;
    if (error !== '') expect(error).toBe('timed out waiting for tx to be included in a block');
    else {
      const blocks = await Promise.all(
        rpc.chain.devnet.nodes.slice(1).map(async ({ url }) => {
          const block = await fetch(`${url}/block?height=${String(result?.height)}`);
          return block.text();
        }),
      );
      for (const block of blocks) expect(block).toContain(base64(tx));
    }
  });
});

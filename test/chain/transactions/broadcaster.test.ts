import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallFault } from '../../../packages/devnet/src/node/faults/faults.ts';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { createClient } from '../../../src/chain/client.ts';
import { http } from '../../../src/chain/transports/http.ts';
import { runsAll } from '../../support/atRandom.ts';
import { createStubNode } from '../stubNode.ts';
import { failure, hashOf, read, setUp, txCalls } from './broadcasterSetup.ts';

/** Makes the node refuse the next `times` transactions with this text. */
function refuse(node: DevnetNode, data: string, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  node.faults.call = ({ method }): CallFault | undefined => {
    if (!method.startsWith('broadcast_tx') || left-- <= 0) return undefined;
    return { rpc: { code: -32603, message: 'Internal error', data } };
  };
}

const full = 'mempool is full: number of txs 5000 (max: 5000), total txs bytes 1 (max: 1073741824)';

describe('sync', () => {
  it('sends once, to one node, and returns the result of CheckTx', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    const tx = transfer(1);
    expect(await client.broadcaster.sync(tx)).toEqual({
      hash: hashOf(tx),
      status: 'ACCEPTED',
      checkTx: { code: 0, codespace: '', log: '', info: '', data: null, gasWanted: 0n, gasUsed: 0n, events: [] },
      inclusion: null,
      duplicate: false,
      attempts: [{ node: 'node-1', height: 1n, outcome: 'ACCEPTED', error: null }],
    });
    expect(nodes.map(txCalls)).toEqual([['broadcast_tx_sync'], []]);
  });

  it('returns a failure of CheckTx as data, and tries no other node', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    const early = await client.broadcaster.sync(transfer(1, 0, { sequence: 5n }));
    expect(early).toMatchObject({
      status: 'REJECTED',
      checkTx: { code: 32, codespace: 'sdk' },
      attempts: [{ node: 'node-1', outcome: 'REJECTED', error: null }],
    });
    expect(await client.broadcaster.sync(Uint8Array.of(1, 2, 3))).toMatchObject({ status: 'REJECTED', checkTx: { code: 2 } });
    expect(nodes[1]!.counters.log.filter(({ method }) => method.startsWith('broadcast'))).toEqual([]);
  });

  it.runIf(runsAll)(
    'reports the same bytes as a success, in the mempool and in a block, whichever source finds them',
    async () => {
      const { client, nodes, transfer, commit, anotherClient } = await setUp();
      const [node] = nodes;
      const tx = transfer(1);
      await client.broadcaster.sync(tx);
      const inMempool = {
        status: 'ACCEPTED',
        duplicate: true,
        checkTx: null,
        attempts: [{ outcome: 'DUPLICATE', error: null }],
      };
      expect(await client.broadcaster.sync(tx)).toMatchObject(inMempool);
      await commit();
      // If the subscription was interrupted, the block is only in memory once it was read.
      await client.blocks.from(1n).next();
      const included = { height: 2n, confirmedBy: 1, transaction: { hash: hashOf(tx), index: 0, result: { code: 0 } } };
      const inBlock = { status: 'COMMITTED', duplicate: true, checkTx: null, inclusion: included };
      node!.counters.reset();
      expect(await client.broadcaster.sync(tx)).toMatchObject(inBlock);
      // The blocks in memory were enough.
      expect(txCalls(node!)).toEqual(['broadcast_tx_sync']);

      await commit(20);
      expect(await (await anotherClient()).broadcaster.sync(tx)).toMatchObject(inBlock);
      expect(txCalls(node!)).toContain('tx');
      node!.faults.noIndex = true;
      expect(await (await anotherClient()).broadcaster.sync(tx)).toMatchObject(inBlock);
      await commit(100);
      expect(await (await anotherClient()).broadcaster.sync(tx)).toMatchObject(inMempool);
    },
  );

  it('reports a success even if the node has forgotten the transaction and CheckTx rejects the sequence', async () => {
    const { client, nodes, transfer, commit, anotherClient } = await setUp();
    const tx = transfer(1);
    await client.broadcaster.sync(tx);
    await commit();
    for (const broadcaster of [client.broadcaster, (await anotherClient()).broadcaster]) {
      nodes[0]!.mempool.flush();
      expect(await broadcaster.sync(tx)).toMatchObject({
        status: 'COMMITTED',
        duplicate: true,
        attempts: [{ outcome: 'REJECTED' }],
        inclusion: { height: 2n },
      });
    }
  });

  it('reports a failed execution in the block', async () => {
    const { client, transfer, commit } = await setUp();
    const poor = transfer(2_000_000_000_000_000);
    expect(await client.broadcaster.sync(poor)).toMatchObject({ status: 'ACCEPTED' });
    await commit();
    const again = await client.broadcaster.sync(poor);
    expect(again).toMatchObject({ status: 'EXECUTION_FAILED', inclusion: { transaction: { result: { code: 5 } } } });
  });

  it('shares one attempt among concurrent calls with the same bytes', async () => {
    const { client, nodes, transfer } = await setUp();
    nodes[0]!.faults.delay = 20;
    const tx = transfer(1);
    const results = await Promise.all([1, 2, 3].map(() => client.broadcaster.sync(tx)));
    expect(results[1]).toEqual(results[0]);
    expect(results[0]).toMatchObject({ status: 'ACCEPTED', duplicate: false });
    expect(txCalls(nodes[0]!)).toEqual(['broadcast_tx_sync']);
  });

  it('sends nothing for a caller that has aborted', async () => {
    const { client, nodes, transfer } = await setUp();
    const signal = AbortSignal.abort(new Error('gone'));
    for (const send of [client.broadcaster.sync, client.broadcaster.async, client.broadcaster.commit]) {
      expect(await failure(send(transfer(1), { signal }))).toMatchObject({ message: 'gone' });
    }
    await client.broadcaster.sync(transfer(2, 1));
    expect(txCalls(nodes[0]!)).toEqual(['broadcast_tx_sync']);
  });

  it('works over a transport to one node', async () => {
    const { nodes, transfer, chain } = await setUp();
    const client = createClient({ transport: http(nodes[0]!.url) });
    onTestFinished(client.close);
    const tx = transfer(1);
    const committing = client.broadcaster.commit(tx);
    await expect.poll(() => nodes[0]!.mempool.txs.length, { interval: 2 }).toBe(1);
    await chain.devnet.commit();
    expect(await committing).toMatchObject({
      status: 'COMMITTED',
      inclusion: { confirmedBy: 1 },
      attempts: [{ node: 'node-1' }],
    });
  });
});

describe('a mempool that refuses a transaction', () => {
  it('because it is full is skipped: two other nodes are tried, and no more', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 4 });
    for (const node of nodes.slice(0, 2)) refuse(node, full);
    expect(await client.broadcaster.sync(transfer(1))).toMatchObject({
      status: 'ACCEPTED',
      attempts: [
        { node: 'node-1', outcome: 'REFUSED', error: 'MEMPOOL_REJECTED' },
        { node: 'node-2', outcome: 'REFUSED', error: 'MEMPOOL_REJECTED' },
        { node: 'node-3', outcome: 'ACCEPTED', error: null },
      ],
    });
    refuse(nodes[2]!, full);
    const tx = transfer(2, 1);
    for (const send of [client.broadcaster.sync, client.broadcaster.async, client.broadcaster.commit]) {
      for (const node of nodes) node.counters.reset();
      expect(await failure(send(tx))).toMatchObject({
        code: 'MEMPOOL_REJECTED',
        message: full,
        facts: { hash: hashOf(tx), reason: 'FULL' },
      });
      expect(nodes.map((node) => txCalls(node).length)).toEqual([1, 1, 1, 0]);
    }
    expect(await failure(read(client.broadcaster.submit(tx)))).toMatchObject({ code: 'MEMPOOL_REJECTED' });
  });

  it('because its node is catching up is skipped, and if all are, the transaction may be sent later', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    const syncing = 'endpoint is closed while node is catching up';
    refuse(nodes[0]!, syncing);
    expect(await client.broadcaster.sync(transfer(1))).toMatchObject({
      status: 'ACCEPTED',
      attempts: [
        { node: 'node-1', outcome: 'FAILED', error: 'NODE_UNREACHABLE' },
        { node: 'node-2', outcome: 'ACCEPTED', error: null },
      ],
    });
    refuse(nodes[1]!, syncing);
    const tx = transfer(2, 1);
    for (const send of [client.broadcaster.sync, client.broadcaster.async, client.broadcaster.commit]) {
      expect(await failure(send(tx))).toMatchObject({
        code: 'NODE_UNREACHABLE',
        message: 'The node is catching up and does not accept transactions yet.',
        facts: { sent: false },
      });
    }
    nodes[0]!.faults.call = undefined;
    expect(await client.broadcaster.sync(tx)).toMatchObject({ status: 'ACCEPTED' });
  });

  it('because it is rechecking is tried once more a block later', async () => {
    const { client, nodes, transfer, commit } = await setUp();
    refuse(nodes[0]!, 'mempool is still rechecking after a new committed block, so it is considered as full', 1);
    const sending = client.broadcaster.sync(transfer(1));
    await expect.poll(() => txCalls(nodes[0]!).length, { interval: 2 }).toBe(1);
    await commit();
    expect(await sending).toMatchObject({
      status: 'ACCEPTED',
      attempts: [
        { height: 1n, outcome: 'REFUSED' },
        { height: 2n, outcome: 'ACCEPTED' },
      ],
    });
  });

  it.each([
    ['tx pre check: too old', 'PRE_CHECK'],
    ['Tx too large. Max size is 100, but got 313', 'TOO_LARGE'],
  ])('because of the transaction itself ends the delivery: %s', async (data, reason) => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    refuse(nodes[0]!, data);
    const error = await failure(client.broadcaster.sync(transfer(1)));
    expect(error).toMatchObject({ code: 'MEMPOOL_REJECTED', message: data, facts: { reason } });
    expect(txCalls(nodes[1]!)).toEqual([]);
  });

  it('because of its size is not called above the size limit, and its error is returned if the body is too large', async () => {
    const { client, nodes } = await setUp();
    const large = new Uint8Array(1_048_577);
    expect(await failure(client.broadcaster.sync(large))).toMatchObject({
      code: 'MEMPOOL_REJECTED',
      message: 'Tx too large. Max size is 1048576, but got 1048577',
      facts: { hash: hashOf(large), reason: 'TOO_LARGE' },
    });
    expect(txCalls(nodes[0]!)).toEqual([]);
    // Its base64 exceeds the body size of a node (docs/chain.md, "Limits of a node").
    expect(await failure(client.broadcaster.sync(large.subarray(1)))).toMatchObject({ facts: { reason: 'TOO_LARGE' } });
  });

  it('with a code of the application is handled the same way', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    const [first] = nodes;
    const say = (code: number, log: string): void => {
      first!.faults.call = ({ method }) =>
        method === 'broadcast_tx_sync' ? { abci: { code, codespace: 'sdk', log } } : undefined;
    };
    say(20, 'mempool is full');
    expect(await client.broadcaster.sync(transfer(1))).toMatchObject({
      attempts: [{ outcome: 'REFUSED' }, { node: 'node-2' }],
    });
    say(19, 'tx already in mempool');
    expect(await client.broadcaster.sync(transfer(2, 1))).toMatchObject({ status: 'ACCEPTED', duplicate: true });
    first!.faults.call = ({ method }) =>
      method === 'broadcast_tx_sync' ? { abci: { code: 19, codespace: 'group', log: 'something else' } } : undefined;
    expect(await client.broadcaster.sync(transfer(3, 2))).toMatchObject({ status: 'REJECTED', checkTx: { code: 19 } });
  });

  it('with an unknown text is skipped, and the text is returned if all nodes do so', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    refuse(nodes[0]!, 'no broadcasts here');
    expect(await client.broadcaster.sync(transfer(1))).toMatchObject({
      status: 'ACCEPTED',
      attempts: [{ outcome: 'REFUSED', error: 'RPC_ERROR' }, { outcome: 'ACCEPTED' }],
    });
    refuse(nodes[1]!, 'nor here');
    expect(await failure(client.broadcaster.sync(transfer(2, 1)))).toMatchObject({ code: 'RPC_ERROR' });
  });
});

describe('a node that does not respond', () => {
  it('because it is unreachable is skipped; if none is reachable, the call fails', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    await nodes[0]!.stop();
    const tx = transfer(1);
    expect(await client.broadcaster.sync(tx)).toMatchObject({
      status: 'ACCEPTED',
      duplicate: false,
      attempts: [
        { node: 'node-1', outcome: 'FAILED', error: 'NODE_UNREACHABLE' },
        { node: 'node-2', outcome: 'ACCEPTED' },
      ],
    });
    await nodes[1]!.stop();
    for (const send of [client.broadcaster.sync, client.broadcaster.async, client.broadcaster.commit]) {
      expect(await failure(send(transfer(2, 1)))).toMatchObject({ code: 'NODE_UNREACHABLE', facts: { sent: false } });
    }
  });

  it.each(['never', 'reset', 'garbage', 'badGateway', 'cut'] as const)(
    'but may have received the transaction (%s): the same bytes go to another node',
    async (answer) => {
      // Long enough for the second node of a busy machine.
      const { client, nodes, transfer, commit, heightsOf } = await setUp({ nodes: 2, timeout: 1_000 });
      nodes[0]!.faults.answer = (calls) => (calls.some(({ method }) => method === 'broadcast_tx_sync') ? answer : undefined);
      const tx = transfer(1);
      const sent = await client.broadcaster.sync(tx);
      // A node that truncates its response has accepted the transaction and shared it with the other node.
      const second = answer === 'cut' ? 'DUPLICATE' : 'ACCEPTED';
      expect(sent).toMatchObject({
        status: 'ACCEPTED',
        duplicate: false,
        attempts: [
          { node: 'node-1', outcome: 'LOST' },
          { node: 'node-2', outcome: second },
        ],
      });
      await commit();
      expect(await heightsOf(tx)).toEqual([2]);
    },
  );

  it('and is alone leaves the outcome unknown, not failed', async () => {
    const { client, nodes, transfer, commit } = await setUp({ timeout: 100, broadcaster: { commitWait: 400, grace: 100 } });
    nodes[0]!.faults.answer = (calls) => (calls.some(({ method }) => /^broadcast/.test(method)) ? 'cut' : undefined);
    const tx = transfer(1);
    const unknown = {
      hash: hashOf(tx),
      status: 'UNKNOWN',
      checkTx: null,
      attempts: [{ outcome: 'LOST', error: 'NODE_INVALID_RESPONSE' }],
    };
    expect(await client.broadcaster.sync(tx)).toMatchObject(unknown);
    expect(await client.broadcaster.async(tx)).toMatchObject(unknown);
    expect(await client.broadcaster.commit(tx)).toMatchObject(unknown);
    await commit();
    expect(await client.broadcaster.sync(tx)).toMatchObject({ ...unknown, status: 'COMMITTED', inclusion: { height: 2n } });
  });

  it('leaves the nodes after it their shares of the time if it is silent', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 3, timeout: 5_000, broadcaster: { commitWait: 1_500 } });
    for (const { faults } of nodes.slice(0, 2))
      faults.answer = (calls) => (calls.some(({ method }) => /^broadcast/.test(method)) ? 'never' : undefined);
    const silent = { outcome: 'LOST', error: 'NODE_TIMEOUT' };
    expect(await client.broadcaster.sync(transfer(1))).toMatchObject({
      status: 'ACCEPTED',
      attempts: [
        { node: 'node-1', ...silent },
        { node: 'node-2', ...silent },
        { node: 'node-3', outcome: 'ACCEPTED', error: null },
      ],
    });
  });

  it('prevents a rejection by the next node from being final: a block may contain the transaction', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2, timeout: 100 });
    nodes[0]!.faults.answer = (calls) => (calls.some(({ method }) => /^broadcast/.test(method)) ? 'reset' : undefined);
    const early = transfer(1, 0, { sequence: 3n });
    expect(await client.broadcaster.sync(early)).toMatchObject({
      status: 'UNKNOWN',
      attempts: [{ outcome: 'LOST' }, { outcome: 'REJECTED' }],
    });
  });
});

describe('evidence', () => {
  it('is sent as it is, and its hash is returned in hex', async () => {
    const stub = await createStubNode({});
    const client = createClient({ transport: http(stub.url) });
    onTestFinished(stub.close);
    onTestFinished(client.close);
    const evidence = { type: 'tendermint/DuplicateVoteEvidence', value: { vote_a: { height: '9007199254740993' } } };
    for (const hash of ['q80=', 'AB'.repeat(32)]) {
      stub.methods.broadcast_evidence = () => ({ hash });
      expect(await client.broadcaster.evidence(evidence)).toBe(hash === 'q80=' ? 'ABCD' : hash);
    }
    expect(stub.calls('broadcast_evidence').map(({ params }) => params)).toEqual([{ evidence }, { evidence }]);
  });
});

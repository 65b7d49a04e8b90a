import { afterEach, describe, expect, it } from 'vitest';
import type { ChainError } from '../../../src/chain/base/errors.ts';
import { createClient } from '../../../src/chain/client.ts';
import type { TxUpdate } from '../../../src/chain/transactions/broadcaster.ts';
import { http } from '../../../src/chain/transports/http.ts';
import type { CallFault } from '../../../src/devnet/node/faults/faults.ts';
import type { DevnetNode } from '../../../src/devnet/node/node.ts';
import { createStubNode } from '../stubNode.ts';
import { type BroadcasterSetup, type BroadcasterSetupOptions, hashOf, setUpBroadcaster, txCalls } from './broadcasterSetup.ts';

const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function setUp(options: BroadcasterSetupOptions = {}): Promise<BroadcasterSetup> {
  const setup = await setUpBroadcaster(options);
  closing.push(setup.close);
  return setup;
}

/** Makes the node refuse the next `times` transactions with this text. */
function refuse(node: DevnetNode, data: string, times = Number.POSITIVE_INFINITY): void {
  let left = times;
  node.faults.call = ({ method }): CallFault | undefined => {
    if (!method.startsWith('broadcast_tx') || left-- <= 0) return undefined;
    return { rpc: { code: -32603, message: 'Internal error', data } };
  };
}

const full = 'mempool is full: number of txs 5000 (max: 5000), total txs bytes 1 (max: 1073741824)';

async function failure(promise: Promise<unknown>): Promise<ChainError> {
  return promise.then(
    () => Promise.reject(new Error('no failure')),
    (error: ChainError) => error,
  );
}

async function read(updates: AsyncIterable<TxUpdate>, onUpdate: (update: TxUpdate) => unknown = () => 0): Promise<TxUpdate[]> {
  const all: TxUpdate[] = [];
  for await (const update of updates) {
    all.push(update);
    await onUpdate(update);
  }
  return all;
}

const stages = (updates: readonly TxUpdate[]): string[] =>
  updates.map(({ stage, attempt }) => (attempt === null ? stage : `${stage} ${attempt.node} ${attempt.outcome}`));

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

  it('reports the same bytes as a success, in the mempool and in a block, whichever source finds them', async () => {
    const { client, nodes, transfer, commit, anotherClient } = await setUp();
    const [node] = nodes;
    const tx = transfer(1);
    await client.broadcaster.sync(tx);
    const inMempool = { status: 'ACCEPTED', duplicate: true, checkTx: null, attempts: [{ outcome: 'DUPLICATE', error: null }] };
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
  });

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
    closing.push(client.close);
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
      const { client, nodes, transfer, commit, heightsOf } = await setUp({ nodes: 2, timeout: 100 });
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

describe('an account', () => {
  it('stays for two blocks with the node that accepted its last transaction', async () => {
    const { client, nodes, transfer, commit } = await setUp({ nodes: 2 });
    for (const node of nodes) node.faults.withholdTransactions = true;
    await nodes[0]!.stop();
    expect((await client.broadcaster.sync(transfer(1))).attempts.at(-1)).toMatchObject({ node: 'node-2' });
    await nodes[0]!.start();
    // The first node is the better one again, but has not received the first transaction and would reject the second.
    await expect.poll(async () => (await client.broadcaster.sync(transfer(9, 1))).attempts[0]!.node).toBe('node-1');
    const second = await client.broadcaster.sync(transfer(2, 0, { sequence: 1n }));
    expect(second).toMatchObject({ status: 'ACCEPTED', attempts: [{ node: 'node-2', outcome: 'ACCEPTED' }] });
    await commit(3);
    expect((await client.broadcaster.sync(transfer(3))).attempts).toMatchObject([{ node: 'node-1', outcome: 'ACCEPTED' }]);
  });

  it('has its concurrent transactions sent in the order of their arrival', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    // The first call is delayed, so that later ones could overtake it.
    let [calls, release] = [0, (): void => undefined];
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    nodes[0]!.onCall = async ({ method }) => {
      if (method !== 'broadcast_tx_sync') return;
      calls += 1;
      if (calls === 1) await held;
    };
    const sendings = [0n, 1n, 2n, 3n].map((sequence) => client.broadcaster.sync(transfer(1, 0, { sequence })));
    const another = await client.broadcaster.sync(transfer(1, 1));
    release();
    const results = await Promise.all(sendings);
    expect([another, ...results].map(({ status }) => status)).toEqual(Array(5).fill('ACCEPTED'));
  });
});

describe('a check', () => {
  it('does not affect the sending after it, which goes to another node', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    const tx = transfer(1);
    expect(await client.broadcaster.check(tx)).toMatchObject({ code: 0, gasWanted: 1_000_000n });
    expect(await client.broadcaster.sync(tx)).toMatchObject({
      status: 'ACCEPTED',
      attempts: [{ node: 'node-2', outcome: 'ACCEPTED' }],
    });
    expect(nodes.map(txCalls)).toEqual([['check_tx'], ['broadcast_tx_sync']]);
  });

  it.each(['sync', 'async', 'commit'] as const)('on the only node makes %s wait for the next block', async (how) => {
    const { client, nodes, transfer, commit } = await setUp({ timeout: 20_000 });
    const tx = transfer(1);
    await client.broadcaster.check(tx);
    const sending = client.broadcaster[how](tx);
    if (how === 'async') await expect.poll(() => txCalls(nodes[0]!)).toEqual(['check_tx']);
    else await expect.poll(() => txCalls(nodes[0]!), { interval: 2 }).toEqual(['check_tx', 'broadcast_tx_sync']);
    await commit();
    await expect.poll(() => nodes[0]!.mempool.txs.length, { interval: 2 }).toBe(1);
    await commit();
    const { status, duplicate, attempts } = await sending;
    expect({ status, duplicate }).toEqual({
      status: { sync: 'ACCEPTED', async: 'SENT', commit: 'COMMITTED' }[how],
      duplicate: false,
    });
    const outcomes = attempts.map(({ outcome, height }) => `${outcome} ${height}`);
    expect(outcomes).toEqual(how === 'async' ? ['ACCEPTED 2'] : ['REJECTED 1', 'ACCEPTED 2']);
  });

  it('returns the same result until the next block, with one call', async () => {
    const { client, nodes, transfer, commit } = await setUp();
    const tx = transfer(1);
    const [one, two] = await Promise.all([client.broadcaster.check(tx), client.broadcaster.check(tx)]);
    expect(await client.broadcaster.check(tx)).toEqual(one);
    expect(two).toEqual(one);
    expect(txCalls(nodes[0]!)).toEqual(['check_tx']);
    await commit();
    expect(await client.broadcaster.check(tx)).toMatchObject({ code: 0 });
    expect(txCalls(nodes[0]!)).toEqual(['check_tx', 'check_tx']);
  });

  it('that fails is repeated, and does not affect sequences', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2 });
    const second = transfer(2, 0, { sequence: 1n });
    expect(await client.broadcaster.check(second)).toMatchObject({ code: 32 });
    await client.broadcaster.sync(transfer(1));
    expect(await client.broadcaster.check(second)).toMatchObject({ code: 0 });
    expect(txCalls(nodes[0]!)).toEqual(['check_tx', 'broadcast_tx_sync', 'check_tx']);
  });

  it('goes to another node if one does not respond', async () => {
    const { client, nodes, transfer } = await setUp({ nodes: 2, timeout: 100 });
    nodes[0]!.faults.answer = (calls) => (calls.some(({ method }) => method === 'check_tx') ? 'reset' : undefined);
    expect(await client.broadcaster.check(transfer(1))).toMatchObject({ code: 0 });
    await Promise.all(nodes.map((node) => node.stop()));
    expect(await failure(client.broadcaster.check(transfer(1, 1)))).toMatchObject({ code: 'NODE_UNREACHABLE' });
  });
});

describe('commit', () => {
  it('finds its transaction in the next block, even if that arrives before the response', async () => {
    const { client, nodes, transfer, chain } = await setUp({ timeout: 20_000 });
    nodes[0]!.faults.forge = ({ method }, result) => {
      // The chain makes a block at once, so the transaction is in it before CheckTx has returned.
      if (method === 'broadcast_tx_sync') void chain.devnet.commit();
      return result;
    };
    // One after another: each makes a block, and a transaction that is not in the next ones is sent again.
    for (const from of [1, 2, 3]) {
      const result = await client.broadcaster.commit(transfer(from, from));
      expect(result).toMatchObject({ status: 'COMMITTED', checkTx: { code: 0 }, duplicate: false });
      expect(result.attempts).toHaveLength(1);
    }
  });

  it('ends in time with the known facts', async () => {
    const { client, transfer } = await setUp({ broadcaster: { commitWait: 150, grace: 100 } });
    const tx = transfer(1);
    const begun = performance.now();
    const error = await failure(client.broadcaster.commit(tx));
    expect(error).toMatchObject({ code: 'COMMIT_TIMEOUT', facts: { hash: hashOf(tx), checkTx: { code: 0 } } });
    expect(performance.now() - begun).toBeLessThan(5_000);
  });

  it('keeps waiting after the last node while there is time', async () => {
    const { client, nodes, transfer, commit, heightsOf } = await setUp();
    nodes[0]!.faults.dropTransactions = true;
    const tx = transfer(1);
    const committing = client.broadcaster.commit(tx);
    await expect.poll(() => txCalls(nodes[0]!).length, { interval: 2 }).toBe(1);
    await commit(2);
    await expect.poll(() => txCalls(nodes[0]!).filter((method) => method !== 'tx').length, { interval: 2 }).toBe(2);
    await commit(4);
    // Another client sends the transaction.
    nodes[0]!.heal();
    nodes[0]!.mempool.flush();
    nodes[0]!.mempool.check(tx);
    await commit();
    expect(await committing).toMatchObject({ status: 'COMMITTED', inclusion: { height: 8n } });
    expect(await heightsOf(tx)).toEqual([8]);
  });

  it('ends only for the caller that aborts', async () => {
    const { client, nodes, transfer, commit } = await setUp();
    const tx = transfer(1);
    const leaving = new AbortController();
    const left = failure(client.broadcaster.commit(tx, { signal: leaving.signal }));
    const stays = client.broadcaster.commit(tx);
    await expect.poll(() => nodes[0]!.mempool.txs.length, { interval: 2 }).toBe(1);
    leaving.abort(new Error('gone'));
    expect(await left).toMatchObject({ message: 'gone' });
    await commit();
    expect(await stays).toMatchObject({ status: 'COMMITTED', attempts: [{ outcome: 'ACCEPTED' }] });
    expect(txCalls(nodes[0]!).filter((method) => method === 'broadcast_tx_sync')).toHaveLength(1);
  });
});

describe('submit', () => {
  it('yields each update once, up to the block', async () => {
    const { client, transfer, commit } = await setUp();
    const tx = transfer(1);
    const updates = await read(client.broadcaster.submit(tx), ({ stage }) => stage === 'PENDING' && commit());
    const hash = hashOf(tx);
    const attempt = { node: 'node-1', height: 1n, outcome: 'ACCEPTED', error: null };
    expect(updates).toMatchObject([
      { hash, stage: 'CHECKED', height: 1n, final: false, attempt, checkTx: { code: 0 }, inclusion: null },
      { hash, stage: 'PENDING', height: 1n, final: false, attempt: null, checkTx: null, inclusion: null },
      { hash, stage: 'INCLUDED', height: 2n, final: true, attempt: null, inclusion: { height: 2n, confirmedBy: 1 } },
    ]);
    expect(stages(await read(client.broadcaster.submit(tx)))).toEqual(['INCLUDED node-1 DUPLICATE']);
  });

  it('ends with a rejection or an expiry', async () => {
    const { client, transfer } = await setUp();
    const refused = await read(client.broadcaster.submit(transfer(1, 0, { sequence: 4n })));
    expect(refused).toMatchObject([
      { stage: 'REJECTED', final: true, checkTx: { code: 32 }, attempt: { outcome: 'REJECTED' } },
    ]);

    const { client: other, nodes, ...second } = await setUp();
    nodes[0]!.faults.dropTransactions = true;
    const expiring = second.transfer(1, 0, { timeoutHeight: 2n });
    const expired = await read(other.broadcaster.submit(expiring), ({ stage }) => stage === 'PENDING' && second.commit());
    expect(stages(expired)).toEqual(['CHECKED node-1 ACCEPTED', 'PENDING', 'EXPIRED']);
    expect(expired.at(-1)).toMatchObject({ final: true, height: 2n });
  });

  it('does not report an expiry if the transaction may be in a block that is no longer available', async () => {
    const { client, nodes, transfer, commit, anotherClient } = await setUp();
    const tx = transfer(1, 0, { timeoutHeight: 3n });
    await client.broadcaster.sync(tx);
    await commit(2);
    expect(stages(await read(client.broadcaster.submit(tx)))).toEqual(['INCLUDED node-1 DUPLICATE']);
    nodes[0]!.faults.noIndex = true;
    await commit(101);
    const late = await read((await anotherClient()).broadcaster.submit(tx));
    expect(stages(late)).toEqual(['PENDING node-1 DUPLICATE', 'UNKNOWN']);
  });

  it('shares a tracked transaction among callers with the same bytes, and each gets every update', async () => {
    const { client, nodes, transfer, commit } = await setUp();
    const tx = transfer(1);
    const first = client.broadcaster.submit(tx);
    expect(await first.next()).toMatchObject({ value: { stage: 'CHECKED' } });
    expect(await first.next()).toMatchObject({ value: { stage: 'PENDING' } });
    const second = read(client.broadcaster.submit(tx));
    const committing = client.broadcaster.commit(tx);
    await commit();
    expect(stages(await second)).toEqual(['CHECKED node-1 ACCEPTED', 'PENDING', 'INCLUDED']);
    expect(await committing).toMatchObject({ status: 'COMMITTED', duplicate: false });
    expect(await first.next()).toMatchObject({ value: { stage: 'INCLUDED' } });
    expect(await first.next()).toMatchObject({ done: true });
    expect(txCalls(nodes[0]!)).toEqual(['broadcast_tx_sync']);
  });

  it('sends nothing before the first read, ends at once, and stops with the last follower', async () => {
    const { client, nodes, transfer, commit } = await setUp();
    const tx = transfer(1);
    const [one, two] = [client.broadcaster.submit(tx), client.broadcaster.submit(tx)];
    await client.broadcaster.sync(transfer(2, 1));
    expect(nodes[0]!.mempool.txs).toHaveLength(1);
    for (const each of [one, two]) for (let step = 0; step < 2; step += 1) await each.next();
    const pending = one.next();
    await one.return?.();
    expect(await pending).toEqual({ done: true, value: undefined });
    nodes[0]!.mempool.flush();
    await commit(2);
    // The other caller still follows it, so it is sent again.
    expect(await two.next()).toMatchObject({ value: { stage: 'RESENT' } });
    await two.return?.();
    nodes[0]!.mempool.flush();
    nodes[0]!.counters.reset();
    await commit(6);
    expect(txCalls(nodes[0]!)).toEqual([]);
  });

  it('ends with the client', async () => {
    const { client, transfer } = await setUp();
    const following = client.broadcaster.submit(transfer(1));
    await following.next();
    await following.next();
    const next = failure(following.next());
    await client.close();
    expect(await next).toMatchObject({ code: 'NODE_UNREACHABLE' });
    expect(await failure(client.broadcaster.sync(transfer(2)))).toMatchObject({ code: 'NODE_UNREACHABLE' });
  });
});

describe('evidence', () => {
  it('is sent as it is, and its hash is returned in hex', async () => {
    const stub = await createStubNode({});
    const client = createClient({ transport: http(stub.url) });
    closing.push(stub.close, client.close);
    const evidence = { type: 'tendermint/DuplicateVoteEvidence', value: { vote_a: { height: '9007199254740993' } } };
    for (const hash of ['q80=', 'AB'.repeat(32)]) {
      stub.methods.broadcast_evidence = () => ({ hash });
      expect(await client.broadcaster.evidence(evidence)).toBe(hash === 'q80=' ? 'ABCD' : hash);
    }
    expect(stub.calls('broadcast_evidence').map(({ params }) => params)).toEqual([{ evidence }, { evidence }]);
  });
});

import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterEach, describe, expect, it } from 'vitest';
import { createDevnet, type Devnet, type DevnetOptions } from '../../../packages/devnet/src/devnet.ts';
import { voteSignBytes } from '../../../packages/devnet/src/node/ledger/hashes.ts';
import { parseTime } from '../../../packages/devnet/src/node/ledger/time.ts';
import type { DevnetNode } from '../../../packages/devnet/src/node/node.ts';
import { converse } from './conversation.ts';
import { createTinyApplication, tinyTx } from './tinyApplication.ts';

const running: Devnet[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((devnet) => devnet.close()));
});

async function start(options: Partial<DevnetOptions> = {}): Promise<Devnet> {
  const devnet = await createDevnet({
    application: createTinyApplication(),
    blockTime: 'manual',
    genesisTime: 10n ** 18n,
    ...options,
  });
  running.push(devnet);
  return devnet;
}

interface Answer {
  id?: number;
  result?: Record<string, never>;
  error?: { code: number; message: string; data?: string };
}

async function post(node: DevnetNode, method: string, params: object = {}): Promise<Answer> {
  const answer = await fetch(node.url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) });
  return (await answer.json()) as Answer;
}

const send = (node: DevnetNode, tx: Uint8Array) => post(node, 'broadcast_tx_sync', { tx: Buffer.from(tx).toString('base64') });
const sequenceAt = async (node: DevnetNode, sender: string, height = 0n) => {
  const { result } = await post(node, 'abci_query', {
    path: '/sequence',
    data: Buffer.from(sender).toString('hex'),
    height: String(height),
  });
  const {
    code,
    value,
    height: at,
  } = (result as unknown as { response: { code: number; value: string | null; height: string } }).response;
  return { code, value: value && Buffer.from(value, 'base64').toString(), at };
};

describe('one chain', () => {
  it('has block 1 when it is started, and is reproducible', async () => {
    const hashes = await Promise.all(
      [1, 2].map(async () => {
        const devnet = await start({ seed: 'same' });
        await devnet.commit();
        await devnet.commit({ elapse: 60_000 });
        return await (await fetch(`${devnet.nodes[0]!.url}/block`)).text();
      }),
    );
    expect(hashes[0]).toBe(hashes[1]);
    expect(hashes[0]).toContain('"height":"3"');
    // The second block is 1 s later, the third 60 s.
    expect(hashes[0]).toContain('"time":"2001-09-09T01:47:41Z"');
  });

  it('signs its commits, with increasing times', async () => {
    const devnet = await start();
    for (let blocks = 0; blocks < 3; blocks++) await devnet.commit();
    const [node] = devnet.nodes;
    const { result } = await post(node!, 'validators');
    const { pub_key } = (result as unknown as { validators: { pub_key: { value: string } }[] }).validators[0]!;
    const key = createPublicKey({
      key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(pub_key.value, 'base64').toString('base64url') },
      format: 'jwk',
    });
    const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'));
    let last = 0n;
    for (let height = 1; height <= 4; height++) {
      const answer = (await post(node!, 'commit', { height: String(height) })).result as unknown as {
        canonical: boolean;
        signed_header: {
          header: { time: string; chain_id: string };
          commit: {
            block_id: { hash: string; parts: { total: number; hash: string } };
            signatures: { timestamp: string; signature: string }[];
          };
        };
      };
      const { header, commit } = answer.signed_header;
      const { timestamp, signature } = commit.signatures[0]!;
      const signed = voteSignBytes({
        type: 2,
        height: BigInt(height),
        round: 0,
        blockId: {
          hash: bytes(commit.block_id.hash),
          parts: { total: commit.block_id.parts.total, hash: bytes(commit.block_id.parts.hash) },
        },
        timestamp: parseTime(timestamp),
        chainId: header.chain_id,
      });
      expect(verify(null, signed, key, Buffer.from(signature, 'base64'))).toBe(true);
      expect(answer.canonical).toBe(height < 4);
      expect(parseTime(header.time)).toBeGreaterThan(last);
      last = parseTime(header.time);
    }
  });

  it('creates blocks at the configured block time', async () => {
    const devnet = await start({ blockTime: 20 });
    const started = performance.now();
    const conversation = await converse(devnet.nodes[0]!.url);
    conversation.send({ id: 1, method: 'subscribe', params: { query: "tm.event='NewBlockHeader'" } });
    await conversation.received(31);
    const took = performance.now() - started;
    expect(took).toBeGreaterThan(29 * 20);
    conversation.socket.terminate();
  });

  it('prunes states and blocks', async () => {
    const devnet = await start({ keepHeights: 3, keepBlocks: 5 });
    for (let blocks = 0; blocks < 9; blocks++) await devnet.commit();
    const [node] = devnet.nodes;
    expect((await sequenceAt(node!, 'alice', 8n)).code).toBe(0);
    expect((await sequenceAt(node!, 'alice', 7n)).code).toBe(38);
    expect((await post(node!, 'block', { height: '6' })).result).toBeDefined();
    expect((await post(node!, 'block', { height: '5' })).error!.data).toBe('height 5 is not available, lowest height is 6');
  });
});

describe('several nodes', () => {
  it('gossip transactions, and all receive the block', async () => {
    const devnet = await start({ nodes: 3 });
    const [a, , c] = devnet.nodes;
    await send(a!, tinyTx('alice', 0));
    expect(c!.mempool.txs).toEqual([tinyTx('alice', 0)]);
    expect((await send(c!, tinyTx('alice', 0))).error!.data).toBe('tx already exists in cache');
    const height = await devnet.commit();
    for (const node of devnet.nodes) {
      expect(node.height).toBe(height);
      expect(await sequenceAt(node, 'alice')).toEqual({ code: 0, value: '1', at: String(height) });
      expect(node.mempool.txs).toEqual([]);
    }
  });

  it('one with dropTransactions returns code 0, and no block includes the transaction', async () => {
    const devnet = await start({ nodes: 2 });
    const [a, b] = devnet.nodes;
    a!.faults.dropTransactions = true;
    expect((await send(a!, tinyTx('alice', 0))).result).toMatchObject({ code: 0 });
    expect(b!.mempool.txs).toEqual([]);
    await devnet.commit();
    expect(await sequenceAt(b!, 'alice')).toMatchObject({ value: '0' });
    expect((await send(b!, tinyTx('alice', 0))).result).toMatchObject({ code: 0 });
    await devnet.commit();
    expect(await sequenceAt(b!, 'alice')).toMatchObject({ value: '1' });
  });

  it('one with pretendCommits returns the transaction only in its own block and index; the chain continues without it', async () => {
    const devnet = await start({ nodes: 2 });
    const [a, b] = devnet.nodes;
    a!.faults.pretendCommits = true;
    const tx = tinyTx('alice', 0);
    const { hash } = (await send(a!, tx)).result as unknown as { hash: string };
    const height = await devnet.commit();
    const held = async (node: DevnetNode, at: bigint): Promise<unknown[]> => {
      const block = await post(node, 'block', { height: `${at}` });
      const results = await post(node, 'block_results', { height: `${at}` });
      const { txs } = (block.result as unknown as { block: { data: { txs: string[] } } }).block.data;
      const codes = (results.result as unknown as { txs_results: { code: number }[] | null }).txs_results;
      return [txs, codes?.map(({ code }) => code) ?? null];
    };
    const base64 = Buffer.from(tx).toString('base64');
    expect(await held(a!, height)).toEqual([[base64], [0]]);
    expect(await held(b!, height)).toEqual([[], null]);
    const wanted = { hash: Buffer.from(hash, 'hex').toString('base64'), prove: false };
    expect((await post(a!, 'tx', wanted)).result).toMatchObject({ hash, height: `${height}` });
    expect((await post(b!, 'tx', wanted)).error).toBeDefined();
    await devnet.commit();
    expect(await held(a!, height + 1n)).toEqual([[], null]);
    expect(await sequenceAt(b!, 'alice')).toMatchObject({ value: '0' });
  });

  it('one with withholdTransactions does not gossip a transaction before its block', async () => {
    const devnet = await start({ nodes: 2 });
    const [a, b] = devnet.nodes;
    a!.faults.withholdTransactions = true;
    await send(a!, tinyTx('alice', 0));
    expect([a!.mempool.txs.length, b!.mempool.txs.length]).toEqual([1, 0]);
    await devnet.commit();
    expect(await sequenceAt(b!, 'alice')).toMatchObject({ value: '1' });
  });

  it('one that lags responds as if the chain ended there, and catches up event by event', async () => {
    const devnet = await start({ nodes: 2 });
    const [a, b] = devnet.nodes;
    const conversation = await converse(b!.url);
    conversation.send({ id: 1, method: 'subscribe', params: { query: "tm.event='NewBlockHeader'" } });
    await conversation.received(1);
    b!.lag(2);
    await send(a!, tinyTx('alice', 0));
    await devnet.commit();
    const hash = createHash('sha256').update(tinyTx('alice', 0)).digest('base64');
    expect((await post(a!, 'tx', { hash })).result).toMatchObject({ height: '2' });
    expect((await post(b!, 'tx', { hash })).error!.data).toMatch(/^tx \([0-9A-F]{64}\) not found$/);
    for (let blocks = 0; blocks < 2; blocks++) await devnet.commit();
    expect([devnet.height, a!.height, b!.height]).toEqual([4n, 4n, 2n]);
    expect((await post(b!, 'block', { height: '3' })).error!.data).toBe(
      'height 3 must be less than or equal to the current blockchain height 2',
    );
    expect((await sequenceAt(b!, 'alice', 3n)).code).toBe(26);
    b!.freeze();
    await devnet.commit();
    expect(b!.height).toBe(2n);
    b!.thaw();
    const heights = (await conversation.received(5)).slice(1).map((frame) => /"height":"(\d+)"/.exec(frame)?.[1]);
    expect(heights).toEqual(['2', '3', '4', '5']);
    conversation.socket.terminate();
  });

  it('one can prune heights that another keeps', async () => {
    const devnet = await start({ nodes: 2 });
    for (let blocks = 0; blocks < 5; blocks++) await devnet.commit();
    const [a, b] = devnet.nodes;
    b!.prune(4n, { blocks: true });
    expect((await sequenceAt(a!, 'alice', 3n)).code).toBe(0);
    expect((await sequenceAt(b!, 'alice', 3n)).code).toBe(38);
    expect((await sequenceAt(b!, 'alice', 4n)).code).toBe(0);
    expect((await post(b!, 'commit', { height: '3' })).error!.data).toBe('height 3 is not available, lowest height is 4');
  });
});

describe('faults', () => {
  it('count calls and batches, and call onCall before each call', async () => {
    const devnet = await start();
    const [node] = devnet.nodes;
    const body = [1, 2, 3].map((id) => ({ jsonrpc: '2.0', id, method: id === 3 ? 'status' : 'health', params: {} }));
    await fetch(node!.url, { method: 'POST', body: JSON.stringify(body) });
    await fetch(`${node!.url}/health`);
    expect(node!.counters).toMatchObject({ calls: 4, batches: 2, byMethod: { health: 3, status: 1 } });
    expect(node!.counters.log.map(({ batch, via }) => `${batch} ${via}`)).toEqual(['1 post', '1 post', '1 post', '2 uri']);
    node!.counters.reset();
    node!.onCall = async ({ method }) => {
      if (method === 'status') await devnet.commit();
    };
    expect(JSON.stringify(await post(node!, 'status'))).toContain('"latest_block_height":"2"');
    expect(node!.counters.calls).toBe(1);
  });

  it('delay calls until the gate opens', async () => {
    const devnet = await start();
    const [node] = devnet.nodes;
    let release = () => {};
    node!.faults.gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer = post(node!, 'status');
    await expect.poll(() => node!.counters.calls).toBe(1);
    await devnet.commit();
    release();
    expect(JSON.stringify(await answer)).toContain('"latest_block_height":"2"');
  });

  it('inject errors of the RPC and of the application, and wrong results', async () => {
    const devnet = await start();
    const [node] = devnet.nodes;
    node!.faults.call = ({ method }) => {
      if (method === 'block') return { rpc: { code: -32603, message: 'Internal error', data: 'broken' } };
      return method === 'abci_query' ? { abci: { code: 6, codespace: 'sdk', log: 'panic' } } : undefined;
    };
    expect((await post(node!, 'block')).error).toEqual({ code: -32603, message: 'Internal error', data: 'broken' });
    expect(await sequenceAt(node!, 'alice')).toEqual({ code: 6, value: null, at: '0' });
    expect((await post(node!, 'health')).result).toEqual({});
    node!.faults.forge = (_, result) => ({ forged: result });
    expect((await post(node!, 'health')).result).toEqual({ forged: {} });
    node!.heal();
    expect((await post(node!, 'block')).result).toBeDefined();
  });

  it('report another chain id, catching up, and no index', async () => {
    const devnet = await start();
    const [node] = devnet.nodes;
    Object.assign(node!.faults, { chainId: 'other', catchingUp: true, noIndex: true });
    const status = JSON.stringify(await post(node!, 'status'));
    expect(status).toContain('"network":"other"');
    expect(status).toContain('"catching_up":true');
    expect(status).toContain('"tx_index":"off"');
    expect((await post(node!, 'tx', { hash: '' })).error!.data).toBe('transaction indexing is disabled');
    expect((await post(node!, 'tx_search', { query: 'tx.height=1' })).error!.data).toBe('transaction indexing is disabled');
    expect((await post(node!, 'block_search', { query: 'block.height=1' })).error!.data).toBe('block indexing is disabled');
  });

  it('inject every fault of a response', async () => {
    const devnet = await start();
    const node = devnet.nodes[0]!;
    const ask = () =>
      fetch(node.url, { method: 'POST', body: '{"id":1,"method":"status","params":{}}', signal: AbortSignal.timeout(5000) });
    node.faults.answer = 'cut';
    await expect(ask().then((answer) => answer.text())).rejects.toThrow();
    node.faults.answer = 'reset';
    await expect(ask()).rejects.toThrow();
    node.faults.answer = 'garbage';
    await expect(ask().then((answer) => answer.json())).rejects.toThrow(SyntaxError);
    node.faults.answer = 'badGateway';
    const gateway = await ask();
    expect([gateway.status, gateway.headers.get('content-type')]).toEqual([502, 'text/html']);
    Object.assign(node.faults, { answer: 'tooManyRequests', retryAfter: 7 });
    const busy = await ask();
    expect([busy.status, busy.headers.get('retry-after')]).toEqual([429, '7']);
    node.faults.answer = 'idless';
    expect(Object.keys((await (await ask()).json()) as object)).toEqual(['jsonrpc', 'error']);
    Object.assign(node.faults, { answer: 'oversize', oversizeBytes: 5_000_000 });
    expect((await (await ask()).text()).length).toBeGreaterThan(5_000_000);
    node.faults.answer = (calls) => (calls.some(({ method }) => method === 'block') ? 'badGateway' : undefined);
    expect((await ask()).status).toBe(200);

    node.faults.answer = 'never';
    node.counters.reset();
    const aborted = new AbortController();
    const never = fetch(node.url, { method: 'POST', body: '{"id":1,"method":"status","params":{}}', signal: aborted.signal });
    await expect.poll(() => node.counters.calls).toBe(1);
    aborted.abort();
    await expect(never).rejects.toThrow('aborted');
  });

  it('silence or disconnect sockets', async () => {
    const devnet = await start();
    const node = devnet.nodes[0]!;
    const conversation = await converse(node.url);
    conversation.send({ id: 1, method: 'subscribe', params: { query: "tm.event='NewBlockHeader'" } });
    await conversation.received(1);
    node.faults.silentSockets = true;
    await devnet.commit();
    node.faults.silentSockets = false;
    await devnet.commit();
    const [, first] = await conversation.received(2);
    expect(first).toContain('"height":"3"');
    expect(node.sockets).toBe(1);
    node.closeSockets();
    expect(await conversation.closed).toBe(1006);
  });

  it('stop and start a node on the same port with an empty mempool', async () => {
    const devnet = await start({ nodes: 2 });
    const [a, b] = devnet.nodes;
    await b!.stop();
    await expect(fetch(`${b!.url}/health`)).rejects.toThrow();
    await send(a!, tinyTx('alice', 0));
    await devnet.commit();
    await b!.start();
    expect(b!.height).toBe(2n);
    expect((await post(b!, 'health')).result).toEqual({});
  });

  it.runIf(process.platform === 'linux')(
    'a stopped node holds its port, refuses connections, and gives it up when the devnet closes',
    async () => {
      const devnet = await start();
      const [node] = devnet.nodes;
      const { port } = new URL(node!.url);
      /** Whether an open connection has the port as its local end. The system gives no such port to another program. */
      const isHeld = (): boolean => {
        const local = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
        const sockets = readFileSync('/proc/self/net/tcp', 'utf8').split('\n').slice(1);
        return sockets
          .map((line) => line.trim().split(/\s+/))
          .some(([, from, , state]) => from?.endsWith(local) && state === '01');
      };
      await node!.stop();
      expect(isHeld()).toBe(true);
      await expect(fetch(node!.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
      await node!.start();
      expect((await post(node!, 'health')).result).toEqual({});
      await node!.stop();
      await devnet.close();
      expect(isHeld()).toBe(false);
    },
  );
});

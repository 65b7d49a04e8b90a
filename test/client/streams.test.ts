import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Client, type ClientOptions, createClient, type SteleError } from '../../packages/client/src/index.ts';
import type { WalletAccount } from '../../packages/devnet/src/app/runtime/wallet.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { runsAll } from '../support/atRandom.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { createGroup, describeGroup, submitProposal, vote } from '../support/groups.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type FaultyRelay, startFaultyRelay } from './relay.ts';

let issuer: TestIssuer;
let chain: TestChain;
let stack: Stack;
let relay: FaultyRelay;
let retries: SteleError[];
let connections: number;
const clients: Client[] = [];

beforeEach(async () => {
  issuer = await startIssuer();
  chain = await startChain({ bare: true });
  stack = await startServer();
  relay = await startFaultyRelay(stack.server.url);
  retries = [];
  connections = 0;
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await relay.close();
  await stack.close();
  await chain.devnet.close();
  await issuer.close();
  expect(stack.masked).toEqual([]);
});

async function startServer(accepted = issuer): Promise<Stack> {
  const started = await startStack([chain.node.url], {
    server: { auth: authenticatorOf(accepted), limits: { 'subscription.events': 8 } },
  });
  await started.client.head.ready();
  return started;
}

function connect(options: Partial<ClientOptions> = {}): Client {
  const client = createClient({
    url: `${relay.url}/graphql`,
    webSocket: WebSocket,
    token: () => issuer.sign(),
    onState(state, error) {
      if (error !== undefined) retries.push(error);
      if (state === 'connected') connections += 1;
    },
    ...options,
  });
  clients.push(client);
  return client;
}

const subscribers = (count: number): Promise<void> =>
  expect.poll(() => stack.server.subscriptions().subscribers, { interval: 5 }).toBe(count);

/** Cuts all connections, and waits until the server has noted it. */
async function cut(): Promise<void> {
  relay.cut();
  await subscribers(0);
}

async function take<T>(events: AsyncIterator<T>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for (let each = 0; each < count; each += 1) taken.push((await events.next()).value);
  return taken;
}

async function commit(count: number): Promise<void> {
  for (let block = 0; block < count; block += 1)
    await stack.client.head.waitFor(await chain.devnet.commit(), { milliseconds: 30_000 });
}

function transfer(from: WalletAccount): Uint8Array {
  const send = { fromAddress: from.address, toAddress: chain.accounts[9]!.address, amount: [{ denom: 'nhash', amount: '1' }] };
  return chain.sign(from, [any(MsgSendSchema, send)]);
}

interface Blocks {
  readonly newBlock: { readonly height: string };
}
const heightsOf = (events: readonly { readonly data: Blocks | null }[]): number[] =>
  events.map(({ data }) => Number(data!.newBlock.height));

describe('a subscription', () => {
  it('without `after`, and without the variable, misses no block after it was opened', async () => {
    const events = connect().subscribe<Blocks>('subscription { newBlock { height } }');
    const first = events.next();
    await subscribers(1);
    const start = Number(chain.devnet.height);
    await cut();
    await commit(2);
    await subscribers(1);
    await cut();
    await commit(1);
    expect(heightsOf([(await first).value, ...(await take(events, 2))])).toEqual([start + 1, start + 2, start + 3]);
    await events.return!();
    await subscribers(0);
  });

  it.runIf(runsAll)(
    'that begins with the present state sends it once, also if the first connection is lost before it',
    async () => {
      const group = await createGroup(chain, [
        [chain.accounts[0]!, '1'],
        [chain.accounts[1]!, '1'],
      ]);
      const id = await submitProposal(chain, group, chain.accounts[0]!);
      const query = `subscription { tallyUpdated(proposalId: "${id}") { tally { yesCount } } }`;
      /** Loses its connection when it has the height to begin at, and before anything else. */
      class Cut extends WebSocket {
        constructor(address: string, protocol: string) {
          super(address, protocol);
          this.on('message', (data) => {
            if (!String(data).includes('__typename')) return;
            relay.target('http://127.0.0.1:1');
            relay.cut();
          });
        }
      }
      const events = connect({ webSocket: Cut }).subscribe<{ tallyUpdated: { tally: { yesCount: string } } }>(query);
      const first = events.next();
      await expect.poll(() => retries.length).toBeGreaterThan(0);
      const height = chain.devnet.height.toString();
      await chain.run(chain.accounts[1]!, vote(chain.accounts[1]!, id));
      await commit(1);
      relay.target(stack.server.url);
      const tallies = [(await first).value, ...(await take(events, 1))].map(({ data, ...place }) => ({
        ...place,
        yes: data!.tallyUpdated.tally.yesCount,
      }));
      const next = String(BigInt(height) + 1n);
      expect(tallies).toEqual([
        { errors: undefined, height, index: 0, count: 1, yes: '0' },
        { errors: undefined, height: next, index: 0, count: 1, yes: '1' },
      ]);
      await subscribers(1);
      await cut();
      await chain.run(chain.accounts[0]!, vote(chain.accounts[0]!, id));
      expect((await events.next()).value.data.tallyUpdated.tally.yesCount).toBe('2');
    },
  );

  it.runIf(runsAll)('resumes after SLOW_CONSUMER', async () => {
    // An event of 320 kB. A few of them fill a socket that is not read.
    const eight = Array.from({ length: 8 }, (_, at) => at);
    const query = `subscription ($after: Int64) { newBlock(after: $after) { height ${eight.map((at) => `h${at}: header { ...Long }`).join(' ')} } }
      fragment Long on Header { ${eight.map((at) => `${'x'.repeat(5_000)}${at}: height`).join(' ')} }`;
    const start = Number(chain.devnet.height);
    const events = connect().subscribe<Blocks>(query, {}, { after: start });
    const first = events.next();
    await subscribers(1);
    await commit(1);
    await first;
    relay.stall();
    let blocks = 1;
    for (; stack.server.subscriptions().subscribers > 0; blocks += 1) {
      if (blocks > 400) throw new Error('the subscriber was not ended');
      await commit(1);
    }
    relay.flow();
    expect(heightsOf(await take(events, blocks - 1))).toEqual(Array.from({ length: blocks - 1 }, (_, at) => start + 2 + at));
    expect(retries.map(({ code }) => code)).toEqual(['SLOW_CONSUMER']);
  });

  it('ends with an error that a retry cannot heal', async () => {
    const client = connect();
    const bad = client.subscribe('subscription { newBlock { nothing } }');
    await expect(bad.next()).rejects.toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED' });
    expect(await bad.next()).toEqual({ done: true, value: undefined });
    await expect(client.subscribe('subscription { tallyUpdated(proposalId: "x") { final } }').next()).rejects.toMatchObject({
      code: 'BAD_USER_INPUT',
      facts: { argument: 'proposalId' },
    });
    expect(() => client.subscribe('subscription { newBlock { height } }', {}, { after: 1 })).toThrow('`$after: Int64`');
    const other = connect({ token: () => issuer.sign({ aud: 'another' }) });
    await expect(other.subscribe('subscription { newBlock { height } }').next()).rejects.toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    expect(retries.map(({ code }) => code)).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
  });

  it('waits for a server that is away, for a token, and for a block that the server does not have yet', async () => {
    const tokens = [() => Promise.reject(new Error('no session')), () => issuer.sign()];
    await stack.close();
    const client = connect({ token: () => (tokens.length > 1 ? tokens.shift()! : tokens[0]!)() });
    const events = client.subscribe<Blocks>(
      'subscription ($after: Int64) { newBlock(after: $after) { height } }',
      {},
      { after: 1 },
    );
    const first = events.next();
    await expect
      .poll(() => retries.map(({ code }) => code))
      .toEqual(expect.arrayContaining(['TOKEN_FAILED', 'CONNECTION_FAILED']));
    stack = await startServer();
    relay.target(stack.server.url);
    await commit(1);
    expect(heightsOf([(await first).value])).toEqual([2]);
  });

  it.runIf(runsAll)('goes on when a server that was away for long refuses the token that it accepted before', async () => {
    let key = issuer;
    const next = await startIssuer();
    const events = connect({ token: () => key.sign() }).subscribe<Blocks>('subscription { newBlock { height } }');
    const first = events.next();
    await subscribers(1);
    await stack.close();
    await expect.poll(() => retries.length).toBeGreaterThan(2);
    key = next;
    stack = await startServer(next);
    relay.target(stack.server.url);
    await commit(1);
    expect(heightsOf([(await first).value])).toEqual([Number(chain.devnet.height)]);
    expect(retries.at(-1)!.code).toBe('UNAUTHENTICATED');
    await next.close();
  });

  it('ends at once when its signal is aborted, when it is returned, and when the client is closed', async () => {
    const client = connect();
    const query = 'subscription { newBlock { height } }';
    const controller = new AbortController();
    const streams = [
      client.subscribe(query, {}, { signal: controller.signal }),
      client.subscribe(query),
      client.subscribe(query),
    ];
    const pending = streams.map((stream) => stream.next());
    await subscribers(3);
    controller.abort();
    expect(await pending[0]).toEqual({ done: true, value: undefined });
    await subscribers(2);
    await streams[1]!.return!();
    expect(await pending[1]).toEqual({ done: true, value: undefined });
    await subscribers(1);
    client.close();
    expect(await pending[2]).toEqual({ done: true, value: undefined });
    await subscribers(0);
  });
});

describe('a live query', () => {
  const query =
    'query ($id: ID!) @live { group(id: $id) { metadata members { nodes { weight } } } head: groups { totalCount } }';

  it('yields the newest result, from changes and over lost connections, and shares what did not change', async () => {
    const [admin] = chain.accounts;
    const group = await createGroup(chain, [
      [admin!, '1'],
      [chain.accounts[1]!, '2'],
    ]);
    const results = connect().live<{ group: { metadata: string; members: object } }>(query, { id: String(group.id) });
    const [first] = await take(results, 1);
    await chain.run(admin!, describeGroup(admin!, group, 'one'));
    const [second] = await take(results, 1);
    expect([first!.data.group.metadata, second!.data.group.metadata]).toEqual(['', 'one']);
    expect(second!.data.group.members).toBe(first!.data.group.members);
    expect(second!.height).toBe(chain.devnet.height.toString());
    relay.cut();
    await expect.poll(() => retries.length).toBeGreaterThan(0);
    await chain.run(admin!, describeGroup(admin!, group, 'two'));
    await chain.run(admin!, describeGroup(admin!, group, 'three'));
    for (let last = second!; last.data.group.metadata !== 'three'; ) {
      const [next] = await take(results, 1);
      expect(BigInt(next!.height!)).toBeGreaterThan(BigInt(last.height!));
      last = next!;
    }
  });

  it.runIf(runsAll)('skips a result that is equal after a lost connection, and results that were not read', async () => {
    const [admin] = chain.accounts;
    const group = await createGroup(chain, [[admin!, '1']]);
    const results = connect().live<{ group: { metadata: string } }>(query, { id: String(group.id) });
    await take(results, 1);
    relay.cut();
    await expect.poll(() => connections).toBe(2);
    const next = results.next();
    await expect.poll(() => stack.server.subscriptions().live.listeners).toBe(1);
    await commit(2);
    await chain.run(admin!, describeGroup(admin!, group, 'one'));
    expect((await next).value.data.group.metadata).toBe('one');
    await chain.run(admin!, describeGroup(admin!, group, 'two'));
    await chain.run(admin!, describeGroup(admin!, group, 'three'));
    const other = connect().live<{ group: { metadata: string } }>(query, { id: String(group.id) });
    await take(other, 1);
    await expect.poll(async () => (await results.next()).value.data.group.metadata).toBe('three');
  });

  it('continues on a chain that was started again from its genesis, whose heights are lower', async () => {
    await commit(5);
    const results = connect().live<{ head: { height: string } }>('query @live { head { height } }');
    const [first] = await take(results, 1);
    expect(first!.data.head.height).toBe(chain.devnet.height.toString());
    const anew = await startChain({ bare: true });
    const other = await startStack([anew.node.url], {
      server: { auth: authenticatorOf(issuer), limits: { 'request.freshness': 20 } },
    });
    await other.client.head.ready();
    relay.target(other.server.url);
    relay.cut();
    const [next] = await take(results, 1);
    expect(next!.data.head.height).toBe(anew.devnet.height.toString());
    await results.return!();
    await other.close();
    await anew.devnet.close();
  });
});

describe('submitTx', () => {
  const hashOf = (tx: Uint8Array): string => createHash('sha256').update(tx).digest('hex').toUpperCase();

  it('follows a transaction to its block', async () => {
    const tx = transfer(chain.accounts[0]!);
    const steps = connect().submitTx(tx);
    const [checked, pending] = await take(steps, 2);
    expect([checked!.stage, checked!.checkTx!.code, pending!.stage]).toEqual(['CHECKED', 0, 'PENDING']);
    await commit(1);
    const [included] = await take(steps, 1);
    expect(included).toMatchObject({
      stage: 'INCLUDED',
      final: true,
      hash: hashOf(tx),
      height: chain.devnet.height.toString(),
      transaction: { code: 0 },
    });
    expect(await steps.next()).toEqual({ done: true, value: undefined });
  });

  it('sends the same bytes again after a lost connection, also if a block has them and through another server', async () => {
    const tx = transfer(chain.accounts[0]!);
    const steps = connect().submitTx(tx);
    await take(steps, 2);
    relay.cut();
    await expect.poll(() => retries.length).toBe(1);
    await stack.close();
    await chain.devnet.commit();
    stack = await startServer();
    relay.target(stack.server.url);
    const rest: string[] = [];
    for await (const { stage, height } of steps) rest.push(`${stage} ${height}`);
    expect(rest).toEqual([`INCLUDED ${chain.devnet.height}`]);
  });

  it('reports a transaction that is refused, and fails without the scope', async () => {
    const tx = chain.sign(chain.accounts[0]!, [], { sequence: 99n });
    const [step] = await take(connect().submitTx(tx), 1);
    expect(step).toMatchObject({ stage: 'REJECTED', final: true });
    const reader = connect({ token: () => issuer.sign({ scope: 'read' }) });
    await expect(reader.submitTx(tx).next()).rejects.toMatchObject({ code: 'FORBIDDEN', facts: { scope: 'broadcast' } });
  });
});

import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Client, createClient, type SteleError } from '../../packages/client/src/index.ts';
import { createRandom } from '../../packages/devnet/src/app/runtime/random.ts';
import { runsAll, seed } from '../support/atRandom.ts';
import { authenticatorOf, startIssuer, type TestIssuer } from '../support/issuer.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { type BusyChain, type Sent, startBusyChain } from './busyChain.ts';
import { type FaultyRelay, startFaultyRelay } from './relay.ts';

/** Blocks of the run: `CLIENT_BLOCKS=2000 npx vitest run test/client/resume.test.ts` is the full size. */
const blocks = Number(process.env.CLIENT_BLOCKS ?? 80);

let issuer: TestIssuer;
let chain: BusyChain;
let replicas: Stack[];
/** It cuts its connections. */
let relay: FaultyRelay;
/** It does not. */
let calm: FaultyRelay;
const clients: Client[] = [];

beforeEach(async () => {
  issuer = await startIssuer();
  chain = await startBusyChain();
  replicas = [await startReplica(), await startReplica()];
  relay = await startFaultyRelay(replicas[0]!.server.url);
  calm = await startFaultyRelay(replicas[0]!.server.url);
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await relay.close();
  await calm.close();
  for (const replica of replicas) await replica.close();
  await chain.devnet.close();
  await issuer.close();
});

function startReplica(): Promise<Stack> {
  return startStack([chain.node.url], { server: { auth: authenticatorOf(issuer) } });
}

/** What a client received before the package dropped what it had. */
interface Record {
  readonly events: number;
  /** The height that the client has begun at, if it asked for it. */
  readonly begun: number;
  /** Subscriptions that the client ended because their events were not read. */
  readonly pauses: number;
  readonly tokens: number;
  readonly errors: SteleError[];
}

/** A client through a relay, whose tokens live for at most two seconds. */
function connect({ url }: FaultyRelay): { readonly client: Client; readonly seen: Record } {
  const seen = { events: 0, begun: 0, pauses: 0, tokens: 0, errors: [] as SteleError[] };
  class Recording extends WebSocket {
    constructor(url: string, protocol: string) {
      super(url, protocol);
      this.on('message', (data) => {
        const { data: result, extensions } = JSON.parse(String(data)).payload ?? {};
        if (extensions?.index !== undefined) seen.events += 1;
        if (result?.__typename !== undefined) seen.begun = Number(extensions.height);
      });
      this.on('error', () => undefined);
    }
    override send(data: string): void {
      if (data.includes('"type":"complete"')) seen.pauses += 1;
      super.send(data);
    }
  }
  const client = createClient({
    url: `${url}/graphql`,
    webSocket: Recording,
    async token() {
      seen.tokens += 1;
      return issuer.sign({ exp: Math.floor(Date.now() / 1_000) + 2 });
    },
    onState: (state, error) => state === 'retrying' && seen.errors.push(error!),
  });
  clients.push(client);
  return { client, seen };
}

const query = 'subscription Sent($after: Int64) { transactions(after: $after) { height hash } }';

/** Reads the transactions up to the last block of the run, and waits before each event that `mayRead` holds back. */
async function read(
  client: Client,
  after: number | undefined,
  last: Promise<string>,
  mayRead: (event: Sent) => Promise<void> = async () => undefined,
): Promise<Sent[]> {
  const all: Sent[] = [];
  const events = client.subscribe<{ transactions: Sent }>(query, {}, { after });
  void last.then(async (hash) => {
    await expect.poll(() => all.at(-1)?.hash, { timeout: 60_000 }).toBe(hash);
    await events.return?.();
  });
  for await (const { data, errors } of events) {
    expect(errors).toBeUndefined();
    all.push(data!.transactions);
    await mayRead(data!.transactions);
  }
  return all;
}

const reaches = (height: number): Promise<void> =>
  expect.poll(() => Number(chain.devnet.height), { timeout: 600_000, interval: 10 }).toBeGreaterThanOrEqual(height);

it.runIf(runsAll)(
  `every event of ${blocks} blocks of 50 ms arrives once and in order, over sockets that are cut, tokens that expire and replicas that restart`,
  {
    timeout: 60_000 + blocks * 150,
  },
  async () => {
    const random = createRandom(seed);
    relay.cutAfter = () => 2_000 + random.below(12_000);
    let tell: (hash: string) => void;
    const last = new Promise<string>((resolve) => {
      tell = resolve;
    });
    const start = Number(chain.devnet.height);
    const [fast, fresh, slow] = [connect(relay), connect(calm), connect(relay)];
    const pauses = (): Promise<void> => expect.poll(() => slow.seen.pauses, { timeout: 60_000, interval: 10 }).toBe(1);
    const reading = [
      read(fast.client, 0, last),
      read(fresh.client, undefined, last),
      // It reads nothing until its client has ended the subscription, because too many events wait.
      read(slow.client, start, last, () => (slow.seen.pauses > 0 ? Promise.resolve() : pauses())),
    ];
    for (let at = 20, restarts = 0; at < blocks; at += 75, restarts += 1) {
      await reaches(start + at);
      const [old, other] = [replicas[restarts % 2]!, replicas[(restarts + 1) % 2]!];
      for (const each of [relay, calm]) each.target(other.server.url);
      await old.close();
      replicas[restarts % 2] = await startReplica();
    }
    await reaches(start + blocks);
    const sent = await chain.halt(0);
    // The slow reader now reads most of the events.
    relay.cutAfter = undefined;
    tell!(sent.at(-1)!.hash);
    const [all, late, slowly] = await Promise.all(reading);
    expect(all).toEqual(sent);
    expect(late).toEqual(sent.filter(({ height }) => Number(height) > fresh.seen.begun));
    expect(slowly).toEqual(sent.filter(({ height }) => Number(height) > start));
    const codesOf = ({ seen }: typeof fast): Set<string> => new Set(seen.errors.map(({ code }) => code));
    expect(codesOf(fast)).toContain('CONNECTION_FAILED');
    expect(codesOf(fresh)).toContain('SUBSCRIPTION_JWT_EXPIRED');
    expect(relay.cuts()).toBeGreaterThan(blocks / 10);
    // Cuts within a block: events that arrived twice were dropped.
    expect(fast.seen.events).toBeGreaterThan(sent.length);
    expect(fresh.seen.tokens).toBeGreaterThan(1);
  },
);

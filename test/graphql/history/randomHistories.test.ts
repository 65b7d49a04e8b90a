import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Application, QueryInput } from '../../../packages/devnet/src/abci/abci.ts';
import { createChainReader } from '../../../packages/devnet/src/app/actors/chainReader.ts';
import { createApplication } from '../../../packages/devnet/src/app/application.ts';
import { createRandom, type Random } from '../../../packages/devnet/src/app/runtime/random.ts';
import { createDevnet, type Devnet } from '../../../packages/devnet/src/devnet.ts';
import { createSharedCache } from '../../../src/chain/memory/memoryBudget.ts';
import { sizeOfEntry } from '../../../src/chain/state/stateEntries.ts';
import { endHeight, executeRecordedChain } from '../../devnet/recordedChain.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { neverCarried, readField, readPolicies, rootFields } from '../../roots/operations.ts';
import { createTraffic, createTrafficGenesis } from '../../roots/traffic.ts';
import { runsAll, seed, sizeOf, some } from '../../support/atRandom.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { executeAt, pagesOf, type Step, send, stepsOf, withoutHeights } from './histories.ts';

/** A cache that is too small for any response. */
const noCache = createSharedCache(1).add(sizeOfEntry);

/** Two servers of one chain: the one that is tested, and one that reads everything. */
interface Servers {
  readonly stele: Stack;
  readonly reference: Stack;
  close(): Promise<void>;
}

async function startServers(devnet: Devnet): Promise<Servers> {
  const { url } = devnet.nodes[0]!;
  const upstream = { timeout: 60_000 };
  const limits = { 'graphql.cost': 200_000, 'request.deadline': 120_000 };
  const stele = await startStack([url], { upstream, server: { limits } });
  const reference = await startStack([url], {
    upstream,
    client: { stateCache: noCache, learnsRoots: false },
    server: { limits },
  });
  for (const { client } of [stele, reference]) await client.head.waitFor(devnet.height, { milliseconds: 60_000 });
  return {
    stele,
    reference,
    async close() {
      await stele.close();
      await reference.close();
      await devnet.close();
    },
  };
}

/** What a history was compared with, and what it cost. */
interface Outcome {
  readonly changes: number;
  readonly executions: number;
  readonly roots: number;
  /** The field that it was refused for, and then read at each seventh block. */
  readonly field: string | undefined;
  /** Heights at which the answers were compared, and those at which the query was executed for that. */
  readonly compared: number;
  readonly executed: number;
}

const every = 7;

/** The requests to the application that one execution of a query makes. */
interface RequestLog {
  /** The requests of what `work` executes. */
  of<T>(work: () => Promise<T>): Promise<{ readonly outcome: T; readonly requests: readonly Asked[] }>;
  /** The text of the response to a request at a height, by the application itself. */
  respond(asked: Asked, height: bigint): string;
}

type Asked = Pick<QueryInput, 'path' | 'data' | 'prove'>;

/** Notes the requests to an application. The nodes serve what `noting` returns. */
function createRequestLog(application: Application): { readonly noting: Application; readonly log: RequestLog } {
  let current: Map<string, Asked> | undefined;
  const respond = ({ path, data, prove }: Asked, height: bigint): string => {
    const { code, value, log } = application.query({ path, data, prove, height, latestHeight: height, earliestHeight: 1n });
    return `${code} ${log} ${value && Buffer.from(value).toString('base64')}`;
  };
  return {
    noting: {
      ...application,
      query(input) {
        const { path, data, prove } = input;
        current?.set(`${path} ${Buffer.from(data).toString('base64')}`, { path, data, prove });
        return application.query(input);
      },
    },
    log: {
      async of(work) {
        current = new Map();
        const requests = current;
        const outcome = await work();
        current = undefined;
        return { outcome, requests: [...requests.values()] };
      },
      respond,
    },
  };
}

/**
 * Compares the history of a query with its answers at all of these heights. It is executed where the application responds otherwise than at the height
 * before to one of the requests that it makes; elsewhere its answer is that of the height before.
 */
async function compareResponses(
  { stele, reference }: Servers,
  log: RequestLog,
  query: string,
  heights: readonly bigint[],
): Promise<Outcome> {
  const before = stele.client.pastRoots.requests();
  const pages = await pagesOf(stele, query, {}, { from: heights[0]!.toString(), to: heights.at(-1)!.toString() });
  expect(pages.at(-1)?.refusal, query).toBeUndefined();
  const steps = stepsOf(pages).map(({ height, data }) => ({ height: BigInt(height), text: withoutHeights(data) }));
  let asked: readonly (readonly [Asked, string])[] | undefined;
  let text = '';
  let [next, executedHeights] = [0, 0];
  // Changes where no state has changed, such as the end of a time, are compared from both sides.
  const sides = steps.slice(1).flatMap(({ height }) => [height - 1n, height]);
  const looked = [...new Set([...heights, ...sides])].sort((a, b) => (a < b ? -1 : 1));
  for (const height of looked) {
    if (asked?.every(([request, response]) => log.respond(request, height) === response) !== true) {
      const { outcome, requests } = await log.of(() => executeAt(reference, query, {}, height));
      asked = requests.map((request) => [request, log.respond(request, height)]);
      text = withoutHeights(outcome.data);
      executedHeights += 1;
    }
    while (steps[next + 1] !== undefined && steps[next + 1]!.height <= height) next += 1;
    if (steps[next]?.text !== text) expect(steps[next]?.text, `${query} at ${height}`).toBe(text);
  }
  const executions = pages.reduce((sum, page) => sum + page.executions, 0);
  const roots = stele.client.pastRoots.requests() - before;
  return { changes: steps.length - 1, executions, roots, field: undefined, compared: looked.length, executed: executedHeights };
}

/** Compares the history of a query with its answers at all of these heights. */
async function compare({ stele, reference }: Servers, query: string, heights: readonly bigint[]): Promise<Outcome> {
  const [from, to] = [heights[0]!.toString(), heights.at(-1)!.toString()];
  const before = stele.client.pastRoots.requests();
  let pages = await pagesOf(stele, query, {}, { from, to });
  const { code, field } = pages.at(-1)?.refusal ?? {};
  let looked = heights;
  if (code !== undefined) {
    expect([code, field]).toEqual(['HISTORY_DEPENDS_ON_HEIGHT', expect.stringMatching(/^\w/)]);
    // A field depends on its block where the objects exist that it belongs to. What was read before that is compared, too.
    const steps = stepsOf(pages.slice(0, -1));
    for (const step of steps) expect(step, query).toEqual(await executeAt(reference, query, {}, BigInt(step.height)));
    pages = await pagesOf(stele, query, {}, { from, to, every });
    looked = heights.filter((height) => (height - heights[0]!) % BigInt(every) === 0n);
  }
  const steps: Step[] = [];
  for (const height of looked) {
    const step = await executeAt(reference, query, {}, height);
    const last = steps.at(-1);
    if (last === undefined || withoutHeights(last.data) !== withoutHeights(step.data)) steps.push(step);
  }
  expect(stepsOf(pages), query).toEqual(steps);
  const executions = pages.reduce((sum, page) => sum + page.executions, 0);
  return {
    changes: steps.length - 1,
    executions,
    roots: stele.client.pastRoots.requests() - before,
    field: typeof field === 'string' ? field : undefined,
    compared: looked.length,
    executed: looked.length,
  };
}

function print(name: string, blocks: number, outcomes: readonly Outcome[]): void {
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((total, outcome) => total + of(outcome), 0);
  const whole = outcomes.filter(({ field }) => field === undefined);
  process.stdout.write(
    `${name}: ${outcomes.length} documents over ${blocks} blocks, ${sum(({ changes }) => changes)} changes, none missed, none doubled; ` +
      `${whole.reduce((total, { executions }) => total + executions, 0)} executions and ${sum(({ roots }) => roots)} roots read for ` +
      `${whole.length} histories; ${outcomes.length - whole.length} were refused and read at each ${every}th block; ` +
      `compared at ${sum(({ compared }) => compared)} heights, executed for that at ${sum(({ executed }) => executed)}\n`,
  );
}

describe('histories over the recorded chain', () => {
  let servers: Servers;

  beforeAll(async () => {
    servers = await startServers((await executeRecordedChain([], endHeight)).devnet);
  }, 120_000);
  afterAll(() => servers.close());

  const { addr, treasury, fast, council } = readRecording('world');
  const addresses = Object.values(addr);
  const policies = [treasury.policy, fast.policy, council.policy];

  /** A field of the root with random arguments. */
  function fieldOf(random: Random): string {
    const address = random.pick(addresses)!;
    const policy = random.pick(policies)!;
    const proposal = 1 + random.below(24);
    return random.pick([
      `proposal(id: "${proposal}") { asOfHeight id status title submitTime tally { yesCount noCount abstainCount } votes(first: 5) { nodes { option voter { address } } } }`,
      `proposal(id: "${proposal}") { status executorResult finalTallyResult { yesCount } }`,
      `proposalsByGroupPolicy(address: "${policy}", first: 10) { totalCount nodes { id status title } }`,
      `proposalsByGroupPolicy(address: "${policy}", first: 5, reverse: true) { nodes { id pendingVoters(first: 5) { nodes { account { address } } } votes(first: 3) { nodes { option metadata } } } }`,
      `group(id: "${1 + random.below(4)}") { metadata version totalWeight members(first: 5) { nodes { weight account { address } } } }`,
      `groupPolicy(address: "${policy}") { metadata version group { id } }`,
      `account(address: "${address}") { balances(first: 10) { nodes { denom amount } } }`,
      `account(address: "${address}") { sequence spendableBalances(first: 10) { nodes { denom amount } } }`,
      `attributes(account: "${address}", first: 10) { nodes { name } }`,
      `marker(denom: "nhash") { denom status supply { amount } }`,
      `markers(first: 10) { nodes { denom status } }`,
      `groups(first: 10) { totalCount nodes { id version } }`,
      `groupsByAdmin(admin: "${address}", first: 5) { nodes { id metadata } }`,
      `proposal(id: "${proposal}") { votingTimeLeft }`,
    ])!;
  }

  it.runIf(runsAll)('are equal to executing at every height, for random documents', { timeout: 600_000 }, async () => {
    const random = createRandom(seed);
    const queries = Array.from({ length: 50 }, () => {
      const fields = Array.from({ length: 1 + random.below(3) }, (_, index) => `_${index}: ${fieldOf(random)}`);
      return `{ ${fields.join('\n')} }`;
    });
    const valid: string[] = [];
    for (const query of queries) {
      const { errors } = await send(servers.reference, { query });
      expect(
        errors?.map(({ message }) => message),
        query,
      ).toBeUndefined();
      valid.push(query);
    }
    const heights = Array.from({ length: endHeight }, (_, index) => BigInt(index + 1));
    const outcomes: Outcome[] = [];
    for (const query of valid.filter((_, index) => index % sizeOf({ full: 1, ci: 5 }) === 0))
      outcomes.push(await compare(servers, query, heights));
    print('recorded chain', endHeight, outcomes);
    expect(outcomes.reduce((sum, { changes }) => sum + changes, 0)).toBeGreaterThan(outcomes.length);
    for (const { field, executions, changes } of outcomes)
      if (field === undefined) expect(executions).toBeGreaterThanOrEqual(changes);
  });
});

describe('histories over a random devnet', () => {
  let servers: Servers;
  let devnet: Devnet;
  let application: ReturnType<typeof createApplication>;
  let log: RequestLog;
  const blocks = sizeOf({ full: 20_000, ci: 1_000, own: 100 });
  /** The heights whose state differs from that of the height before: those with another application hash. */
  const changed: bigint[] = [];

  beforeAll(async () => {
    application = createApplication({ genesis: createTrafficGenesis() });
    const noted = createRequestLog(application);
    log = noted.log;
    const random = createRandom(seed);
    const traffic = createTraffic(seed, application, 'stele-devnet');
    devnet = await createDevnet({
      application: noted.noting,
      blockTime: 'manual',
      genesisTime: 1_900_000_000_000_000_000n,
      keepHeights: 0,
      keepBlocks: 0,
      actors: (block) => (block.height < 20n || random.below(runsAll ? 50 : 10) === 0 ? traffic(block) : []),
    });
    while (devnet.height < blocks) await devnet.commit({ elapse: 300 + random.below(3000) });
    servers = await startServers(devnet);
    let last = '';
    for (let height = 1n; height < devnet.height; height += 1n) {
      const { header } = (await servers.reference.client.call('header', { height: (height + 1n).toString() })) as {
        header: { app_hash: string };
      };
      if (header.app_hash !== last) changed.push(height);
      last = header.app_hash;
    }
  }, 600_000);
  afterAll(() => servers.close());

  it('are equal to executing at every height, for random documents', { timeout: 3_600_000 }, async () => {
    const random = createRandom(seed + 1);
    const reader = createChainReader(application.query, devnet.height);
    const proposals = readPolicies.flatMap((policy) => reader.proposals(policy).map(({ id }) => id));
    const fields = rootFields.filter(({ name }) => !neverCarried.has(name));
    const queries: string[] = [];
    while (queries.length < 20) {
      const choice = () => ({ height: devnet.height, proposals, args: random.below(1000), selection: 1 + 6 * random.below(2) });
      const chosen = Array.from({ length: 1 + random.below(3) }, () => readField(random.pick(fields)!, choice()).text);
      const query = `{ ${chosen.map((text, index) => `_${index}: ${text}`).join('\n')} }`;
      const { errors } = await send(servers.stele, { query, extensions: { history: { from: '2', to: '3' } } });
      // Errors of fields, and fields that depend on the block, are tested over the recorded chain.
      if (errors === undefined) queries.push(query);
    }
    const outcomes: Outcome[] = [];
    const end = devnet.height - 1n;
    // Where nothing at all has changed, no answer has: the application hash covers all stores.
    const heights = [...new Set([2n, ...changed.filter((height) => height > 2n && height < end), end])];
    for (const query of some(queries, 5)) outcomes.push(await compareResponses(servers, log, query, heights));
    print('random devnet', blocks, outcomes);
  });
});

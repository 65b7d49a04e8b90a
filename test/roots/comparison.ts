import { Agent, request as createRequest } from 'node:http';
import { type ExecutionResult, execute, parse } from 'graphql';
import { createChainReader } from '../../packages/devnet/src/app/actors/chainReader.ts';
import { createApplication } from '../../packages/devnet/src/app/application.ts';
import { createRandom, type Random } from '../../packages/devnet/src/app/runtime/random.ts';
import { createDevnet } from '../../packages/devnet/src/devnet.ts';
import { decodeBlockResults } from '../../src/chain/blocks/committedBlock.ts';
import { createSharedCache } from '../../src/chain/memory/memoryBudget.ts';
import type { MethodTable } from '../../src/chain/roots/methodTables.ts';
import { sizeOfEntry } from '../../src/chain/state/stateEntries.ts';
import { createLimits } from '../../src/config/limits/limits.ts';
import { toGraphQLErrors } from '../../src/graphql/documents/errors.ts';
import { schema } from '../../src/graphql/schema.ts';
import { openSession } from '../../src/reads/viewer.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { rootAt } from '../support/streams.ts';
import { rootsKnown } from './heights.ts';
import { type Choice, moduleMethods, type RootField, readField, readModule, readPolicies, rootFields } from './operations.ts';
import { restPaths } from './restPaths.ts';
import { createTraffic, createTrafficGenesis } from './traffic.ts';

/** An answer that differs from the one that was read without caches. */
export interface Difference {
  readonly height: bigint;
  readonly asked: string;
  /** The answer of the server that carries, and its `Cache-Status`. */
  readonly carried: string;
  readonly source: string;
  readonly read: string;
}

/** What was compared. */
export interface Comparison {
  readonly differences: readonly Difference[];
  /** The messages of successful transactions, by type. */
  readonly messages: ReadonlyMap<string, number>;
  /** Answers by what was asked: all of them, and those that were carried from another height. */
  readonly asked: ReadonlyMap<string, { readonly all: number; readonly carried: number }>;
}

/** Options of {@link compareAnswers}. */
export interface ComparisonOptions {
  readonly seed: number;
  readonly blocks: number;
  /** The share of the root fields and methods that is read at each height. */
  readonly share: number;
  /** The table of stores of the server that carries. Default: the real one. */
  readonly methods?: MethodTable;
  /** The names of the root fields that are read. Default: all. */
  readonly only?: readonly string[];
  /** Ends at the first difference. */
  readonly isShort?: boolean;
}

/** A cache that is too small for any response. */
const noCache = createSharedCache(1).add(sizeOfEntry);

const agent = new Agent({ keepAlive: true, maxSockets: 8 });

interface HttpAnswer {
  readonly status: number;
  readonly source: string;
  readonly height: string;
  readonly text: string;
}

/** Sends a request over a kept connection. */
function ask(url: string, { body, height }: { body?: string; height?: bigint | undefined } = {}): Promise<HttpAnswer> {
  const headers = {
    accept: 'application/json',
    ...(body !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
    ...(height !== undefined && { 'x-cosmos-block-height': height.toString() }),
  };
  return new Promise((resolve, reject) => {
    const request = createRequest(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const source = String(response.headers['cache-status'] ?? '');
        resolve({ status: response.statusCode ?? 0, source, height: String(response.headers['x-cosmos-block-height']), text });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** The data and the errors of one field, as text that is equal for equal answers. */
function shown(data: unknown, errors: readonly { path?: readonly unknown[] | undefined; message: string }[]): string {
  const brief = errors.map(({ path = [], message, ...error }) => {
    const { code } = (error as { extensions?: { code?: string } }).extensions ?? {};
    return `${path.slice(1).join('.')}: ${code} ${message}`;
  });
  return JSON.stringify([data ?? null, brief.sort()]);
}

/** Reads the fields at a height in one execution of the schema, without a server. */
async function readFields({ client }: Stack, height: bigint, fields: readonly RootField[]): Promise<string[]> {
  const document = parse(`{ ${fields.map(({ text }, index) => `_${index}: ${text}`).join('\n')} }`);
  const contextValue = {
    viewer: openSession.viewer,
    outcome: { immutable: false },
    broadcastCommit: false,
    limits: createLimits(),
    warnings: new Set<string>(),
  };
  const result = (await execute({ schema, document, rootValue: rootAt(client, height), contextValue })) as ExecutionResult;
  const errors = toGraphQLErrors(result.errors ?? [], '', (error) => {
    throw error;
  });
  return fields.map(({ name }, index) => {
    const alias = `_${index}`;
    // A field of an object that only an absent module adds is null without an error. graphql-js does not know this rule.
    const rootLength = name === 'at' ? 2 : 1;
    const isOfServer = ({ path, extensions }: (typeof errors)[number]): boolean =>
      path?.[0] === alias && (path.length <= rootLength || extensions.code !== 'MODULE_ABSENT');
    return shown(
      result.data?.[alias],
      errors.filter(isOfServer).map(({ path, message, extensions }) => ({ path, message, extensions })),
    );
  });
}

/** Asks the server for one field by POST. Half of the answers are at the newest height, the others name their height. */
async function askField(stele: Stack, height: bigint, isNewest: boolean, field: RootField): Promise<[string, string]> {
  const body = JSON.stringify({ query: `{ ${field.text} }` });
  const answer = await ask(`${stele.server.url}/graphql`, { body, height: isNewest ? undefined : height });
  const { data, errors = [], extensions } = JSON.parse(answer.text);
  const stated = `${answer.height} ${extensions?.height}`;
  if (stated !== `${height} ${height}`) return [`heights ${stated}: ${answer.text}`, answer.source];
  return [shown(data?.[field.text.split(/\W/, 1)[0]!], errors), answer.source];
}

/** The time between two blocks in ms. Some blocks are minutes or a day after the block before. */
function elapsed(random: Random): number {
  const draw = random.next();
  if (draw < 0.005) return 90_000_000;
  return draw < 0.03 ? 700_000 : 300 + random.below(3000);
}

/**
 * Runs random transactions on a devnet, and compares at each height the answers of a server that carries with those of an
 * execution that reads everything from the node. The two share no cache.
 */
export async function compareAnswers(options: ComparisonOptions): Promise<Comparison> {
  const { seed, blocks, share, methods, only, isShort = false } = options;
  const random = createRandom(seed);
  const application = createApplication({ genesis: createTrafficGenesis() });
  const devnet = await createDevnet({
    application,
    blockTime: 'manual',
    genesisTime: 1_900_000_000_000_000_000n,
    keepHeights: 60,
    keepBlocks: 0,
    actors: createTraffic(seed, application, 'stele-devnet'),
  });
  const { url } = devnet.nodes[0]!;
  // A busy machine takes longer for the searches of twenty accounts.
  const upstream = { timeout: 60_000 };
  // The reference counts no lists.
  const stele = await startStack([url], { upstream, client: { methods }, server: { limits: { 'graphql.cost': 100_000 } } });
  const reference = await startStack([url], { upstream, client: { stateCache: noCache, learnsRoots: false } });
  const differences: Difference[] = [];
  const asked = new Map<string, { all: number; carried: number }>();
  const messages = new Map<string, number>();

  function note(height: bigint, name: string, what: string, [carried, source]: readonly [string, string], read: string): void {
    const counts = asked.get(name) ?? { all: 0, carried: 0 };
    counts.all += 1;
    if (source.includes('detail=carried')) counts.carried += 1;
    asked.set(name, counts);
    if (carried !== read) differences.push({ height, asked: what, carried, source, read });
  }

  /** Counts the messages of the transactions of a block. */
  async function noteMessages(height: bigint): Promise<void> {
    const { txs } = decodeBlockResults(await reference.client.call('block_results', { height: height.toString() }));
    for (const { code, events } of txs) {
      if (code !== 0) continue;
      const actions = events.flatMap(({ type, attributes }) =>
        type === 'message' ? attributes.filter(({ key }) => key === 'action') : [],
      );
      for (const { value } of actions) messages.set(value, (messages.get(value) ?? 0) + 1);
    }
  }

  try {
    for (const stack of [stele, reference]) await stack.client.head.ready();
    for (let count = 0; count < blocks && !(isShort && differences.length > 0); count += 1) {
      const newest = await devnet.commit({ elapse: elapsed(random) });
      for (const { client } of [stele, reference]) await client.head.waitFor(newest, { milliseconds: 30_000 });
      await noteMessages(newest);
      // A request that arrives before the roots are known is read by height.
      if (random.below(10) > 0) await rootsKnown(stele, newest);
      const isNewest = random.below(8) > 0 || newest < 8n;
      const height = isNewest ? newest : newest - BigInt(1 + random.below(4));
      const isRead = (name: string): boolean => (only?.includes(name) ?? true) && random.next() < share;
      const reader = createChainReader(application.query, height);
      const proposals = readPolicies.flatMap((policy) => reader.proposals(policy).map(({ id }) => id));
      // The same operations are read at several heights in a row.
      const draw = (): Choice => ({
        height,
        proposals,
        args: random.below(6) === 0 ? random.below(1000) : Number(newest / 16n),
        selection: random.below(6) === 0 ? random.below(1000) : 1,
      });
      const fields = [
        ...rootFields.filter(({ name }) => isRead(name)).map((field) => readField(field, draw())),
        ...moduleMethods.filter((method) => isRead(method)).map((method) => readModule(method, draw())),
      ];
      if (fields.length > 0) {
        const [read, carried] = await Promise.all([
          readFields(reference, height, fields),
          Promise.all(fields.map((field) => askField(stele, height, isNewest, field))),
        ]);
        for (const [index, { name, text }] of fields.entries()) note(height, name, text, carried[index]!, read[index]!);
      }
      for (const path of restPaths.filter((each) => isRead(each) && random.below(8) === 0)) {
        const [answer, read] = await Promise.all(
          [stele, reference].map(({ server }) => ask(`${server.url}${path}`, { height: isNewest ? undefined : height })),
        );
        const text = ({ status, height: at, text: body }: HttpAnswer): string => `${status} at ${at}: ${body}`;
        note(height, path, path, [text(answer!), answer!.source], text(read!));
      }
    }
  } finally {
    await stele.close();
    await reference.close();
    await devnet.close();
  }
  return { differences, messages, asked };
}

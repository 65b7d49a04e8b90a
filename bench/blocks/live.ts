import { boardDocument, busiestPolicy, post } from '../boardRequest.ts';
import { type Child, startChild } from '../child.ts';
import { callsSince } from './load.ts';

const clients = 1_000;
const votes = 12;
/** One block of this many has a vote. */
const votesEvery = 5;
/** Votes before the measurement, while functions are compiled. */
const warmUp = 4;

/** The children of the measurement. */
interface Parts {
  readonly node: Child;
  readonly stele: Child;
  readonly bare: Child;
  readonly listeners: Child;
  readonly bareListeners: Child;
}

type Variables = Readonly<Record<'policy', string>>;

/** A message to all clients. Times in ms, CPU of the server in microseconds. */
interface FanOut {
  /** From the arrival of the block at the server until it has verified the roots of its stores. */
  readonly roots: number;
  /** From then to the first byte that it sends: the reads and one execution. */
  readonly execution: number;
  /** From the first byte that the server sends to the last byte that the last client receives. */
  readonly sending: number;
  /** The CPU until the first byte, and from then on. */
  readonly cpuBefore: number;
  readonly cpuSending: number;
}

/** What a block cost. */
interface LiveBlock {
  readonly executions: number;
  readonly messages: number;
  readonly calls: Readonly<Record<string, number>>;
  readonly cpu: number;
  /** Undefined for a block without a vote. */
  readonly sent?: FanOut;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** Resolves once all clients have a message more than before, with the time of its last byte. */
async function expectAll(listeners: Child): Promise<() => Promise<number>> {
  const { batches } = await listeners.measure();
  await listeners.run('want', batches + clients);
  return () => listeners.run('wanted');
}

/** Creates a block, and waits until the query was executed or found unchanged, and until every client has its result. */
async function nextBlock({ node, stele, listeners }: Parts, hasVote: boolean): Promise<LiveBlock> {
  const [before, { kinds: calls }, { batches }] = await Promise.all([stele.measure(), node.measure(), listeners.measure()]);
  const received = hasVote ? await expectAll(listeners) : undefined;
  const { executions = 0, unchanged = 0 } = before.kinds;
  if (hasVote) await stele.run('watchSend');
  await node.run('commit', hasVote);
  const last = await received?.();
  await stele.run('looked', executions + unchanged + 1);
  const after = await stele.measure();
  const block = {
    executions: (after.kinds.executions ?? 0) - executions,
    messages: (await listeners.measure()).batches - batches,
    calls: callsSince(calls, (await node.measure()).kinds),
    cpu: after.cpu - before.cpu,
  };
  if (last === undefined) return block;
  const [blockAt, rootsAt] = [await stele.run('blockAt'), await stele.run('rootsAt')];
  const [sentAt, sentCpu] = [await stele.run('sentAt'), await stele.run('sentCpu')];
  const sent: FanOut = {
    roots: rootsAt - blockAt,
    execution: sentAt - rootsAt,
    sending: last - sentAt,
    cpuBefore: sentCpu - before.cpu,
    cpuSending: after.cpu - sentCpu,
  };
  return { ...block, sent };
}

/** Makes the bare server send the newest result to as many clients. Its time starts before the first byte that it sends. */
async function bareRound({ stele, bare, bareListeners }: Parts, variables: Variables): Promise<FanOut> {
  await bare.run('use', await post(stele.url, JSON.stringify({ query: boardDocument, variables })));
  const { cpu } = await bare.measure();
  const received = await expectAll(bareListeners);
  const start = await bare.run('send');
  const sending = (await received()) - start;
  return { roots: 0, execution: 0, sending, cpuBefore: 0, cpuSending: (await bare.measure()).cpu - cpu };
}

/** Connects all clients of both servers. Resolves once each client of Stele has its first result. */
async function connectAll({ stele, bare, listeners, bareListeners }: Parts, variables: Variables): Promise<void> {
  const query = boardDocument.replace(') {', ') @live {');
  const received = await expectAll(listeners);
  await listeners.run('connect', { url: stele.url, way: 'graphql-ws', count: clients, query, variables });
  await stele.run('listening', clients);
  await received();
  await bareListeners.run('connect', { url: bare.url, way: 'ws', count: clients, query: '' });
  await bare.run('subscribed', clients);
}

function printBlocks(name: string, blocks: readonly LiveBlock[]): void {
  const each = (of: (block: LiveBlock) => number): string => {
    const values = blocks.map(of).toSorted((a, b) => a - b);
    return values[0] === values.at(-1) ? `${values[0]}` : `${values[0]} to ${values.at(-1)}`;
  };
  console.log(
    `  ${blocks.length} blocks ${name}: ${each(({ executions }) => executions)} executions, ${each(({ messages }) => messages)} messages, ${each(({ calls }) => sum(Object.values(calls)))} calls to the node a block`,
  );
  const kinds = [...new Set(blocks.flatMap(({ calls }) => Object.keys(calls)))];
  for (const kind of kinds)
    console.log(`  ${(sum(blocks.map(({ calls }) => calls[kind] ?? 0)) / blocks.length).toFixed(1).padStart(8)}  ${kind}`);
}

function printTimes(own: readonly FanOut[], others: readonly FanOut[]): void {
  const range = (values: readonly number[]): string =>
    `${median(values).toFixed(0)} ms (${Math.min(...values).toFixed(0)} to ${Math.max(...values).toFixed(0)})`;
  const ratio = (values: readonly number[], base: readonly number[]): string => (median(values) / median(base)).toFixed(2);
  const all = own.map((one) => one.roots + one.execution + one.sending);
  const [sending, bare] = [own.map((one) => one.sending), others.map((one) => one.sending)];
  const part = (name: string, values: readonly number[]): void =>
    console.log(`      ${name}: ${range(values)}, ${((100 * median(values)) / median(all)).toFixed(0)} % of the median`);
  console.log('  Time to the last byte at the last client, median (least to most):');
  console.log(`    raw ws, from its first byte: ${range(bare)}`);
  console.log(`    stele, from its first byte (the fan-out alone): ${range(sending)}, ${ratio(sending, bare)} times raw ws`);
  console.log(`    stele, from the arrival of the NewBlock event: ${range(all)}, ${ratio(all, bare)} times raw ws; of that`);
  part(
    'the roots',
    own.map((one) => one.roots),
  );
  part(
    'the reads and one execution',
    own.map((one) => one.execution),
  );
  const cpu = (values: readonly number[]): number => median(values) / clients;
  const [ownCpu, bareCpu] = [cpu(own.map((one) => one.cpuSending)), cpu(others.map((one) => one.cpuSending))];
  console.log(
    `  CPU of the server: ${ownCpu.toFixed(1)} µs a message (raw ws ${bareCpu.toFixed(1)}: ${(ownCpu / bareCpu).toFixed(2)} times), and ${(median(own.map((one) => one.cpuBefore)) / 1000).toFixed(1)} ms a block with a vote before the first byte`,
  );
}

/**
 * Measures a live `Board` of many clients over WebSocket, with a vote in one of five blocks, beside a bare `ws` server that sends
 * the same bytes to as many clients, and prints the results. The servers send in turn.
 */
export async function live(): Promise<void> {
  const node = await startChild('blocksNode');
  const stele = await startChild('stele', [node.url]);
  const [bare, listeners, bareListeners] = await Promise.all(
    ['bareStreams', 'listeners', 'listeners'].map((name) => startChild(name)),
  );
  if (bare === undefined || listeners === undefined || bareListeners === undefined) throw new Error('a child is missing');
  const parts: Parts = { node, stele, bare, listeners, bareListeners };
  const variables = { policy: await busiestPolicy(stele.url) };
  await connectAll(parts, variables);
  const blocks: LiveBlock[] = [];
  const others: FanOut[] = [];
  for (let index = 0; index < (warmUp + votes) * votesEvery; index += 1) {
    const hasVote = index % votesEvery === votesEvery - 1;
    const block = await nextBlock(parts, hasVote);
    const other = hasVote ? await bareRound(parts, variables) : undefined;
    if (index < warmUp * votesEvery) continue;
    blocks.push(block);
    if (other !== undefined) others.push(other);
  }
  const bytes = async (child: Child): Promise<string> => {
    const { batches, kinds } = await child.measure();
    return ((kinds.bytes ?? 0) / batches).toFixed(0);
  };
  console.log(
    `\nLive \`Board\`: ${clients} clients over WebSocket, a vote in one of ${votesEvery} blocks, messages of ${await bytes(listeners)} bytes (raw ws: ${await bytes(bareListeners)})`,
  );
  printBlocks(
    'without a vote',
    blocks.filter(({ sent }) => sent === undefined),
  );
  printBlocks(
    'with a vote',
    blocks.filter(({ sent }) => sent !== undefined),
  );
  printTimes(
    blocks.flatMap(({ sent }) => (sent === undefined ? [] : [sent])),
    others,
  );
  await Promise.all(Object.values(parts).map((child: Child) => child.stop()));
}

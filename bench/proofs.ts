import { gzipSync } from 'node:zlib';
import { proofBoardDocument, proofProposalDocument } from '../test/support/proofBoard.ts';
import { post } from './boardRequest.ts';
import { type Child, startChild } from './child.ts';
import { median } from './rounds.ts';

/** Rounds of a measurement. The first ones are those of a process that has just started. */
const rounds = 24;

/** The boards of a chain: as many to start with as count. */
const boards = 2 * rounds;

interface ProvenResult {
  readonly extensions: {
    readonly height: string;
    readonly cost: { readonly requested: number };
    readonly proof?: { readonly header: { readonly validators_hash: string } };
  };
}

/** Sends a request, and returns its answer, the CPU time of the server in ms, and the calls that reached the node. */
async function measured(chain: Child, server: Child, body: object) {
  const [{ calls }, { cpu }] = [await chain.measure(), await server.measure()];
  const text = await post(server.url, JSON.stringify(body));
  const [after, afterCpu] = [await chain.measure(), await server.measure()];
  return { result: JSON.parse(text) as ProvenResult, spent: (afterCpu.cpu - cpu) / 1_000, calls: after.calls - calls };
}

const sizeOf = (value: unknown): { readonly raw: number; readonly gzip: number } => {
  const bytes = Buffer.from(JSON.stringify(value) ?? '');
  return { raw: bytes.length, gzip: gzipSync(bytes).length };
};

function print(name: string, ...columns: readonly (number | string)[]): void {
  console.log([name.padEnd(36), ...columns.map((column) => String(column).padStart(10))].join(' '));
}

/**
 * Measures one question about several boards of which a server has read nothing: the bytes of its proof, and what it costs beside the same answer without a proof. The server has
 * run for a while: the first half of the boards does not count.
 */
async function measureQuestion(
  name: string,
  chain: Child,
  node: string,
  query: string,
  questions: readonly object[],
): Promise<void> {
  const height = (await chain.run('commit')) - 1;
  let answer: ProvenResult | undefined;

  async function costOf(asks: boolean) {
    const server = await startChild('proofsServer', [node]);
    await server.run('waitFor', height + 1);
    const times: number[] = [];
    let made = 0;
    for (const variables of questions) {
      const extensions = { proof: asks, height: String(height), cost: true };
      const { result, spent, calls } = await measured(chain, server, { query, variables, extensions });
      if (asks) answer = result;
      times.push(spent);
      made = Math.max(made, calls);
    }
    await server.stop();
    const counted = times.slice(times.length / 2);
    return { first: times[0] ?? 0, least: Math.min(...counted), middle: median(counted), calls: made };
  }

  const [proven, plain] = [await costOf(true), await costOf(false)];
  const proof = answer?.extensions.proof;
  const { validators: _, ...without } = proof as { validators?: unknown };
  const [whole, short] = [sizeOf(proof), sizeOf(without)];
  const points = answer?.extensions.cost.requested ?? 0;
  print(
    name,
    ...[whole.gzip, short.gzip, whole.raw, points, proven.calls - plain.calls],
    ...[proven.first - plain.first, proven.least - plain.least, proven.middle - plain.middle].map((time) => time.toFixed(1)),
  );
}

/**
 * What a proof costs after a block, in a server that has read the board before: the least, beside the same answer without a proof. The command of the chain makes a block that changes
 * the store, or one that does not.
 */
async function measureLater(
  name: string,
  command: 'change' | 'commit',
  chain: Child,
  node: string,
  body: object,
): Promise<void> {
  const server = await startChild('proofsServer', [node]);
  let [proven, plain] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const calls: number[] = [];
  for (let round = 0; round < 2 * rounds; round += 1) {
    await server.run('waitFor', await chain.run(command));
    // The calls that every block causes are over.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const asks = round % 2 === 0;
    const made = await measured(chain, server, { ...body, extensions: { proof: asks } });
    // The first answers are read: it takes some blocks until the server knows that their stores do not change.
    if (round < rounds) continue;
    if (asks) {
      calls.push(made.calls);
      proven = Math.min(proven, made.spent);
    } else plain = Math.min(plain, made.spent);
  }
  print(`  ${name}`, `${median(calls)} calls`, `${(proven - plain).toFixed(1)} ms`, `of ${proven.toFixed(1)} ms`);
  await server.stop();
}

/**
 * Prints the sizes and the costs of proofs: of one proposal with 30 votes, and of a board of 30 open proposals. The CPU time is that of the server beside the same answer without
 * a proof: of the first request of a process, and the least and the median of later ones, each about another board.
 */
export async function proofs(): Promise<void> {
  const columns = ['gzip', 'no set', 'raw', 'points', 'more calls', 'first ms', 'CPU ms', 'median ms'];
  print('100 validators, 30 members', ...columns);
  for (const [proposals, votes] of [
    [1, 30],
    [30, 8],
    [30, 30],
  ] as const) {
    const chain = await startChild('proofsChain', [proposals, votes, boards].map(String));
    const [node = '', names = '', first = ''] = chain.url.split('#');
    const policies = names.split(',').map((policy) => ({ policy }));
    if (proposals === 1) {
      const ids = policies.map((_, index) => ({ id: String(Number(first) + index) }));
      await measureQuestion(`one proposal with ${votes} votes`, chain, node, proofProposalDocument, ids);
    } else {
      await measureQuestion(`${proposals} proposals with ${votes} votes each`, chain, node, proofBoardDocument, policies);
      const body = { query: proofBoardDocument, variables: policies[0] };
      await measureLater('blocks later, stores unchanged', 'commit', chain, node, body);
      await measureLater('blocks later, its store changed', 'change', chain, node, body);
    }
    await chain.stop();
  }
}

import { boardDocument, post } from '../boardRequest.ts';
import { type Child, startChild } from '../child.ts';
import { boardPolicy } from './boardGenesis.ts';
import { callsSince } from './load.ts';

/** Votes before the measurement: reads are followed from their second execution on. */
const warmUp = 3;
const votes = 5;
/** How many boards are asked for at once. */
const atOnce = 20;

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Asks for all boards. Returns how many of the answers were executed. */
async function askAll(stele: Child, bodies: readonly string[]): Promise<number> {
  let executedAnswers = 0;
  for (let from = 0; from < bodies.length; from += atOnce) {
    const responses = bodies.slice(from, from + atOnce).map(async (body) => {
      const response = await fetch(`${stele.url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const text = await response.text();
      if (!response.ok || text.includes('"errors"')) throw new Error(text.slice(0, 500));
      if (response.headers.get('cache-status') === 'stele; fwd=miss') executedAnswers += 1;
    });
    await Promise.all(responses);
  }
  return executedAnswers;
}

/** Waits until the server calls the node no more: what was read is followed. */
async function quiet(node: Child): Promise<void> {
  for (let calls = -1; ; ) {
    const now = (await node.measure()).calls;
    if (now === calls) return;
    calls = now;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** Measures the calls to the node for one vote under boards of different groups, and prints a row. */
export async function distinctBoards(count: number): Promise<void> {
  const bodies = Array.from({ length: count }, (_, board) =>
    JSON.stringify({ query: boardDocument, variables: { policy: boardPolicy(board) } }),
  );
  const { of, executed, first, kinds } = await votesUnder(bodies, count);
  console.log(
    `${count} boards, one vote: ${of}, ${executed} boards executed; the first vote: ${first?.calls} calls, ${first?.executed} boards executed`,
  );
  for (const [kind, calls] of Object.entries(kinds)) console.log(`  ${String(calls).padStart(6)}  ${kind}`);
}

/** Measures the calls to the node for one vote on another board under few operations, with ranges and without, and prints a row for each. */
export async function fewDependants(): Promise<void> {
  const small = 'query Policy($policy: String!) { groupPolicy(address: $policy) { metadata group { metadata totalWeight } } }';
  for (const [name, query] of [
    ['1 operation with two reads', small],
    ['1 board', boardDocument],
  ] as const) {
    const body = JSON.stringify({ query, variables: { policy: boardPolicy(warmUp + votes) } });
    for (const ranges of ['off', 'on'] as const) {
      const { of } = await votesUnder([body], warmUp + votes + 1, { STELE_BENCH_RANGES: ranges });
      console.log(`${name}, one vote on another board: ${of} with ranges ${ranges}`);
    }
  }
}

/** Casts votes on boards of a chain in turn. Counts the calls to the node from the block of each vote until all requests were sent again. */
async function votesUnder(bodies: readonly string[], boards: number, variables: Readonly<Record<string, string>> = {}) {
  const node = await startChild('blocksNode', ['0', 'listed', String(boards)]);
  for (let block = 0; block < 2; block += 1) await node.run('commit', false);
  const stele = await startChild('stele', [node.url], variables);
  const commit = async (vote: number | boolean): Promise<void> => {
    const height = await node.run('commit', vote);
    await post(stele.url, JSON.stringify({ query: '{ head { height } }', extensions: { minHeight: height } }));
  };
  await askAll(stele, bodies);
  const rows: { calls: number; executed: number; kinds: Readonly<Record<string, number>> }[] = [];
  for (let vote = 0; vote < warmUp + votes; vote += 1) {
    await quiet(node);
    const { kinds: before } = await node.measure();
    await commit(vote % boards);
    const executed = await askAll(stele, bodies);
    await quiet(node);
    const kinds = callsSince(before, (await node.measure()).kinds);
    rows.push({ calls: sum(Object.values(kinds)), executed, kinds });
    // The fee moves in the next block.
    await commit(false);
    await askAll(stele, bodies);
  }
  await Promise.all([stele.stop(), node.stop()]);
  const last = rows.slice(warmUp);
  const calls = last.map((row) => row.calls);
  return {
    of: `${median(calls)} calls (at most ${Math.max(...calls)})`,
    executed: median(last.map(({ executed }) => executed)),
    first: rows[0],
    kinds: last.at(-1)?.kinds ?? {},
  };
}

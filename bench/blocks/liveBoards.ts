import { boardDocument } from '../boardRequest.ts';
import { startChild } from '../child.ts';
import { boardPolicy } from './boardGenesis.ts';
import { callsSince } from './load.ts';

const boards = 100;
/** Votes before the measurement: reads are followed from their second execution on, and functions are compiled. */
const warmUp = 6;
const votes = 30;

/** The server that is measured. */
type Ranges = 'on' | 'off';

const at = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

/**
 * Measures live boards of different groups, each of one client over WebSocket, while one vote is cast in every second block. Prints the time from the
 * arrival of the block at the server until the client of the voted board has its result, with ranges and without.
 */
export async function liveBoards(): Promise<void> {
  console.log(
    `\nLive boards of ${boards} groups, one client each, one vote: from the arrival of its block to the last byte at the client`,
  );
  for (const ranges of ['off', 'on'] as const) await measure(ranges);
}

async function measure(ranges: Ranges): Promise<void> {
  const node = await startChild('blocksNode', ['0', 'listed', String(boards)]);
  for (let block = 0; block < 2; block += 1) await node.run('commit', false);
  const stele = await startChild('stele', [node.url], { STELE_BENCH_RANGES: ranges });
  const listeners = await startChild('listeners');
  const query = boardDocument.replace(') {', ') @live {');
  await listeners.run('want', boards);
  for (let board = 0; board < boards; board += 1)
    await listeners.run('connect', {
      url: stele.url,
      way: 'graphql-ws',
      count: 1,
      query,
      variables: { policy: boardPolicy(board) },
    });
  await listeners.run('wanted');
  const times: number[] = [];
  const executed: number[] = [];
  const calls: number[] = [];
  /** Makes a block, and waits until each board was executed or found unchanged. */
  const nextBlock = async (vote: number | false): Promise<number> => {
    const { executions = 0, unchanged = 0 } = (await stele.measure()).kinds;
    await node.run('commit', vote);
    await stele.run('looked', executions + unchanged + boards);
    await stele.run('followed');
    return ((await stele.measure()).kinds.executions ?? 0) - executions;
  };
  for (let vote = 0; vote < warmUp + votes; vote += 1) {
    const [{ batches }, { kinds }] = [await listeners.measure(), await node.measure()];
    await listeners.run('want', batches + 1);
    const executions = await nextBlock(vote);
    const time = (await listeners.run('wanted')) - (await stele.run('blockAt'));
    // The fee moves in the next block.
    const sum = Object.values(callsSince(kinds, (await node.measure()).kinds)).reduce((total, count) => total + count, 0);
    await nextBlock(false);
    if (vote < warmUp) continue;
    times.push(time);
    executed.push(executions);
    calls.push(sum);
  }
  console.log(
    `  ranges ${ranges}: p50 ${at(times, 0.5).toFixed(0)} ms, p90 ${at(times, 0.9).toFixed(0)} ms; ${at(executed, 0.5)} boards executed, ${at(calls, 0.5)} calls to the node`,
  );
  await Promise.all([node, stele, listeners].map((child) => child.stop()));
}

import { createRandom } from '../packages/devnet/src/app/runtime/random.ts';
import { createDevnet } from '../packages/devnet/src/devnet.ts';
import { readFlags } from './flags.ts';
import { megabytes, startServerProcess } from './serverProcess.ts';
import { inject } from './soak/faults.ts';
import { startQueries } from './soak/queries.ts';
import { startSubscribers } from './soak/subscribers.ts';
import { createFindings, createTruth } from './soak/truth.ts';

const blockTime = 500;
const queriesPerSecond = 75;

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

function listed(counts: ReadonlyMap<string, number>): string {
  return [...counts].map(([name, count]) => `${name} ${count}`).join(', ') || 'none';
}

/**
 * Runs the server over three nodes of one chain with random faults, with subscribers that disconnect and resume and with steady
 * queries, and prints all errors. Flags: `--seconds` (600), `--subscribers` (300), `--seed` (random). The exit code is 1 if
 * there was an error.
 */
export async function soak(args: readonly string[]): Promise<void> {
  const { numbers } = readFlags(args, {
    seconds: { default: 600, max: 86_400 },
    subscribers: { default: 300, max: 5_000 },
    seed: { default: 1 + Math.floor(Math.random() * 1e9), max: 2 ** 31 },
  });
  const { seconds, subscribers, seed } = numbers;
  console.log(`\nSoak: ${seconds} s, ${subscribers} subscribers, three nodes, one block every ${blockTime} ms, seed ${seed}`);
  const devnet = await createDevnet({ blockTime, nodes: 4, actors: true });
  // The last node has no faults and is the reference.
  const [oracle, ...nodes] = devnet.nodes.toReversed();
  if (oracle === undefined) throw new Error('no node');
  const truth = createTruth(devnet, oracle);
  const findings = createFindings();
  const server = await startServerProcess({
    flags: nodes.flatMap(({ url }) => ['--node', url]),
    heap: 400,
    names: ['soak'],
  });
  const [token = ''] = server.tokens;
  const common = { target: { url: server.url, token }, truth, findings };
  const stopSubscribers = startSubscribers(subscribers, { ...common, random: createRandom(seed + 1) });
  const queries = startQueries(queriesPerSecond, { ...common, random: createRandom(seed + 2) });
  const injection = inject(nodes, createRandom(seed));

  const resident: (number | undefined)[] = [];
  // The start-up is over by then.
  for (const share of [0.1, 0.4, 0.5]) {
    await pause(share * seconds * 1_000);
    resident.push(server.memory()?.resident);
  }
  const peak = server.memory()?.peak;
  await injection.stop();
  // From five seconds after the last fault on, nothing may fail.
  const failed = (): number => [...findings.failures.values()].reduce((sum, times) => sum + times, 0);
  await pause(5_000);
  const before = failed();
  await pause(5_000);
  const late = failed() - before;
  stopSubscribers();
  await queries.stop();
  await truth.check(findings);

  const { events, resumes, endings, gaps, repeats, queries: asked, failures, wrong, examples } = findings;
  const above = queries.longestAbove();
  const isAlive = server.isAlive();
  const rows: readonly (readonly [string, string | number])[] = [
    ['blocks', devnet.height.toString()],
    ['faults', listed(injection.injected)],
    ['events', events],
    ['resumes', resumes],
    ['streams that the server ended', listed(endings)],
    ['gaps', gaps],
    ['repeats', repeats],
    ['queries', asked],
    ['queries that failed', listed(failures)],
    ['queries that failed without any fault', late],
    ['wrong heights or hashes', wrong],
    ['longest time that the head was above the chain', `${above.toFixed(0)} ms`],
    ['resident memory at 10 %, 50 %, 100 %; most', [...resident, peak].map(megabytes).join(', ')],
    ['error lines in the log', server.errorLines()],
    ['process', isAlive ? 'alive' : `dead: ${server.complaints()}`],
  ];
  for (const [name, value] of rows) console.log(`${name.padEnd(50)} ${value}`);
  for (const text of examples) console.log(`  ${text}`);
  if (gaps + repeats + wrong + late > 0 || above > blockTime || !isAlive || events === 0) process.exitCode = 1;
  await server.stop();
  await devnet.close();
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { busiestPolicy, post } from './boardRequest.ts';
import { type Child, startChild } from './child.ts';
import { readFlags } from './flags.ts';
import { startServerProcess } from './serverProcess.ts';

/** How others read: requests and blocks a second. The time of the chain moves by one second with a block. */
const [perSecond, blocksPerSecond] = [100, 1];

/** The length of a window in ms. The contract runs all the time of a window. */
const length = 4_000;

/** What happens beside the reads of a window. */
const kinds = ['nothing', 'an endless contract on a machine of its own', 'an endless contract on these cores'] as const;
type Kind = (typeof kinds)[number];

/** What others saw: the times of their reads in ms from when each was due, and the blocks that the head moved. */
interface Seen {
  readonly times: number[];
  blocks: number;
}

const part = (sorted: readonly number[], share: number): number => sorted[Math.floor(sorted.length * share)] ?? 0;

/**
 * Sends reads at a steady rate, whether or not earlier ones were answered, while the chain makes blocks. No read is known from memory at a new height.
 * Throws if one fails.
 */
async function readAll(chain: Child, ask: (query: string) => Promise<string>, policy: string, { times }: Seen): Promise<void> {
  const begun = performance.now();
  const running: Promise<void>[] = [];
  let committed = 0;
  for (let index = 0; index < (length * perSecond) / 1_000; index += 1) {
    const due = begun + (index * 1_000) / perSecond;
    const left = due - performance.now();
    if (left > 0) await wait(left);
    if (committed <= (index * blocksPerSecond) / perSecond) {
      committed += 1;
      running.push(chain.run('commit').then(() => undefined));
    }
    const read = `{ r${index % 50}: proposalsByGroupPolicy(address: "${policy}", first: 3) { nodes { id status votes(first: 3) { nodes { option } } } } }`;
    running.push(ask(read).then(() => void times.push(performance.now() - due)));
  }
  await Promise.all(running);
}

/**
 * Measures the reads of others beside a rehearsal whose contract never ends: on a machine of its own, where it takes nothing from the server, and on the
 * cores of the server at the lowest priority. Windows of the three kinds alternate. Prints the times, and p99 beside that of no rehearsal.
 */
export async function rehearsal(args: readonly string[]): Promise<void> {
  const { numbers } = readFlags(args, { rounds: { default: 12, max: 100 } });
  const chain = await startChild('devnet', ['10', '2']);
  const simulations = new URL(chain.url);
  simulations.port = String(await chain.run('lastPort'));
  const limits = {
    ...{ SIMULATION_DEADLINE: length - 100, SIMULATION_PAUSE: 1, REHEARSAL_PER_MINUTE: 1_000 },
    ...{ RATE_POINTS: 0, RATE_CONCURRENT: 0, HTTP_CONNECTIONS_PER_ADDRESS: 0 },
  };
  const env = Object.fromEntries(Object.entries(limits).map(([name, value]) => [`STELE_LIMIT_${name}`, String(value)]));
  const server = await startServerProcess({
    flags: ['--node', chain.url, '--simulation-node', simulations.href, '--rehearse-contracts'],
    ...{ heap: 1_000, names: ['bench'], env },
  });
  const headers = { authorization: `Bearer ${server.tokens[0] ?? ''}` };
  const ask = (query: string, variables = {}): Promise<string> =>
    post(server.url, JSON.stringify({ query, variables }), { headers });
  const height = async (): Promise<number> => Number(JSON.parse(await ask('{ head { height } }')).data.head.height);
  const policy = await busiestPolicy(server.url, headers);

  let rehearsed = 0;
  /** Rehearses messages that no rehearsal had before. Throws if the contract ends. */
  async function rehearseEndless(): Promise<void> {
    rehearsed += 1;
    const messages = [
      {
        '@type': '/cosmwasm.wasm.v1.MsgExecuteContract',
        sender: policy,
        contract: policy,
        msg: Buffer.from(`{"loop":${rehearsed}}`).toString('base64'),
        funds: [],
      },
    ];
    const answer = await ask(
      'query ($policy: String!, $messages: [JSON!]!) { rehearse(groupPolicyAddress: $policy, messages: $messages) { outcome cause reason } }',
      { policy, messages },
    );
    if (!answer.includes('DID_NOT_END')) throw new Error(`the contract has ended: ${answer}`);
  }

  const seen = Object.fromEntries(kinds.map((kind) => [kind, { times: [], blocks: 0 }])) as unknown as Record<Kind, Seen>;
  async function window(kind: Kind, of: Seen): Promise<void> {
    const first = await height();
    if (kind === 'nothing') await readAll(chain, ask, policy, of);
    else {
      await chain.run('loops', true);
      const burning = kind === kinds[2] ? spawn('nice', ['-n', '19', process.execPath, '-e', 'for (;;);']) : undefined;
      await Promise.all([rehearseEndless(), readAll(chain, ask, policy, of)]);
      if (burning?.kill('SIGKILL')) await once(burning, 'exit');
      await chain.run('loops', false);
    }
    of.blocks += (await height()) - first;
  }

  await readAll(chain, ask, policy, { times: [], blocks: 0 });
  for (let round = 0; round < numbers.rounds; round += 1)
    for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) await window(kind, seen[kind]);
  console.log(
    `\n${perSecond} reads and ${blocksPerSecond} blocks a second, ${numbers.rounds} windows of ${length / 1_000} s each\n`,
  );
  const sorted = kinds.map((kind) => seen[kind].times.toSorted((a, b) => a - b));
  const [alone = []] = sorted;
  for (const [index, kind] of kinds.entries()) {
    const times = sorted[index] ?? [];
    const cells = [0.5, 0.95, 0.99]
      .map((share) => `p${share * 100} ${part(times, share).toFixed(1).padStart(5)} ms`)
      .join('  ');
    const ratio = (part(times, 0.99) / part(alone, 0.99)).toFixed(2);
    console.log(
      `beside ${kind.padEnd(45)} ${times.length} reads  ${cells}  p99 ${ratio} times  head moved ${seen[kind].blocks} blocks`,
    );
  }
  await server.stop();
  await chain.stop();
}

import { gzipSync } from 'node:zlib';
import { createHead } from '../src/chain/blocks/head.ts';
import { createClient } from '../src/chain/client.ts';
import { createLightClient } from '../src/chain/lightClient/lightClient.ts';
import { createLimits } from '../src/config/limits/limits.ts';
import { startServer } from '../src/start/server.ts';
import { createUpstream } from '../src/start/starting.ts';
import { proofBoardDocument, proofProposalDocument } from '../test/support/proofBoard.ts';
import { post } from './boardRequest.ts';
import { type Child, startChild } from './child.ts';

const rounds = 3;

interface ProvenResult {
  readonly extensions: {
    readonly height: string;
    readonly cost: { readonly requested: number };
    readonly proof?: { readonly header: { readonly validators_hash: string } };
  };
}

/** CPU time of this process in milliseconds. */
function cpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** A server that has read nothing yet. */
async function startCold(url: string, height: bigint) {
  const limits = createLimits({
    'rate.points': 0,
    'rate.computing': 0,
    'upstream.attempt': 60_000,
    'request.deadline': 120_000,
  });
  const light = createLightClient({});
  const upstream = createUpstream({ nodes: [url], limits, light });
  const client = createClient({ transport: upstream, light, head: createHead({ transport: upstream }) });
  const server = await startServer({ client, auth: 'open', port: 0, host: '127.0.0.1', limits, report: console.error });
  await client.head.waitFor(height, { milliseconds: 20_000 });
  return {
    client,
    url: server.url,
    async close() {
      await server.close();
      await client.close();
    },
  };
}

type Cold = Awaited<ReturnType<typeof startCold>>;

/** Sends a request, and returns its answer, the CPU time of this process, and the calls that reached the node. */
async function measured(chain: Child, { url }: Pick<Cold, 'url'>, body: object) {
  const before = await chain.measure();
  const start = cpu();
  const text = await post(url, JSON.stringify(body));
  const spent = cpu() - start;
  const after = await chain.measure();
  return { text, result: JSON.parse(text) as ProvenResult, spent, calls: after.calls - before.calls };
}

const sizeOf = (value: unknown): { readonly raw: number; readonly gzip: number } => {
  const bytes = Buffer.from(JSON.stringify(value) ?? '');
  return { raw: bytes.length, gzip: gzipSync(bytes).length };
};

function print(name: string, ...columns: readonly (number | string)[]): void {
  console.log([name.padEnd(46), ...columns.map((column) => String(column).padStart(11))].join(' '));
}

/** Measures one question: the bytes of its proof, and what it costs a server that has read nothing, beside the same answer without a proof. */
async function measureQuestion(name: string, chain: Child, node: string, query: string, variables: object): Promise<void> {
  let [least, plain, calls, plainCalls] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0, 0];
  let proof: ProvenResult['extensions']['proof'];
  let points = 0;
  const height = BigInt(await chain.run('commit'));
  for (let round = 0; round < rounds; round += 1) {
    for (const asks of round % 2 === 0 ? [true, false] : [false, true]) {
      const cold = await startCold(node, height);
      await cold.client.descriptors.pool();
      const at = (height - 1n).toString();
      const {
        result,
        spent,
        calls: made,
      } = await measured(chain, cold, { query, variables, extensions: { proof: asks, height: at, cost: true } });
      await cold.close();
      if (asks)
        [least, calls, proof, points] = [
          Math.min(least, spent),
          made,
          result.extensions.proof,
          result.extensions.cost.requested,
        ];
      else [plain, plainCalls] = [Math.min(plain, spent), made];
    }
  }
  const { validators: _, ...without } = proof as { validators?: unknown };
  const [whole, short] = [sizeOf(proof), sizeOf(without)];
  print(name, whole.gzip, short.gzip, whole.raw, points, calls - plainCalls, (least - plain).toFixed(1));
}

/** What a proof costs once the stores that it reads are proven: in the same block again, and after blocks that do not change them. */
async function measureWarm(chain: Child, node: string, query: string, variables: object): Promise<void> {
  const server = await startCold(node, BigInt(await chain.run('commit')));
  const body = { query, variables, extensions: { proof: true } };
  await measured(chain, server, body);
  for (let round = 0; round < 3; round += 1) {
    await server.client.head.waitFor(BigInt(await chain.run('commit')), { milliseconds: 20_000 });
    // The calls that every block causes are over.
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const { calls, spent } = await measured(chain, server, body);
    print('  a block later, stores unchanged', `${calls} calls`, `${spent.toFixed(1)} ms`);
  }
  // The answer is another one, so that it is made again: of what is proven already.
  let [least, plain] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  let calls = 0;
  for (let round = 0; round < 20; round += 1) {
    const again = { ...body, extensions: { proof: true, trusted: round.toString(16).padStart(64, '0') } };
    const made = await measured(chain, server, again);
    const height = made.result.extensions.height;
    const without = await measured(chain, server, { ...body, extensions: { height, n: round } });
    [least, plain, calls] = [Math.min(least, made.spent), Math.min(plain, without.spent), made.calls];
  }
  print('  made again of what is proven', `${calls} calls`, `${(least - plain).toFixed(1)} ms`);
  await server.close();
}

/** Prints the sizes and the costs of proofs: of one proposal with 30 votes, and of a board of 30 open proposals. */
export async function proofs(): Promise<void> {
  print('100 validators, 30 members', 'gzip', 'no set', 'raw', 'points', 'more calls', 'more CPU ms');
  for (const [proposals, votes] of [
    [1, 30],
    [30, 8],
    [30, 30],
  ] as const) {
    const chain = await startChild('proofsChain', [String(proposals), String(votes)]);
    const [node = '', policy = '', first = ''] = chain.url.split('#');
    if (proposals === 1)
      await measureQuestion(`one proposal with ${votes} votes`, chain, node, proofProposalDocument, { id: first });
    else {
      await measureQuestion(`${proposals} proposals with ${votes} votes each`, chain, node, proofBoardDocument, { policy });
      await measureWarm(chain, node, proofBoardDocument, { policy });
    }
    await chain.stop();
  }
}

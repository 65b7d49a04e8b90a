import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../src/chain/wire/json.ts';
import { boardDocument, busiestPolicy, post } from './boardRequest.ts';
import { type Child, startChild, startProgram } from './child.ts';
import { compareBoards } from './comparison/compareBoards.ts';
import { type Contender, connections, medianOf, prepare, type Round, type Row } from './comparison/measure.ts';
import { boardOfRest } from './comparison/restBoard.ts';
import { printRows } from './comparison/table.ts';
import { readFlags } from './flags.ts';

const folder = fileURLToPath(new URL('peers/', import.meta.url));
const file = (name: string): string => `${folder}${name}`;

/** How long the response caches of the peers keep a response, in ms: about the time between two blocks. */
const ttl = 5000;
/** Blocks of the chain. A load that reads each height once has as many requests. */
const blocks = 1200;
/** Each server is measured this often, in turn with the others, because other work on the machine comes and goes. */
const rounds = 3;

/** Whether the packages of the peers are there. Installs them if `install` is set, and otherwise prints how to. */
function isInstalled(install: boolean): boolean {
  if (existsSync(file('node_modules/@graphql-hive/gateway'))) return true;
  if (install) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'inherit' });
    return true;
  }
  console.error(
    'The peers are not installed. `npm run bench peers -- --install` installs them, or `npm ci --prefix bench/peers`.',
  );
  console.error('They are 800 packages of 530 MB, in bench/peers/node_modules.');
  return false;
}

/** The board in an answer: the list of proposals of a policy. */
function boardOf(answer: string): JsonObject {
  return JSON.parse(answer).data.proposalsByGroupPolicy;
}

/** Prints how the answer of a peer differs from Stele's. Throws if a value differs. */
function printComparison(name: string, expected: JsonObject, given: JsonObject): void {
  const { equal, missing, different } = compareBoards(expected, given);
  if (different.length > 0) throw new Error(`${name} differs from Stele in ${different.join(', ')}`);
  console.log(`${name}: ${equal} values equal to Stele's; fields left out: ${missing.length} (${missing.join(', ')})`);
}

/**
 * Measures the operation `Board` of Stele beside that of other servers over the same chain, and prints one table. `--seconds N` is
 * the duration of each round; `--install` installs the other servers first.
 */
export async function peers(args: readonly string[]): Promise<void> {
  const { seconds } = readFlags(
    args.filter((each) => each !== '--install'),
    { seconds: { default: 5, max: 60 } },
  ).numbers;
  if (!isInstalled(args.includes('--install'))) {
    process.exitCode = 1;
    return;
  }
  const node = await startChild('devnet', [String(blocks)]);
  const rest = await startChild('comparison/restAdapter', [node.url]);
  const bare = await startChild('bare');
  const stele = await startChild('stele', [node.url]);
  const mesh = await startProgram(file('gateway.js'), [rest.url]);
  const cachedMesh = await startProgram(file('gateway.js'), [rest.url, String(ttl)]);
  const yoga = await startProgram(file('yoga.js'), [node.url]);
  const cachedYoga = await startProgram(file('yoga.js'), [node.url, String(ttl)]);

  const policy = await busiestPolicy(stele.url);
  const bodyOf = (document: string, variables: JsonObject): string => JSON.stringify({ query: document, variables });
  const steleBody = bodyOf(boardDocument, { policy });
  const answer = await post(stele.url, steleBody);
  const expected = boardOf(answer);
  // The lists of the chain begin with the oldest, so a client of REST asks for the last page.
  const offset = Math.max(0, Number(expected.totalCount) - 20);
  const meshBody = bodyOf(readFileSync(file('gatewayBoard.graphql'), 'utf8'), { policy, offset: String(offset) });
  const yogaBody = bodyOf(readFileSync(file('yogaBoard.graphql'), 'utf8'), { policy });
  await fetch(bare.url, { method: 'PUT', body: answer });

  console.log(
    `Board of ${answer.length} bytes; ${connections} connections; medians of ${rounds} rounds of ${seconds} s; Node ${process.version}; ${cpus().length} cores shared by load, servers and node\n`,
  );
  const meshAnswer = JSON.parse(await post(mesh.url, meshBody, { allowErrors: true }));
  printComparison('Hive Gateway', expected, boardOfRest(meshAnswer.data, offset));
  console.log(
    `  Tallies that it returns as errors: ${meshAnswer.errors.length}. The chain has none of a proposal closed early.`,
  );
  printComparison('graphql-yoga', expected, boardOf(await post(yoga.url, yogaBody)));

  const timed = `responses, for ${ttl / 1000} s`;
  const contenders: readonly Contender[] = [
    { name: 'bare node:http, the same bytes', server: bare, body: steleBody, cached: 'the bytes' },
    { name: 'Stele, the same request again', server: stele, body: steleBody, cached: 'responses, until the next block' },
    { name: 'Stele, executed each time', server: stele, body: steleBody, cached: 'reads, by height', vary: 'distinct' },
    { name: 'Stele, each at its own height', server: stele, body: steleBody, cached: 'nothing that it needs', vary: 'heights' },
    { name: 'Hive Gateway, Mesh over REST', server: mesh, body: meshBody, cached: 'nothing' },
    { name: 'Hive Gateway with its response cache', server: cachedMesh, body: meshBody, cached: timed },
    { name: 'graphql-yoga, fetch over RPC', server: yoga, body: yogaBody, cached: 'reads, for one request' },
    { name: 'graphql-yoga with its response cache', server: cachedYoga, body: yogaBody, cached: timed },
  ];
  const before = await rest.measure();
  const loads: { readonly round: Round; readonly rows: Row[] }[] = [];
  for (const contender of contenders)
    loads.push({ round: await prepare(contender, { node, seconds, rounds, heights: blocks }), rows: [] });
  for (let time = 0; time < rounds; time += 1) for (const { round, rows } of loads) rows.push(await round());
  const after = await rest.measure();
  printRows(loads.map(({ rows }) => medianOf(rows)));
  const each = (after.cpu - before.cpu) / (after.calls - before.calls);
  console.log(
    `\nThe development chain has no REST gateway. An adapter in its place makes one call of each request, for ${each.toFixed(0)} µs of CPU that are not counted above.`,
  );
  const all: readonly Child[] = [mesh, cachedMesh, yoga, cachedYoga, stele, bare, rest, node];
  await Promise.all(all.map((child) => child.stop()));
}

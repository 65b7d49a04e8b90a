import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import autocannon from 'autocannon';
import { boardDocument, busiestPolicy } from './boardRequest.ts';
import { startChild } from './child.ts';
import { readFlags } from './flags.ts';
import { createLocator } from './profile/locate.ts';
import { summarize, summaryLines } from './profile/summarize.ts';

/** A request that is sent repeatedly. */
interface Case {
  readonly path: string;
  /** The body of a POST. undefined for a GET. */
  readonly body?: string;
  /** Whether each request differs from the others, in a way that does not change the response, so that each is executed. */
  readonly distinct?: boolean;
}

/** The requests by the name on the command line. `board` and `small` are executed from cached reads, the others are cached. */
const cases: Readonly<Record<string, (policy: string) => Case>> = {
  board: (policy) => ({ path: '/graphql', body: graphql(boardDocument, { policy }), distinct: true }),
  kept: (policy) => ({ path: '/graphql', body: graphql(boardDocument, { policy }) }),
  small: () => ({
    path: '/graphql',
    body: graphql('query ($id: ID!) { group(id: $id) { metadata } }', { id: '1' }),
    distinct: true,
  }),
  rest: () => ({ path: '/cosmos/group/v1/proposal/32' }),
  comet: () => ({
    path: '/comet',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'block', params: { height: '100' } }),
  }),
};

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where the profiles are written. Git ignores it. */
const folder = join(root, 'bench/profiles');

function graphql(query: string, variables: Readonly<Record<string, string>>): string {
  return JSON.stringify({ query, variables });
}

let count = 0;

/** Sends requests over 10 connections for `duration` seconds. */
async function load(url: string, { path, body, distinct }: Case, duration: number): Promise<autocannon.Result> {
  const headers = { 'content-type': 'application/json' };
  const result = await autocannon({
    url: `${url}${path}`,
    connections: 10,
    duration,
    requests: [
      {
        headers,
        ...(body === undefined ? { method: 'GET' } : { method: 'POST', body }),
        ...(distinct === true && {
          setupRequest: (request) => {
            count += 1;
            return { ...request, body: String(body).replace(/}$/, `,"extensions":{"n":${count}}}`) };
          },
        }),
      },
    ],
  });
  if (result.errors + result.non2xx > 0) throw new Error(`${result.errors} errors, ${result.non2xx} refusals`);
  return result;
}

/**
 * Records a CPU profile of the server under the load of the named request, writes it to `bench/profiles`, and prints where the
 * time goes. `--seconds N` is its duration.
 */
export async function profile(args: readonly string[]): Promise<void> {
  const { numbers, names } = readFlags(args, { seconds: { default: 10, max: 60 } });
  const [name = 'board'] = names;
  const caseOf = cases[name];
  if (caseOf === undefined) throw new Error(`unknown request ${name}: use ${Object.keys(cases).join(', ')}`);
  const node = await startChild('devnet', ['120']);
  const stele = await startChild('stele', [node.url]);
  const chosen = caseOf(await busiestPolicy(stele.url));
  await stele.run('prepareProfile');
  await load(stele.url, chosen, Math.max(3, numbers.seconds / 2));
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${name}.cpuprofile`);
  const before = await stele.measure();
  await stele.run('startProfile');
  const { requests } = await load(stele.url, chosen, numbers.seconds);
  await stele.run('stopProfile', file);
  const cpu = ((await stele.measure()).cpu - before.cpu) / requests.total;

  const recorded: Profiler.Profile = JSON.parse(readFileSync(file, 'utf8'));
  const locate = createLocator(root);
  const summary = summarize(recorded, locate);
  console.log(
    `${name}: ${requests.total} requests in ${numbers.seconds} s, ${cpu.toFixed(0)} µs of CPU per request with the profiler; ${summary.busy.toFixed(0)} ms in the profile\n`,
  );
  console.log(summaryLines(summary, 25).join('\n'));
  writeFileSync(file, JSON.stringify(inSources(recorded, locate)));
  console.log(`\nThe profile is in ${file}. Developer tools of browsers and editors open it.`);
  await Promise.all([stele.stop(), node.stop()]);
}

/** Replaces the positions in the bundles, which are deleted, with those in the sources. */
function inSources(recorded: Profiler.Profile, locate: ReturnType<typeof createLocator>): Profiler.Profile {
  const nodes = recorded.nodes.map((node) => {
    if (!node.callFrame.url.startsWith('file:')) return node;
    const { path, line } = locate(node.callFrame);
    const url = pathToFileURL(join(root, path)).href;
    return { ...node, callFrame: { ...node.callFrame, url, lineNumber: line - 1 } };
  });
  return { ...recorded, nodes };
}

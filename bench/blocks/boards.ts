import { boardDocument, busiestPolicy, post } from '../boardRequest.ts';
import type { Child } from '../child.ts';
import { compare, loadOf, printCompared } from '../rounds.ts';
import { callsSince } from './load.ts';

/** Heights of the first measurement. Stele keeps the roots of 256. */
const heights = 100;
const votes = 5;

/** Creates a block and waits until the server has seen it. Returns its height. */
async function nextBlock(node: Child, stele: Child, hasVote: boolean): Promise<number> {
  const height = await node.run('commit', hasVote);
  await post(stele.url, JSON.stringify({ query: '{ head { height } }', extensions: { minHeight: height } }));
  return height;
}

/** Measures `Board` at heights whose roots are equal, and at heights where one vote was cast, and prints the results. */
export async function boards({ node, stele, bare }: Readonly<Record<'node' | 'stele' | 'bare', Child>>): Promise<void> {
  const body = JSON.stringify({ query: boardDocument, variables: { policy: await busiestPolicy(stele.url) } });
  const answer = await post(stele.url, body);
  await fetch(bare.url, { method: 'PUT', body: answer });
  let newest = 0;
  for (let block = 0; block < heights + 1; block += 1) newest = await nextBlock(node, stele, false);
  // The last answer is at the newest height. Then every request is at a height with the same roots.
  await post(stele.url, body);
  const before = (await node.measure()).kinds;
  let sent = 0;
  // The heights follow each other, so that no two neighbours have the same.
  const load = loadOf('/graphql', {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
    setupRequest: (request) => {
      sent += 1;
      return { ...request, headers: { ...request.headers, 'x-cosmos-block-height': String(newest - (sent % heights)) } };
    },
  });
  const compared = await compare(load, stele, bare);
  const calls = Object.entries(callsSince(before, (await node.measure()).kinds)).map(([kind, count]) => `${count} ${kind}`);
  console.log(`\nBoard (${answer.length} bytes), each request at another height with the same roots`);
  printCompared(compared);
  console.log(`  calls that reached the node: ${calls.length === 0 ? 'none' : calls.join(', ')}`);

  const kinds = new Map<string, number>();
  for (let vote = 0; vote < votes; vote += 1) {
    await nextBlock(node, stele, true);
    const start = (await node.measure()).kinds;
    await post(stele.url, body);
    const calls = callsSince(start, (await node.measure()).kinds);
    for (const [kind, count] of Object.entries(calls)) kinds.set(kind, (kinds.get(kind) ?? 0) + count);
  }
  console.log(`Board at a new height where one vote was cast: calls to the node (mean of ${votes})`);
  for (const [kind, count] of [...kinds].sort(([, a], [, b]) => b - a))
    console.log(`  ${(count / votes).toFixed(1).padStart(6)}  ${kind}`);
}

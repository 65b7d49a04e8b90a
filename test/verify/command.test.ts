import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../packages/verify/src/command/blocks.ts';
import { type ReportOptions, reportOf } from '../../packages/verify/src/command/report.ts';
import { hashHeader, toHex, verifyBundle } from '../../packages/verify/src/entry/index.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { createProver, nodeCall, type ProvenAnswer } from './bundleMaker.ts';

const query =
  'query ($id: ID!) { proposal(id: $id) { status tally { yesCount } votes { totalCount nodes { option voter { address } } } } }';
const variables = { id: '33' };

const source = 'packages/verify';
const { bin, files } = JSON.parse(readFileSync(`${source}/package.json`, 'utf8')) as {
  readonly bin: { readonly 'stele-verify': string };
  readonly files: readonly string[];
};
/** The command as the package names it. */
const command = bin['stele-verify'];

let chain: TestChain;
let stack: Stack;
let answer: ProvenAnswer;
let directory: string;
/** A copy of the package that is built. */
let built: string;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stele-verify-'));
  built = checkout('built');
  const entryPoints = [join(source, 'src/command/main.ts')];
  const outfile = join(built, 'dist/command/main.js');
  await build({ entryPoints, outfile, bundle: true, format: 'esm', platform: 'node' });
  chain = await startChain();
  for (let blocks = 0; blocks < 4; blocks++) await chain.devnet.commit();
  stack = await startStack([chain.node.url]);
  const { height } = chain.devnet;
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
  await chain.devnet.commit();
  const prover = await createProver(nodeCall(chain.node.url), height);
  const { body } = await stack.ask(query, variables);
  ({ answer } = await prover.prove({ data: body.data }, { document: query, variables }));
});
afterAll(async () => {
  rmSync(directory, { recursive: true });
  await stack.close();
  await chain.devnet.close();
});

interface Votes {
  readonly proposal: { readonly votes: { readonly totalCount: string; readonly nodes: readonly unknown[] } };
}

/** The answer of a server that leaves out a vote. */
function withoutVote(): ProvenAnswer {
  const { proposal } = answer.data as Votes;
  const nodes = proposal.votes.nodes.slice(1);
  return { ...answer, data: { proposal: { ...proposal, votes: { totalCount: String(nodes.length), nodes } } } };
}

const report = (content: object, options: ReportOptions = {}) =>
  reportOf(JSON.stringify({ ...content, request: { query, variables } }), options);

/** Copies what a checkout has of the package before it is built. */
function checkout(name: string): string {
  const copy = join(directory, name);
  for (const file of ['package.json', dirname(command)]) cpSync(join(source, file), join(copy, file), { recursive: true });
  return copy;
}

/** Runs the command of a copy in a process of its own. */
function runIn(copy: string, content: object, ...flags: readonly string[]) {
  const file = join(directory, 'answer.json');
  writeFileSync(file, JSON.stringify({ ...content, request: { query, variables } }));
  return new Promise<{ readonly code: number; readonly out: string; readonly error: string }>((resolve) => {
    execFile(join(copy, command), [file, ...flags], (failure, out, error) =>
      resolve({ code: typeof failure?.code === 'number' ? failure.code : 0, out, error }),
    );
  });
}

const run = (content: object, ...flags: readonly string[]) => runIn(built, content, ...flags);

describe('stele-verify', () => {
  it('prints the level of each field and what it rests on', async () => {
    const { code, out } = await run(answer);
    expect(code).toBe(0);
    expect(out).toContain('Signed by  100.0 % of the voting power');
    expect(out).toContain('Trust      NONE.');
    expect(out).toMatch(/^PROVEN +proposal\.status +cosmos\.group\.v1 Proposal, store group: 1 key$/m);
    expect(out).toMatch(/^RECOMPUTED +proposal\.tally\.yesCount +tally; /m);
    expect(out).toMatch(/^PROVEN +proposal\.votes\.nodes\.option +cosmos\.group\.v1 VotesByProposal, store group: \d+ keys$/m);
  });

  it('exits with 1 and the field if a vote is left out', async () => {
    const { code, out, error } = await run(withoutVote());
    expect([code, out]).toEqual([1, '']);
    expect(error).toMatch(
      /REFUSED (INCOMPLETE|WRONG_VALUE): proposal\.votes\.(nodes: has \d+ entries, but there are \d+|totalCount: )/,
    );
  });

  it('is there before the package is built, and says so', async () => {
    expect(files).toEqual([dirname(command), 'dist']);
    expect(await runIn(checkout('clone'), answer)).toEqual({
      code: 2,
      out: '',
      error: 'stele-verify is not built yet. Build it with: npm run build --workspace @stele/verify\n',
    });
  });

  it('follows a named block to the proof, with the blocks of a node if it has to', async () => {
    const { block, height } = await verifyBundle(answer.extensions.proof);
    const named = { height: block.header.height, hash: toHex(block.hash) };
    expect((await report(answer, { trust: named })).lines[2]).toContain('the block of --trust');
    const { lastBlockId } = block.header;
    expect(await report(answer, { trust: { height, hash: toHex(lastBlockId.hash) } })).toMatchObject({ exitCode: 0 });

    const first = await blocksOf(chain.node.url)(2n);
    const trust = { height: 2n, hash: toHex(hashHeader(first.header)) };
    expect(await report(answer, { trust })).toMatchObject({
      exitCode: 1,
      lines: [expect.stringMatching(/^REFUSED NOT_TRUSTED: .*nothing leads there from the checkpoint at 2/)],
    });
    expect(await report(answer, { trust, read: blocksOf(chain.node.url) })).toMatchObject({ exitCode: 0 });
  });

  it('refuses the proof of another chain than that of the named block', async () => {
    const { block } = await verifyBundle(answer.extensions.proof);
    for (const height of [2n, block.header.height - 1n, block.header.height]) {
      const trust = { height, hash: 'AB'.repeat(32) };
      expect(await report(answer, { trust, read: blocksOf(chain.node.url) })).toMatchObject({
        exitCode: 1,
        lines: [expect.stringMatching(/^REFUSED WRONG_HASH/)],
      });
    }
  });

  it('exits with 2 for what is no answer with its request', async () => {
    expect(await reportOf('{', {})).toMatchObject({ exitCode: 2 });
    expect(await reportOf(JSON.stringify(answer), {})).toMatchObject({
      exitCode: 2,
      lines: [expect.stringContaining('has no request')],
    });
    expect(await report({ data: answer.data })).toMatchObject({
      exitCode: 1,
      lines: ['REFUSED MALFORMED: Malformed: the answer has no proof.'],
    });
  });
});

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BundleJson } from '../../../packages/verify/src/bundle.ts';
import { verify } from '../../../packages/verify/src/entry/index.ts';
import { createLightClient } from '../../../src/chain/lightClient/lightClient.ts';
import { runsAll, sizeOf } from '../../support/atRandom.ts';
import { type ProofBoard, proofBoardDocument, proofProposalDocument, startProofBoard } from '../../support/proofBoard.ts';
import { type Stack, startStack } from '../../support/stack.ts';

/** The bounds fall with the number of keys. */
const size = {
  proposals: sizeOf({ full: 30, ci: 10, own: 3 }),
  members: sizeOf({ full: 30, ci: 12, own: 6 }),
  votes: sizeOf({ full: 8, ci: 8, own: 5 }),
  validators: sizeOf({ full: 100, ci: 100, own: 20 }),
};

let board: ProofBoard;
let stack: Stack;

beforeAll(async () => {
  board = await startProofBoard(size);
  stack = await startStack([board.chain.node.url], {
    upstream: { light: createLightClient({}), timeout: 60_000 },
    server: { limits: { 'request.deadline': 60_000 } },
  });
  await stack.client.head.waitFor(board.chain.devnet.height, { milliseconds: 20_000 });
}, 120_000);

afterAll(async () => {
  await stack.close();
  await board.chain.devnet.close();
});

/** Asks for an answer with its proof, at the newest height by default. Returns it once it is verified. */
async function proven(query: string, variables: Record<string, unknown>, height?: bigint) {
  const response = await fetch(`${stack.server.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables, extensions: { proof: true, height: height?.toString() } }),
  });
  const answer = (await response.json()) as { errors?: unknown; data: unknown; extensions: { proof: BundleJson } };
  expect(answer.errors).toBeUndefined();
  const { fields } = await verify(answer, { document: query, variables });
  expect(new Set([...fields.values()].map(({ level }) => level))).toEqual(new Set(['PROVEN', 'RECOMPUTED']));
  return answer;
}

/** The bytes of the proof of an answer that verifies, with and without the validators. */
async function sizesOf(
  query: string,
  variables: Record<string, unknown>,
): Promise<{ readonly whole: number; readonly short: number }> {
  const answer = await proven(query, variables);
  const { validators: _, ...rest } = answer.extensions.proof;
  const bytesOf = (value: unknown): number => gzipSync(JSON.stringify(value)).length;
  return { whole: bytesOf(answer.extensions.proof), short: bytesOf(rest) };
}

it('The proof of a proposal has at most 25 kB with the validators, and 12 kB without.', async () => {
  const { whole, short } = await sizesOf(proofProposalDocument, { id: board.first.toString() });
  expect(whole).toBeLessThanOrEqual(25_000);
  expect(short).toBeLessThanOrEqual(12_000);
});

it('The proof of a board has at most 60 kB.', async () => {
  const { whole } = await sizesOf(proofBoardDocument, { policy: board.policy });
  // 7 kB are the validators, and the header with its signatures.
  expect(whole).toBeLessThanOrEqual(Math.min(60_000, 8_000 + (52_000 * size.proposals) / 30 + 8_000));
});

it.runIf(runsAll)('The board needs few further reads after a block that changes its store.', async () => {
  const read = (): number => {
    const { proofs = 0, hints = 0 } = stack.client.proofs?.stats() ?? {};
    return proofs + hints;
  };
  const ask = async (height: bigint) => {
    const before = read();
    const { data } = await proven(proofBoardDocument, { policy: board.policy }, height);
    return { data, reads: read() - before };
  };
  const first = await ask(await settledChange());
  const later = await ask(await settledChange());
  expect(later.data).toEqual(first.data);
  expect(later.reads).toBeGreaterThan(0);
  // The group, of which something changed, and what the end of the tree shows.
  expect(later.reads).toBeLessThanOrEqual(6);
});

/** Changes the store of the board. Returns a height with the change that the server knows. */
async function settledChange(): Promise<bigint> {
  const height = await board.change();
  await stack.client.head.waitFor(height + 1n, { milliseconds: 20_000 });
  await stack.client.roots.settled(height + 1n);
  return height;
}

import { afterAll, beforeAll, expect, it } from 'vitest';
import { levelsOf, verify } from '../../packages/verify/src/entry/index.ts';
import type { Choice } from '../roots/operations.ts';
import { runsAll, seed, sizeOf } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { createProver, nodeCall } from './bundleMaker.ts';
import { randomSelection } from './randomSelections.ts';

let chain: TestChain;
let stack: Stack;
let height: bigint;

beforeAll(async () => {
  chain = await startChain();
  // A node proves nothing at the first height.
  await chain.devnet.commit();
  stack = await startStack([chain.node.url]);
  height = chain.devnet.height;
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
  await chain.devnet.commit();
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

/** Numbers from 0 to 1 that depend on a seed only (xorshift). */
function numbersOf(start: number): () => number {
  let state = start | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

/** Why a field can have a lower level than that of its rule. */
const reasons =
  /^(the account is of type|the unit of usd|coins of the account can be locked|the address is not valid|versions of the chain|the name is|the server reports an error|the store staking names a row)/;

it.runIf(runsAll)('The fields of random selections follow from proven stores, with the level of their rule', async () => {
  const random = numbersOf(seed);
  const prover = await createProver(nodeCall(chain.node.url), height);
  const { body } = await stack.ask('{ groups { nodes { policies { nodes { proposals { nodes { id } } } } } } }');
  const ids = JSON.stringify(body.data).match(/\d+/g) ?? [];
  const choice: Choice = { height, proposals: ids.map(BigInt), args: 0, selection: 0 };
  const levels = { PROVEN: 0, RECOMPUTED: 0, ASSERTED: 0, QUORUM: 0 };
  const lowered = new Map<string, string>();
  const count = sizeOf({ full: 1000, ci: 250 });
  for (let round = 0; round < count; ) {
    const member = chain.accounts[round % chain.accounts.length]!.address;
    const question = randomSelection(random, choice, member);
    const { document, variables } = question;
    const asked = await stack.ask(document, variables, {
      'x-cosmos-block-height': String(height),
      'cache-control': 'no-cache',
    });
    const { data, errors } = asked.body;
    // Some selections are larger than the server allows.
    if (errors?.some(({ extensions }) => extensions.code === 'OPERATION_TOO_COMPLEX')) continue;
    round++;
    if (data === undefined || data === null) throw new Error(`${document}\n${JSON.stringify(errors)}`);
    const { answer, explanation } = await prover
      .prove({ data, ...(errors && { errors }) }, question)
      .catch((error: unknown) => {
        throw new Error(`${document} ${JSON.stringify(variables)}\n${JSON.stringify(errors)}`, { cause: error });
      });
    const best = levelsOf(question);
    for (const [path, { level, reason = '' }] of explanation.fields) {
      levels[level]++;
      if (level === 'ASSERTED' && best.get(path) !== 'ASSERTED') {
        lowered.set(reason, path);
      }
    }
    if (round % 10 !== 0) continue;
    const { fields } = await verify(answer, question);
    expect(fields).toEqual(explanation.fields);
  }
  console.log(`${count} selections: ${JSON.stringify(levels)}`);
  for (const reason of lowered.keys()) expect(reason).toMatch(reasons);
  expect(levels.PROVEN).toBeGreaterThan(levels.ASSERTED);
});

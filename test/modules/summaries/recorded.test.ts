import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashTx } from '../../../src/chain/blocks/committedBlock.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let node: ReplayNode;
let stack: Stack;
/** Summaries of the recorded chain's messages by height, with addresses replaced by the scenario's account names. */
let summaries: ReadonlyMap<string, readonly (string | null)[]>;

const world = readRecording('world') as unknown as JsonObject;

/** Collects the addresses in world.json with their names. */
function namesIn(value: unknown, name: string, found: Map<string, string>): Map<string, string> {
  if (typeof value === 'string' && /^tp1/.test(value)) found.set(value, name);
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) namesIn(inner, key, found);
  return found;
}

beforeAll(async () => {
  // All queries are at a height after the end of the scenario.
  node = await createReplayNode({ head: 1105n });
  stack = await startStack([node.url]);
  const names = namesIn(world, 'world', new Map());
  const byHeight = new Map<string, (string | null)[]>();
  for (const { height, block } of readRecording('chain')) {
    for (const tx of ((block.block.data as JsonObject).txs ?? []) as string[]) {
      const document = `{ transaction(hash: "${hashTx(tx)}") { messages { inWords } } }`;
      const { body } = await stack.ask(document, {}, { 'x-cosmos-block-height': '566' });
      expect(body.errors).toBeUndefined();
      const { transaction } = body.data as { transaction: { messages: { inWords: string | null }[] } };
      const lines = transaction.messages.map(
        ({ inWords }) => inWords?.replace(/tp1\w+/g, (address) => names.get(address) ?? address) ?? null,
      );
      byHeight.set(height, [...(byHeight.get(height) ?? []), ...lines]);
    }
  }
  summaries = byHeight;
}, 180_000);
afterAll(async () => {
  await stack.close();
  await node.close();
});

/** One summary of each message type, by height. Metadata addresses are those that the chain's queries return. */
const sentences: readonly (readonly [height: number, sentence: string])[] = [
  [18, 'alice creates a group of 3 members with a policy whose proposals pass with a yes weight of 2 within 30 days'],
  [
    20,
    'bob creates a group of 4 members with a policy whose proposals pass with a yes share of 0.5 of the total weight within 30 days',
  ],
  [23, 'bob sends 1,000,000 nhash to policy'],
  [24, 'alice proposes “Pay dave” to the policy policy, with 1 message: policy sends 1,000,000 nhash to dave'],
  [27, 'alice executes proposal 1'],
  [
    35,
    'carol proposes “Open with votes” to the policy policy, with 2 messages: policy sends 7 nhash to carol; policy sends 8 nhash to dave',
  ],
  [40, 'bob proposes “To withdraw” to the policy policy'],
  [42, 'bob withdraws proposal 4'],
  [46, 'bob votes no with veto on proposal 5'],
  [
    48,
    'alice proposes “One step” to the policy policy and tries to execute it immediately, with 1 message: policy sends 5 nhash to bob',
  ],
  [50, 'bob votes yes on proposal 6 and tries to execute it immediately'],
  [107, 'dave sends 999,999,999,999,999,999,999,999 nhash to alice'],
  [109, 'alice binds the restricted name score.kyc.pb to alice'],
  [113, 'alice adds the attribute kyc.pb with value “{"level":2,"by":"alice"}” to carol'],
  [119, 'alice adds the attribute kyc.pb with value 4 bytes to dave'],
  [121, 'bob adds the attribute asset.pb with value “far” to carol, expiring at 2050-01-15 00:00:00 UTC'],
  [123, 'alice changes the attribute kyc.pb of carol from “passed” to “renewed”'],
  [124, 'alice deletes the attribute kyc.pb of carol with value “https://example.org/kyc/carol”'],
  [125, 'alice deletes the attribute score.kyc.pb of carol'],
  [126, 'carol sets its account data to “about carol”'],
  [127, 'alice creates the marker of 1,000,000 goldcoin at 1.234 USD for 10 goldcoin'],
  [128, 'bob creates the restricted marker of 5,000 shareclass'],
  [129, 'alice withdraws 2,500 goldcoin from the marker goldcoin to carol'],
  [132, 'bob moves 3 shareclass from carol to dave'],
  [133, 'alice values 10 goldcoin at 1.5 USD and 2 goldcoin at 5,000 nhash'],
  [137, 'carol sends 100 goldcoin and 5 nhash to bob'],
  [139, 'carol sends 10 goldcoin to alice and 10 goldcoin to bob'],
  [141, 'alice grants dave a fee allowance of up to 100,000,000,000 nhash until 2050-01-30 15:04:05 UTC'],
  [
    142,
    'bob grants dave a fee allowance of up to 1,000,000,000 nhash every hour and of up to 100,000,000,000 nhash in total until 2050-01-30 15:04:05 UTC',
  ],
  [143, 'carol grants dave a fee allowance of up to 100,000,000,000 nhash, for cosmos.group.v1.MsgVote only'],
  [147, 'alice writes the contract specification contractspec1qv3zyg3zyg3yxvuyg3242424242shmz75v'],
  [149, 'alice writes the scope specification scopespec1qsg3zyg3yg3yxvuyg3242424242shk3a23'],
  [150, 'alice writes the scope scope1qqenxvenyg3yxvuyg3242424242spmt0np of alice, with value owner carol, worth 250 USD'],
  [153, 'alice values the scope scope1qqenxvenyg3yxvuyg3242424242spmt0np at 260 USD'],
  [154, 'alice makes dave the value owner of scope1qpzyg3zyyg3yxvuyg3242424242s4epjvg'],
  [155, 'alice adds the attribute kyc.pb with value “scope-note” to scope1qqenxvenyg3yxvuyg3242424242spmt0np'],
  [160, 'dave sets the metadata of the policy policy to “new metadata”'],
  [161, 'alice leaves group 4'],
];

describe('summaries of the recorded messages', () => {
  it.each(sentences)('the sentence of recorded message %i: %s', (height, sentence) => {
    expect(summaries.get(String(height))).toEqual([sentence]);
  });

  it('every recorded message has a summary', () => {
    const all = [...summaries.values()].flat();
    expect(all.length).toBeGreaterThan(100);
    expect(all).not.toContain(null);
    expect(node.unrecorded).toEqual([]);
  });
});

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BundleJson, ProofError, verify } from '../../packages/verify/src/entry/index.ts';
import { createNodeSignatures } from '../../src/chain/lightClient/nodeSignatures.ts';
import { seed, sizeOf, some } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { createProver, nodeCall, type ProvenAnswer } from './bundleMaker.ts';

let chain: TestChain;
let stack: Stack;
const answers = new Map<string, ProvenAnswer>();

/** Ten requests: keys, absent keys, ranges, several stores, a store without keys. */
const documents = [
  '{ group(id: "1") { metadata } }',
  '{ proposal(id: "9999") { id } }',
  '{ group(id: "1") { members(first: 2) { nodes { weight } } } }',
  '{ proposal(id: "33") { title tally { yesCount } } }',
  '{ supplyOf(denom: "nhash") { amount } }',
  '{ denomMetadata(denom: "nhash") { display } }',
  '{ name(name: "pb") { account { accountNumber } } }',
  '{ marker(denom: "nhash") { status supply { amount } } }',
  '{ scopes(first: 1) { nodes { id } } }',
  '{ groups { totalCount } }',
];

beforeAll(async () => {
  chain = await startChain();
  // A node proves nothing at the first height.
  await chain.devnet.commit();
  stack = await startStack([chain.node.url]);
  const { height } = chain.devnet;
  await stack.client.head.waitFor(height, { milliseconds: 30_000 });
  await chain.devnet.commit();
  const prover = await createProver(nodeCall(chain.node.url), height);
  for (const document of documents) {
    const { body } = await stack.ask(document);
    const { answer } = await prover.prove({ data: body.data }, { document });
    answers.set(document, answer);
  }
});
afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

const check = createNodeSignatures();

/** A byte that differs in its value or its case. */
const changes: readonly ((byte: number) => number)[] = [(byte) => byte ^ 1, (byte) => byte ^ 0x20];

/** The text of what is proven: `prefix`, `reads` and `fields` are statements that are not believed. No hash covers `proposer_priority`. */
function provenText({ prefix: _, reads: _reads, fields: _fields, validators, ...bundle }: BundleJson): string {
  const set = (validators as { proposer_priority: string }[]).map(
    ({ proposer_priority: _priority, ...validator }) => validator,
  );
  return JSON.stringify({ ...bundle, validators: set });
}

/** One byte of so many is changed. */
const step = sizeOf({ full: 1, ci: 13, own: 97 });

describe('A single byte of an answer’s proof', () => {
  it.each(some(documents, 3))('can be changed nowhere: %s', { timeout: 300_000 }, async (document) => {
    const answer = answers.get(document)!;
    const { proof } = answer.extensions;
    const { prefix, reads, fields } = proof;
    const verifyText = (text: string) =>
      verify({ data: answer.data, extensions: { proof: { ...JSON.parse(text), prefix, reads, fields } } }, { document, check });
    const text = provenText(proof);
    await verifyText(text);
    const bytes = Buffer.from(text);
    const wrong: string[] = [];
    let tried = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if ((at + document.length) % step !== seed % step) continue;
      for (const change of changes) {
        const changed = Buffer.from(bytes);
        changed[at] = change(bytes[at]!);
        tried += 1;
        const outcome = await outcomeOf(verifyText, changed.toString('latin1'));
        if (outcome !== undefined) wrong.push(`${outcome}: byte ${at}: ${changed.subarray(at - 20, at + 20)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(5_000 / step);
  });
});

/** Tries a changed proof. Returns what happened, unless it was refused. */
async function outcomeOf(verifyText: (text: string) => Promise<unknown>, text: string): Promise<string | undefined> {
  try {
    await verifyText(text);
    return 'accepted';
  } catch (error) {
    return error instanceof ProofError || error instanceof SyntaxError ? undefined : `threw ${String(error)}`;
  }
}

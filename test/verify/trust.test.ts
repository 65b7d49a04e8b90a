import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blocksOf } from '../../packages/verify/src/command/blocks.ts';
import {
  type BundleJson,
  type LightBlock,
  ProofError,
  toHex,
  type VerifyOptions,
  verify,
  verifyBundle,
} from '../../packages/verify/src/entry/index.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { createProver, nodeCall, type ProvenAnswer } from './bundleMaker.ts';

/** Validators that change at block 5: those of before sign no more. */
const cosigners = (height: bigint) =>
  height < 5n ? [{ seed: 'b', power: 4_000_000_000n }] : [{ seed: 'c', power: 4_000_000_000n }];

const document = '{ supplyOf(denom: "none") { amount } }';
const data = { supplyOf: { amount: '0' } };

let chain: TestChain;
let early: ProvenAnswer;
let late: ProvenAnswer;
let read: (height: bigint) => Promise<LightBlock>;

beforeAll(async () => {
  chain = await startChain({ cosigners });
  for (let blocks = 0; blocks < 9; blocks++) await chain.devnet.commit();
  const call = nodeCall(chain.node.url);
  read = blocksOf(chain.node.url);
  const at = async (height: bigint) => (await (await createProver(call, height)).prove({ data }, { document })).answer;
  [early, late] = await Promise.all([at(2n), at(7n)]);
});
afterAll(() => chain.devnet.close());

/** The kind of trust, or the code of the refusal. */
async function outcome(answer: ProvenAnswer, options: VerifyOptions = {}): Promise<string> {
  try {
    return (await verify(answer, { document, ...options })).trust;
  } catch (error) {
    if (error instanceof ProofError) return error.code;
    throw error;
  }
}

const withProof = (answer: ProvenAnswer, change: Partial<BundleJson>): ProvenAnswer => ({
  ...answer,
  extensions: { proof: { ...answer.extensions.proof, ...change } },
});

describe('The trust of a verification', () => {
  it('is named as first use if nothing is trusted', async () => {
    expect(await outcome(late)).toBe('FIRST_USE');
  });

  it('is a validator set by its hash', async () => {
    const { block } = await verifyBundle(late.extensions.proof);
    expect(await outcome(late, { trust: { validatorsHash: toHex(block.set.hash).toLowerCase() } })).toBe('VALIDATORS');
    expect(await outcome(early, { trust: { validatorsHash: toHex(block.set.hash) } })).toBe('NOT_TRUSTED');
  });

  it('is a block from before: of the same validators, or one that leads to them', async () => {
    const { block: first } = await verifyBundle(early.extensions.proof);
    const { block: last } = await verifyBundle(late.extensions.proof);
    expect(await outcome(early, { trust: first })).toBe('BLOCK');
    expect(await outcome(late, { trust: last })).toBe('BLOCK');
    expect(await outcome(late, { trust: first })).toBe('NOT_TRUSTED');
    // A block of the set that was trusted later says nothing of earlier ones.
    expect(await outcome(early, { trust: last })).toBe('WRONG_HEIGHT');
    expect(await outcome(late, { trust: await read(6n) })).toBe('BLOCK');
    const other = { ...last, hash: new Uint8Array(32) };
    expect(await outcome(late, { trust: other })).toBe('CONFLICT');
  });

  it('needs no validators in the proof if the trusted block has them', async () => {
    const { block } = await verifyBundle(late.extensions.proof);
    const { validators: _, ...proof } = late.extensions.proof;
    const without: ProvenAnswer = { ...late, extensions: { proof } };
    expect(await outcome(without, { trust: block })).toBe('BLOCK');
    expect(await outcome(without, { trust: await read(2n) })).toBe('NOT_TRUSTED');
    expect(await outcome(without)).toBe('MALFORMED');
  });

  it('ends after the trusting period', async () => {
    const { block } = await verifyBundle(late.extensions.proof);
    const now = block.header.time + 1_000n;
    expect(await outcome(late, { trust: block, now, trustingPeriod: 1_001n })).toBe('BLOCK');
    expect(await outcome(late, { trust: block, now, trustingPeriod: 1_000n })).toBe('EXPIRED');
  });
});

describe('An answer', () => {
  it('is refused if it is of another chain or height than was asked for', async () => {
    expect(await outcome(late, { chainId: chain.devnet.chainId, height: 7 })).toBe('FIRST_USE');
    expect(await outcome(late, { chainId: 'other' })).toBe('WRONG_CHAIN');
    expect(await outcome(late, { height: 6 })).toBe('WRONG_HEIGHT');
    expect(await outcome({ ...late, extensions: { ...late.extensions, height: '6' } })).toBe('WRONG_HEIGHT');
  });

  it('is refused with parts of the proof of another height', async () => {
    const other = early.extensions.proof;
    expect(await outcome(withProof(late, { stores: other.stores }))).toBe('NOT_PROVEN');
    expect(await outcome(withProof(late, { previous: other.previous }))).toBe('WRONG_HASH');
    expect(await outcome(withProof(late, { header: other.header }))).toBe('WRONG_HEIGHT');
    expect(await outcome(withProof(late, { commit: other.commit }))).toBe('WRONG_HEIGHT');
    expect(await outcome(withProof(late, { validators: other.validators }))).toBe('WRONG_HASH');
    expect(await outcome(withProof(late, { height: '6' }))).toBe('WRONG_HEIGHT');
  });

  it('is refused without the store of a field, unless the server says that the field is not proven', async () => {
    expect(await outcome(withProof(late, { stores: {} }))).toBe('NOT_PROVEN');
    const asserted = { supplyOf: 'ASSERTED' as const };
    const { fields } = await verify(withProof(late, { stores: {}, fields: asserted }), { document });
    expect(fields.get('supplyOf')).toMatchObject({ level: 'ASSERTED', reason: 'the proof has no store bank' });
  });

  it('is refused if any signature is wrong, also one that is not needed', async () => {
    const commit = late.extensions.proof.commit as { signatures: { signature: string }[] };
    expect(commit.signatures).toHaveLength(2);
    for (const index of [0, 1]) {
      const signatures = commit.signatures.map((one, at) =>
        at === index ? { ...one, signature: `AAAA${one.signature.slice(4)}` } : one,
      );
      expect(await outcome(withProof(late, { commit: { ...commit, signatures } }))).toBe('WRONG_SIGNATURE');
    }
  });

  it('is refused with a proof of another key', async () => {
    const other = '{ supplyOf(denom: "aaa") { amount } }';
    await expect(verify(late, { document: other })).rejects.toMatchObject({ code: 'NOT_PROVEN', field: 'supplyOf' });
  });

  it('is refused if its document has what the verifier does not know', async () => {
    for (const text of [
      'mutation { a }',
      'subscription { a }',
      '{ a @defer }',
      'query @live { a }',
      '{ a',
      '{ ...F }',
      '{ a(b: """c""") }',
    ])
      await expect([text, await verify(late, { document: text }).catch((error: ProofError) => error.code)]).toEqual([
        text,
        'MALFORMED',
      ]);
  });
});

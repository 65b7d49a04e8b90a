import { describe, expect, it } from 'vitest';
import {
  decodeLightBlock,
  decodeValidators,
  fromHex,
  ProofError,
  readStoreRoot,
  verifyKey,
  verifySigned,
} from '../../packages/verify/src/index.ts';
import { createNodeSignatures } from '../../src/chain/lightClient/nodeSignatures.ts';
import { recording } from '../recordings/recording.ts';
import { fc, runsAll, seed, sizeOf, some } from '../support/atRandom.ts';
import { bytesOf, chainRows, type SignedHeader, storeRanges, type ValidatorJson } from './bundles.ts';

/** What a client gets to verify one key: all of it is bound by hashes and signatures. */
interface Bundle {
  readonly signed_header: SignedHeader;
  readonly validators: readonly Omit<ValidatorJson, 'proposer_priority'>[];
  readonly store?: string;
  readonly key?: string;
  readonly value?: string | null;
  readonly iavl?: string;
  readonly simple?: string;
}

// As in the server. Of a signature that OpenSSL refuses, @noble/curves has the last word.
const check = createNodeSignatures();

/** Verifies everything of a bundle, as JSON text, for the chain with this id. */
async function verifyBundle(text: string, chainId: string): Promise<void> {
  const bundle: Bundle = JSON.parse(text);
  const names = ['signed_header', 'validators', 'store', 'key', 'value', 'iavl', 'simple'];
  // The members of the bundle itself are those of this test.
  if (Object.keys(bundle).some((name) => !names.includes(name))) throw new ProofError('MALFORMED', 'an unknown member');
  const block = decodeLightBlock(bundle.signed_header, decodeValidators(bundle.validators));
  await verifySigned(block, { chainId, check, signatures: 'ALL' });
  if (bundle.store === undefined || bundle.key === undefined) return;
  const value = bundle.value === null || bundle.value === undefined ? undefined : bytesOf(bundle.value);
  const proofs = { iavl: bytesOf(bundle.iavl ?? ''), simple: bytesOf(bundle.simple ?? '') };
  verifyKey({ store: bundle.store, key: bytesOf(bundle.key), value, ...proofs }, block.header.appHash);
}

const withoutPriority = ({ proposer_priority: _, ...validator }: ValidatorJson) => validator;

/** Six headers with rotations, absent and nil votes, and rounds above 0; and four proofs: a value, an empty one, an absent key, an empty store. */
function bundles(): readonly Bundle[] {
  const rows = chainRows();
  const headers = [5, 41, 48, 60, 62, 64].map((height): Bundle => {
    const { commit, validators } = rows[height - 1]!;
    return { signed_header: commit.signed_header, validators: validators.validators.map(withoutPriority) };
  });
  const wasmd = storeRanges();
  const answers = wasmd.ranges.flatMap(({ store, answers }) => answers.map((answer) => ({ store, ...answer })));
  const proofs = [
    answers.find(({ store, value }) => store === 'bank' && value !== null && value !== ''),
    answers.find(({ store, value }) => store === 'staking' && value === ''),
    answers.find(({ store, value }) => store === 'gov' && value === null),
    answers.find(({ store }) => store === 'nft'),
  ].map((answer): Bundle => {
    const { store, key, value, iavl } = answer!;
    return {
      signed_header: wasmd.commit.signed_header,
      validators: wasmd.validators.validators.map(withoutPriority),
      ...{ store, key, value, iavl, simple: wasmd.simple[store]! },
    };
  });
  return [...headers, ...proofs];
}

/** The bytes that each byte is changed to: of another value, of another case, and any. */
const changes: readonly ((byte: number) => number)[] = [(byte) => byte ^ 1, (byte) => byte ^ 0x20, (byte) => (byte + 13) & 127];

describe('a single byte', () => {
  const all = bundles();

  it('is one of ten bundles', () => {
    expect(all).toHaveLength(10);
  });

  it.each(some([...all.entries()], 4))('of bundle %i can be changed nowhere', { timeout: 300_000 }, async (number, bundle) => {
    const text = JSON.stringify(bundle);
    const chainId = bundle.signed_header.header.chain_id;
    await verifyBundle(text, chainId);
    const bytes = Buffer.from(text);
    const wrong: string[] = [];
    const step = sizeOf({ full: 1, ci: 3, own: 37 });
    let tried = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      if ((at + number) % step !== seed % step) continue;
      for (const change of runsAll ? changes : changes.slice(0, 2)) {
        const changed = Buffer.from(bytes);
        changed[at] = change(bytes[at]!);
        tried += 1;
        const outcome = await verifyBundle(changed.toString('latin1'), chainId).then(
          () => 'accepted',
          (error: unknown) =>
            error instanceof ProofError || error instanceof SyntaxError ? undefined : `threw ${String(error)}`,
        );
        if (outcome !== undefined) wrong.push(`${outcome}: byte ${at}: ${changed.subarray(at - 20, at + 20)}`);
      }
    }
    expect(wrong).toEqual([]);
    expect(tried).toBeGreaterThan(sizeOf({ full: 3 * 1_800, ci: 1_800, own: 90 }));
  });

  it.runIf(runsAll)('of a proof can be changed nowhere', () => {
    const { rows } = recording<{
      rows: {
        name: string;
        response: { response?: { key: string; value: string | null; proofOps: { ops: { data: string }[] } | null } };
      }[];
    }>('store-keys');
    let tried = 0;
    for (const { name, response } of rows) {
      if (response.response?.proofOps == null) continue;
      const { key, value, proofOps } = response.response;
      const proven = { store: 'group', key: bytesOf(key), value: value === null ? undefined : bytesOf(value) };
      const proofs = proofOps.ops.map(({ data }) => bytesOf(data));
      // Every node of a real chain has this app hash under the header that follows.
      const { appHash } = readStoreRoot(proofs[1]!, 'group');
      for (const [which, proof] of proofs.entries())
        for (let at = 0; at < proof.length; at += 1) {
          for (const mask of [1, 128, 255]) {
            const changed = Uint8Array.from(proof);
            changed[at] = proof[at]! ^ mask;
            tried += 1;
            const [iavl, simple] = which === 0 ? [changed, proofs[1]!] : [proofs[0]!, changed];
            expect(() => verifyKey({ ...proven, iavl, simple }, appHash), `${name}, byte ${at}`).toThrow(ProofError);
          }
        }
    }
    expect(tried).toBeGreaterThan(10_000);
  });

  it('of the priority of a proposer is not bound by any hash, and is the only one', async () => {
    const { commit, validators } = chainRows()[47]!;
    const text = JSON.stringify({ signed_header: commit.signed_header, validators: validators.validators });
    const from = text.indexOf('"proposer_priority":"') + '"proposer_priority":"'.length;
    const digit = text.slice(from).search(/[1-8]/) + from;
    const changed = `${text.slice(0, digit)}${Number(text[digit]) + 1}${text.slice(digit + 1)}`;
    await verifyBundle(changed, 'facts-net-1');
  });
});

describe('malformed input', () => {
  it('is refused with a reason, whatever it is', async () => {
    const isRefused = async (run: () => unknown): Promise<void> => {
      try {
        await run();
      } catch (error) {
        if (!(error instanceof ProofError)) throw error;
      }
    };
    const [bundle] = bundles();
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 4 }), async (value) => {
        await isRefused(() => decodeLightBlock(value, decodeValidators(value)));
        await isRefused(() => decodeValidators([value]));
        await isRefused(() =>
          decodeLightBlock({ ...bundle!.signed_header, commit: value }, decodeValidators(bundle!.validators)),
        );
      }),
      { numRuns: 300 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() =>
          verifyKey({ store: 'bank', key: Uint8Array.of(1), value: undefined, iavl: bytes, simple: bytes }, bytes),
        ).toThrow(ProofError);
      }),
      { numRuns: 500 },
    );
  });

  it('is bounded', () => {
    const { validators } = bundles()[0]!;
    expect(() => decodeValidators(Array.from({ length: 10_001 }, () => validators[0]))).toThrow('more than 10000');
    expect(() => decodeValidators([{ ...validators[0]!, voting_power: '9223372036854775807' }])).toThrow('power');
    expect(() => fromHex('zz', 1, 'x')).toThrow(ProofError);
    const long = new Uint8Array(5 * 2 ** 20);
    expect(() => verifyKey({ store: 'bank', key: long, value: long, iavl: long, simple: long }, long)).toThrow('more than');
  });
});

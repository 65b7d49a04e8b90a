import { createHash, createPrivateKey, sign } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  createSignatureCheck,
  createVoteBytes,
  decodeCommit,
  decodeHeader,
  decodeLightBlock,
  decodeValidators,
  fromBase64,
  fromHex,
  hashHeader,
  type LightBlock,
  ProofError,
  toHex,
  verifyBefore,
  verifyBetween,
  verifyCommit,
  verifyCommitTrusting,
  verifySigned,
  verifyStep,
} from '../../packages/verify/src/index.ts';
import { recording } from '../recordings/recording.ts';
import { runsAll } from '../support/atRandom.ts';
import { chainId, chainRows, lightBlockOf, trustAt } from './bundles.ts';

const rows = chainRows();
const blocks = rows.map(lightBlockOf);
const newest = blocks.at(-1)!;
const options = trustAt(newest);

function at(height: number): LightBlock {
  return blocks[height - 1]!;
}

function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'ACCEPTED',
    (error: unknown) => (error instanceof ProofError ? error.code : error),
  );
}

describe('the light client, over a chain whose validators change', () => {
  it('verifies every header, set and commit', async () => {
    expect(blocks).toHaveLength(112);
    const votes = { ABSENT: 0, BLOCK: 0, NIL: 0 };
    for (const block of blocks) {
      const { signedPower, totalPower } = await verifySigned(block, options);
      expect(signedPower * 3n).toBeGreaterThan(totalPower * 2n);
      for (const { kind } of block.commit.votes) votes[kind] += 1;
    }
    expect(votes).toEqual({ ABSENT: 8, BLOCK: 408, NIL: 63 });
  });

  it.runIf(runsAll)('verifies every next block, and its link to the one before', async () => {
    for (const [index, block] of blocks.slice(1).entries()) {
      await verifyStep(at(index + 1), block, options);
      verifyBefore(block.header, { height: at(index + 1).header.height, hash: at(index + 1).hash });
    }
    expect(() => verifyBefore(at(9).header, { height: 8n, hash: at(7).hash })).toThrow(ProofError);
  });

  it.runIf(runsAll)('verifies 190 pairs of blocks with blocks in between that it does not read', async () => {
    // 1, 6, 12, ... 112: the sets of both ends differ in members and powers.
    const heights = Array.from({ length: 20 }, (_, index) => Math.floor(1 + (index * 111) / 19));
    let pairs = 0;
    for (const from of heights)
      for (const to of heights) {
        if (to <= from) continue;
        expect(await codeOf(verifyStep(at(from), at(to), { ...options, signatures: 'ENOUGH' }))).toBe('ACCEPTED');
        pairs += 1;
      }
    expect(pairs).toBe(190);
    expect(new Set(heights.map((height) => toHex(at(height).set.hash))).size).toBeGreaterThan(5);
  });

  it('stops at two thirds of the power', async () => {
    let checks = 0;
    const check = createSignatureCheck();
    const counting = {
      ...options,
      check: (...args: Parameters<typeof check>) => {
        checks += 1;
        return check(...args);
      },
    };
    for (const block of blocks) await verifySigned(block, { ...counting, signatures: 'ENOUGH' });
    expect(checks).toBeLessThan(400);
    // 300 + 250 of 1000, as in the recorded refusals, and 300 + 250 + 250.
    const { commit } = at(4);
    const [first] = commit.votes;
    const absent = { kind: 'ABSENT', address: new Uint8Array(), time: 0n, signature: new Uint8Array() } as const;
    expect(
      await codeOf(verifySigned({ ...at(4), commit: { ...commit, votes: [first!, absent, absent, absent] } }, options)),
    ).toBe('TOO_LITTLE_POWER');
  });

  it('makes the recorded bytes that validators sign, and the recorded hashes', async () => {
    const vectors = recording<{
      signBytes: {
        chain_id: string;
        height: string;
        round: number;
        block_id: object | null;
        timestamp: string;
        sign_bytes: string;
        pub_key: { type: string; value: string };
        signature: string;
      }[];
      headerVector: { header: object; hash: string };
      validatorsVector: { validators: { pub_key: { type: string; value: string }; voting_power: string }[]; hash: string };
    }>('light-vectors');
    expect(vectors.signBytes).toHaveLength(5);
    const check = createSignatureCheck();
    for (const vector of vectors.signBytes) {
      const blockId = vector.block_id ?? at(4).commit.blockId;
      const json = { height: vector.height, round: vector.round, block_id: blockId, signatures: [] };
      const { votes: _, ...commit } =
        vector.block_id === null ? { ...at(4).commit, height: BigInt(vector.height), round: vector.round } : decodeCommit(json);
      const vote = decodeCommit({
        ...json,
        block_id: { hash: toHex(at(4).hash), parts: { total: 1, hash: toHex(at(4).hash) } },
        signatures: [
          {
            block_id_flag: vector.block_id === null ? 3 : 2,
            validator_address: '00'.repeat(20),
            timestamp: vector.timestamp,
            signature: vector.signature,
          },
        ],
      }).votes[0]!;
      const bytes = createVoteBytes(commit, vector.chain_id)(vote);
      expect(toHex(bytes)).toBe(vector.sign_bytes.toUpperCase());
      const type = vector.pub_key.type.includes('Ed25519') ? 'ed25519' : 'secp256k1';
      expect(await check({ type, bytes: fromBase64(vector.pub_key.value, 'key') }, bytes, vote.signature)).toBe(true);
    }
    expect(toHex(hashHeader(decodeHeader(vectors.headerVector.header)))).toBe(vectors.headerVector.hash);
    const row = rows.find(
      ({ validators }) =>
        lightBlockOf({ ...rows[0]!, validators }) &&
        toHex(decodeValidators(validators.validators).hash) === vectors.validatorsVector.hash,
    );
    expect(row?.validators.validators.map(({ pub_key, voting_power }) => ({ pub_key, voting_power }))).toEqual(
      vectors.validatorsVector.validators,
    );
  });

  it('verifies commits of the newest height, and the later commits of the same heights', async () => {
    const { rows: newestRows } = recording<{
      rows: { newest: { signed_header: object }; later: { signed_header: object }; validators: { validators: object[] } }[];
    }>('light-newest');
    expect(newestRows).toHaveLength(8);
    for (const row of newestRows) {
      const set = decodeValidators(row.validators.validators);
      for (const { signed_header } of [row.newest, row.later])
        await verifySigned(decodeLightBlock(signed_header, set), options);
    }
  });

  it('finds the blocks in between that it needs', async () => {
    const readHeights: bigint[] = [];
    const read = async (height: bigint): Promise<LightBlock> => {
      readHeights.push(height);
      return at(Number(height));
    };
    expect((await verifyBetween(at(1), at(112), { ...options, read })).map(({ header }) => header.height)).toEqual([112n]);
    // The trusted set has nobody who signs: every step fails but those to the next block.
    const key = { type: 'ed25519', bytes: new Uint8Array(32) } as const;
    const stranger = { ...at(1).set, validators: [{ address: new Uint8Array(20), key, power: 1n }], totalPower: 1n };
    const path = await verifyBetween({ ...at(1), set: stranger }, at(9), { ...options, read });
    expect(path.map(({ header }) => header.height)).toEqual([2n, 3n, 5n, 9n]);
    expect(readHeights).toEqual([5n, 3n, 2n]);
    const other = async (): Promise<LightBlock> => at(4);
    expect(await codeOf(verifyBetween({ ...at(1), set: stranger }, at(9), { ...options, read: other }))).toBe('WRONG_HEIGHT');
  });

  it('refuses what is too old, in the future, below, or of another chain', async () => {
    const { time } = at(1).header;
    const period = newest.header.time - time;
    expect(await codeOf(verifyStep(at(1), newest, { ...options, trustingPeriod: period, now: newest.header.time }))).toBe(
      'EXPIRED',
    );
    expect(await codeOf(verifyStep(at(1), newest, { ...options, trustingPeriod: period + 1n, now: newest.header.time }))).toBe(
      'ACCEPTED',
    );
    const early = newest.header.time - 10_000_000_000n;
    expect(await codeOf(verifyStep(at(111), newest, { ...options, now: early }))).toBe('WRONG_TIME');
    expect(await codeOf(verifyStep(at(111), newest, { ...options, now: early + 1n }))).toBe('ACCEPTED');
    expect(await codeOf(verifyStep(at(5), at(4), options))).toBe('WRONG_HEIGHT');
    expect(await codeOf(verifyStep(at(5), at(5), options))).toBe('WRONG_HEIGHT');
    expect(await codeOf(verifySigned(at(5), { ...options, chainId: 'facts-net-2' }))).toBe('WRONG_CHAIN');
  });

  it('refuses every change of structure', async () => {
    const row = rows[4]!;
    const { validators } = row.validators;
    const { header, commit } = row.commit.signed_header;
    const { signatures } = commit;
    const decode =
      (signed: object, set: readonly object[] = validators) =>
      async () =>
        verifySigned(decodeLightBlock(signed, decodeValidators(set)), options);
    const withVotes = (votes: readonly object[]) => decode({ header, commit: { ...commit, signatures: votes } });
    const absent = { block_id_flag: 1, validator_address: '', timestamp: '0001-01-01T00:00:00Z', signature: null };
    const nil = signatures.findIndex(({ block_id_flag }) => block_id_flag === 3);
    const forged = signatures.map((vote, index) => (index === nil ? { ...vote, block_id_flag: 2 } : vote));
    const cases: Record<string, () => Promise<unknown>> = {
      'validators in another order': decode({ header, commit }, validators.toReversed()),
      'a validator missing': decode({ header, commit }, validators.slice(1)),
      'power + 1': decode(
        { header, commit },
        validators.map((one, index) => (index === 0 ? { ...one, voting_power: String(BigInt(one.voting_power) + 1n) } : one)),
      ),
      'a validator twice': decode({ header, commit }, [...validators.slice(1), validators[1]!]),
      'two signatures absent': withVotes([absent, absent, ...signatures.slice(2)]),
      'a vote for nil as one for the block': withVotes(forged),
      'a vote for the block as one for nil': withVotes(
        signatures.map((vote, index) => (index === 0 ? { ...vote, block_id_flag: 3 } : vote)),
      ),
      'signatures in another order': withVotes(signatures.toReversed()),
      'a signature too many': withVotes([...signatures, absent]),
      'the commit of another height': decode({ header, commit: rows[5]!.commit.signed_header.commit }),
      'the header of another height': decode({ header: rows[5]!.commit.signed_header.header, commit }),
      'another round': decode({ header, commit: { ...commit, round: 1 } }),
      'an unknown member': decode({ header: { ...header, more: '1' }, commit }),
      'an unknown type of key': decode({ header, commit }, [
        { ...validators[0]!, pub_key: { type: 'cometbft/PubKeyBls12_381', value: '' } },
      ]),
    };
    const refusals = await Promise.all(Object.entries(cases).map(async ([name, run]) => [name, await codeOf(run())]));
    expect(Object.fromEntries(refusals)).toEqual({
      'validators in another order': 'WRONG_HASH',
      'a validator missing': 'WRONG_HASH',
      'power + 1': 'WRONG_HASH',
      'a validator twice': 'MALFORMED',
      'two signatures absent': 'TOO_LITTLE_POWER',
      'a vote for nil as one for the block': 'WRONG_SIGNATURE',
      'a vote for the block as one for nil': 'WRONG_SIGNATURE',
      'signatures in another order': 'WRONG_SIGNATURE',
      'a signature too many': 'MALFORMED',
      'the commit of another height': 'WRONG_HEIGHT',
      'the header of another height': 'WRONG_HEIGHT',
      'another round': 'WRONG_SIGNATURE',
      'an unknown member': 'MALFORMED',
      'an unknown type of key': 'UNKNOWN_KEY_TYPE',
    });
    await expect(cases['an unknown type of key']!()).rejects.toThrow('cometbft/PubKeyBls12_381');
  });

  it('needs more than two thirds of the power, and more than a third of the trusted power', async () => {
    const { set, commit, header, hash } = at(4);
    const [first, second] = set.validators;
    // All of block 4 sign it. Their powers are those of the cases: no hash binds them here.
    const withPowers = (...powers: readonly bigint[]) => ({
      ...set,
      validators: set.validators.slice(0, powers.length).map((one, index) => ({ ...one, power: powers[index]! })),
      totalPower: powers.reduce((sum, power) => sum + power, 0n),
    });
    const absent = { kind: 'ABSENT', address: new Uint8Array(), time: 0n, signature: new Uint8Array() } as const;
    const ofTwo = { ...commit, votes: [commit.votes[0]!, absent] };
    expect([first!.key.type, second!.key.type, toHex(hash), header.height]).toEqual([
      'ed25519',
      'ed25519',
      toHex(commit.blockId.hash),
      4n,
    ]);
    expect(await codeOf(verifyCommit(ofTwo, withPowers(2n, 1n), options))).toBe('TOO_LITTLE_POWER');
    expect(await codeOf(verifyCommit(ofTwo, withPowers(2_000_001n, 1_000_000n), options))).toBe('ACCEPTED');
    const strangers = (power: bigint) => {
      const trusted = withPowers(1n, power);
      const stranger = { ...second!, address: new Uint8Array(20), power };
      return { ...trusted, validators: [trusted.validators[0]!, stranger] };
    };
    expect(await codeOf(verifyCommitTrusting(commit, strangers(2n), options))).toBe('NOT_TRUSTED');
    expect(await codeOf(verifyCommitTrusting(commit, strangers(1n), options))).toBe('ACCEPTED');
    // A vote that occurs twice counts once.
    const twice = { ...commit, votes: [commit.votes[0]!, commit.votes[0]!] };
    expect(await codeOf(verifyCommitTrusting(twice, strangers(2n), options))).toBe('NOT_TRUSTED');
  });

  it('refuses a made-up set that signs itself', async () => {
    const secret = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, 7)]);
    const key = createPrivateKey({ key: secret, format: 'der', type: 'pkcs8' });
    const publicKey = Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
    const address = createHash('sha256').update(publicKey).digest('hex').slice(0, 40).toUpperCase();
    const set = decodeValidators([
      { address, pub_key: { type: 'tendermint/PubKeyEd25519', value: publicKey.toString('base64') }, voting_power: '1000' },
    ]);
    const forge = (height: number): LightBlock => {
      const header = { ...at(height).header, validatorsHash: set.hash };
      const hash = hashHeader(header);
      const blockId = { ...at(height).commit.blockId, hash };
      const vote = { kind: 'BLOCK', address: fromHex(address, 20, 'address'), time: header.time } as const;
      const commit = { height: header.height, round: 0, blockId };
      const signature = new Uint8Array(sign(null, createVoteBytes(commit, chainId)(vote), key));
      return { header, hash, set, commit: { ...commit, votes: [{ ...vote, signature }] } };
    };
    // It is a valid chain of its own. Only what is trusted tells it from this one.
    expect(await codeOf(verifySigned(forge(20), options))).toBe('ACCEPTED');
    expect(await codeOf(verifyStep(at(19), forge(20), options))).toBe('WRONG_HASH');
    expect(await codeOf(verifyStep(at(10), forge(20), options))).toBe('NOT_TRUSTED');
    const read = async (height: bigint) => at(Number(height));
    expect(await codeOf(verifyBetween(at(10), forge(20), { ...options, read }))).toBe('WRONG_HASH');
  });
});

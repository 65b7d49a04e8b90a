import { createPublicKey, verify } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createDevnet } from '../../../../packages/devnet/src/devnet.ts';
import {
  encodeBlock,
  hashCommit,
  hashConsensusParams,
  hashHeader,
  hashParts,
  hashResults,
  hashValidators,
  voteSignBytes,
} from '../../../../packages/devnet/src/node/ledger/hashes.ts';
import { formatTime, parseTime } from '../../../../packages/devnet/src/node/ledger/time.ts';
import type { Block, BlockId, Commit, Header } from '../../../../packages/devnet/src/node/ledger/types.ts';
import { merkleAunts, merkleRoot, sha256 } from '../../../../src/chain/wire/merkle.ts';
import { recording } from '../../../recordings/recording.ts';
import { runsAll } from '../../../support/atRandom.ts';
import { createTinyApplication, tinyTx } from '../tinyApplication.ts';

interface WireBlockId {
  hash: string;
  parts: { total: number; hash: string };
}

interface Recorded {
  block: {
    block_id: WireBlockId;
    block: {
      header: Record<string, string> & { version: { block: string; app?: string }; last_block_id: WireBlockId };
      data: { txs: string[] };
      last_commit: {
        height: string;
        round: number;
        block_id: WireBlockId;
        signatures: { block_id_flag: 1 | 2 | 3; validator_address: string; timestamp: string; signature: string }[];
      };
    };
  };
  block_results: {
    txs_results: { code: number; data: string | null; gas_wanted: string; gas_used: string }[] | null;
    app_hash: string;
  };
}

const chain = recording<Recorded[]>('chain');
const hex = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const base64 = (text: string) => new Uint8Array(Buffer.from(text, 'base64'));
const toHex = (value: Uint8Array) => Buffer.from(value).toString('hex').toUpperCase();

const blockIdOf = (id: WireBlockId): BlockId => ({
  hash: hex(id.hash),
  parts: { total: id.parts.total, hash: hex(id.parts.hash) },
});

function blockOf({ block: { block } }: Recorded): Block {
  const wire = block.header;
  const header: Header = {
    version: { block: BigInt(wire.version.block), app: BigInt(wire.version.app ?? 0) },
    chainId: wire.chain_id!,
    height: BigInt(wire.height!),
    time: parseTime(wire.time!),
    lastBlockId: blockIdOf(wire.last_block_id),
    lastCommitHash: hex(wire.last_commit_hash!),
    dataHash: hex(wire.data_hash!),
    validatorsHash: hex(wire.validators_hash!),
    nextValidatorsHash: hex(wire.next_validators_hash!),
    consensusHash: hex(wire.consensus_hash!),
    appHash: hex(wire.app_hash!),
    lastResultsHash: hex(wire.last_results_hash!),
    evidenceHash: hex(wire.evidence_hash!),
    proposerAddress: hex(wire.proposer_address!),
  };
  const lastCommit: Commit = {
    height: BigInt(block.last_commit.height),
    round: block.last_commit.round,
    blockId: blockIdOf(block.last_commit.block_id),
    signatures: block.last_commit.signatures.map((signature) => ({
      flag: signature.block_id_flag,
      validatorAddress: hex(signature.validator_address),
      timestamp: parseTime(signature.timestamp),
      signature: base64(signature.signature),
    })),
  };
  return { header, txs: block.data.txs.map(base64), lastCommit };
}

// The recorded validator (rpc.json, `validators`).
const recordedKey = base64('Cc7bZrwZavRg3uCenKz7At/mCQXXa5a/itaL7OA4lAQ=');

/** Checks every hash of every block against its content and the previous block, and the signatures of the validator. */
function expectSound(blocks: Recorded[], publicKey: Uint8Array): void {
  const address = sha256(publicKey).subarray(0, 20);
  const key = createPublicKey({
    key: { kty: 'OKP', crv: 'Ed25519', x: Buffer.from(publicKey).toString('base64url') },
    format: 'jwk',
  });
  let last: Recorded | undefined;
  for (const recorded of blocks) {
    const block = blockOf(recorded);
    const { header, lastCommit } = block;
    expect(toHex(hashHeader(header))).toBe(recorded.block.block_id.hash);
    const parts = hashParts(encodeBlock(block));
    expect({ total: parts.total, hash: toHex(parts.hash) }).toEqual(recorded.block.block_id.parts);
    expect(merkleRoot(block.txs.map((tx) => sha256(tx)))).toEqual(header.dataHash);
    expect(hashCommit(lastCommit)).toEqual(header.lastCommitHash);
    const results = (last?.block_results.txs_results ?? []).map(({ code, data, gas_wanted, gas_used }) => ({
      code,
      data: data === null ? null : base64(data),
      gasWanted: BigInt(gas_wanted),
      gasUsed: BigInt(gas_used),
    }));
    expect(hashResults(results)).toEqual(header.lastResultsHash);
    expect(address).toEqual(header.proposerAddress);
    expect(hashValidators([{ address, publicKey, power: 1_000_000_000n }])).toEqual(header.validatorsHash);
    expect(hashConsensusParams({ maxBytes: 22020096n, maxGas: 60000000n })).toEqual(header.consensusHash);
    if (last !== undefined) {
      expect(recorded.block.block.header.last_block_id).toEqual(last.block.block_id);
      expect(lastCommit.blockId).toEqual(blockIdOf(last.block.block_id));
      expect(base64(last.block_results.app_hash)).toEqual(header.appHash);
      const signature = lastCommit.signatures[0]!;
      const signed = voteSignBytes({ type: 2, chainId: header.chainId, ...lastCommit, timestamp: signature.timestamp });
      expect(verify(null, signed, key, signature.signature!)).toBe(true);
      expect(signature.timestamp).toBe(header.time);
      expect(header.time).toBeGreaterThan(blockOf(last).header.time);
    }
    last = recorded;
  }
}

describe('every hash, link and signature', () => {
  it.runIf(runsAll)('of a real chain of 195 blocks', () => {
    expect(chain).toHaveLength(195);
    expectSound(chain, recordedKey);
  });

  it('of the devnet, with good and bad transactions, and a block of several parts', async () => {
    const devnet = await createDevnet({ application: createTinyApplication(), blockTime: 'manual' });
    const ask = async (path: string) =>
      ((await (await fetch(`${devnet.nodes[0]!.url}/${path}`)).json()) as { result: unknown }).result;
    const send = (tx: Uint8Array) => ask(`broadcast_tx_sync?tx=0x${Buffer.from(tx).toString('hex')}`);
    await send(tinyTx('alice', 0));
    await send(tinyTx('bad', 0));
    await send(tinyTx('alice', 1, 'x'.repeat(7000)));
    await devnet.commit();
    for (let sequence = 2; sequence < 16; sequence++) await send(tinyTx('alice', sequence, 'x'.repeat(7000)));
    await devnet.commit({ elapse: 5000 });
    await devnet.commit();
    const blocks: Recorded[] = [];
    for (let height = 1n; height <= devnet.height; height++) {
      const block = (await ask(`block?height=${height}`)) as Recorded['block'];
      blocks.push({ block, block_results: (await ask(`block_results?height=${height}`)) as Recorded['block_results'] });
    }
    const { validators } = (await ask('validators')) as { validators: { pub_key: { value: string } }[] };
    await devnet.close();
    expect(blocks.map(({ block }) => block.block.data.txs.length)).toEqual([0, 3, 14, 0]);
    expect(blocks[2]!.block.block_id.parts.total).toBe(2);
    expectSound(blocks, base64(validators[0]!.pub_key.value));
  });
});

describe('merkle proofs', () => {
  it.each([1, 2, 3, 5, 8, 11])('lead from every leaf of %i to the root', (count) => {
    const items = Array.from({ length: count }, (_, index) => Uint8Array.of(index));
    // Verified as in RFC 6962, by the position only.
    const rebuild = (index: number, total: number, leaf: Uint8Array, aunts: Uint8Array[]): Uint8Array => {
      if (total === 1) return leaf;
      const split = 2 ** Math.ceil(Math.log2(total) - 1);
      const aunt = aunts.at(-1)!;
      return index < split
        ? sha256(Uint8Array.of(1), rebuild(index, split, leaf, aunts.slice(0, -1)), aunt)
        : sha256(Uint8Array.of(1), aunt, rebuild(index - split, total - split, leaf, aunts.slice(0, -1)));
    };
    items.forEach((item, index) => {
      expect(rebuild(index, count, sha256(Uint8Array.of(0), item), merkleAunts(items, index))).toEqual(merkleRoot(items));
    });
  });
});

describe('times', () => {
  it.each(['2026-11-21T02:57:26.23842843Z', '2026-11-21T02:48:07Z', '2026-11-21T02:48:07.000000001Z'])(
    'encodes the time %s',
    (text) => {
      expect(formatTime(parseTime(text))).toBe(text);
    },
  );

  it('formats the zero time', () => {
    expect(formatTime(-62135596800_000_000_000n)).toBe('0001-01-01T00:00:00Z');
  });
});

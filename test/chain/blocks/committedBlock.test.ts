import { describe, expect, it } from 'vitest';
import { decodeCommittedBlock, decodeNewBlockValue, hashTx } from '../../../src/chain/blocks/committedBlock.ts';
import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { type Frame, readRecording } from '../../recordings/recordings.ts';

/** The values of NewBlock events in a recording of a socket. */
function newBlocks(frames: readonly Frame[]): JsonObject[] {
  return frames.flatMap(({ from, frame }) => {
    if (from !== 'node' || frame === undefined) return [];
    const { result } = JSON.parse(frame) as { result?: { data?: { type: string; value: JsonObject } } };
    return result?.data?.type === 'tendermint/event/NewBlock' ? [result.data.value] : [];
  });
}

const chain = new Map(readRecording('chain').map((row) => [row.height, row]));

describe('a committed block', () => {
  it('is equal from the event and from block and block_results, at every recorded height', () => {
    const fromEvents = newBlocks(readRecording('live-newblock')).map(decodeNewBlockValue);
    expect(fromEvents).toHaveLength(174);
    for (const block of fromEvents) {
      const row = chain.get(block.header.height.toString())!;
      expect(block).toEqual(decodeCommittedBlock(row.block, row.block_results));
    }
  });

  it('has each transaction with its hash and its result, as the scenario recorded them', () => {
    const noted = readRecording('transactions').filter(({ height }) => height !== undefined && chain.has(height));
    expect(noted.length).toBeGreaterThan(90);
    for (const { hash, height, code } of noted) {
      const row = chain.get(height!)!;
      const { transactions } = decodeCommittedBlock(row.block, row.block_results);
      const tx = transactions.find((each) => each.hash === hash?.toUpperCase());
      expect(tx, hash).toBeDefined();
      if (code !== undefined) expect(tx!.result.code).toBe(code);
      expect(hashTx(tx!.tx)).toBe(tx!.hash);
    }
  });

  it('has every member of the wire format', () => {
    const row = chain.get('20')!;
    const block = decodeCommittedBlock(row.block, row.block_results);
    expect(block.lastCommit).toEqual({
      height: 19n,
      round: 0,
      blockId: block.header.lastBlockId,
      signatures: [
        {
          flag: 2,
          validatorAddress: '8945D450C9120C64FE3E7F6D9CC75FEEC69B946E',
          timestamp: '2026-11-21T02:48:12.416496265Z',
          signature: 'SmW6lyZUuPae2ONegLdvxWsLPpOnl4aPzwEgoDDU6CSuc2IK7iJGjwua2piDbsmR17/J2GaO2YeNXetvySuOCg==',
        },
      ],
    });
    expect(block.transactions[0]!.result).toMatchObject({ code: 0, codespace: '', gasWanted: 1000000n });
    expect(block.events[0]).toMatchObject({ type: 'message', attributes: [{ key: 'sender' }, { key: 'mode', index: true }] });
    expect(block.consensusParamUpdates).toEqual({
      block: { maxBytes: 22020096n, maxGas: 60000000n },
      evidence: { maxAgeNumBlocks: 100000n, maxAgeDuration: 172800000000000n, maxBytes: 1048576n },
      validator: { pubKeyTypes: ['ed25519'] },
      version: { app: 0n },
      abci: { voteExtensionsEnableHeight: 0n },
      authority: null,
    });
    const next = chain.get('21')!;
    expect(block.appHash).toBe(decodeCommittedBlock(next.block, next.block_results).header.appHash);
    const first = chain.get('1')!;
    expect(decodeCommittedBlock(first.block, first.block_results).lastCommit).toBeNull();
  });

  it('has changes of the validator set', () => {
    const updates = newBlocks(readRecording('validator-set')).flatMap((value) => decodeNewBlockValue(value).validatorUpdates);
    expect(updates).toEqual([
      {
        publicKey: { type: 'tendermint/PubKeyEd25519', value: 'Cc7bZrwZavRg3uCenKz7At/mCQXXa5a/itaL7OA4lAQ=' },
        power: 6000000000n,
      },
    ]);
  });

  it('is rejected if its results are for another height or do not match its transactions', () => {
    const [row, other] = [chain.get('20')!, chain.get('21')!];
    expect(() => decodeCommittedBlock(row.block, { ...row.block_results, height: '21' })).toThrow(
      /results of block 21 for block 20/,
    );
    expect(() => decodeCommittedBlock(row.block, { ...other.block_results, height: '20', txs_results: null })).toThrow(
      /do not match its transactions/,
    );
  });
});

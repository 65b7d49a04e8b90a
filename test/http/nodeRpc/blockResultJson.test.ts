import { describe, expect, it } from 'vitest';
import { type CommittedBlock, decodeCommittedBlock } from '../../../src/chain/blocks/committedBlock.ts';
import {
  encodeBlockResult,
  encodeBlockResults,
  encodeHeaderResult,
  encodeSignedHeader,
} from '../../../src/surfaces/nodeRpc/handlers.ts';
import { readRecording } from '../../recordings/recordings.ts';
import { rowNamed } from './rows.ts';

const resultOf = (name: string): unknown => (rowNamed(name).response as { result?: unknown }).result;

describe('blocks of the log are encoded as by a node', () => {
  const rows = readRecording('chain');
  const blocks = rows.map((row) => decodeCommittedBlock(row.block, row.block_results));

  it('block and block_results at each of the 195 heights', () => {
    expect(blocks).toHaveLength(195);
    blocks.forEach((block, index) => {
      const row = rows[index]!;
      expect(JSON.stringify(encodeBlockResult(block))).toBe(JSON.stringify(row.block));
      expect(JSON.stringify(encodeBlockResults(block))).toBe(JSON.stringify(row.block_results));
    });
  });

  it('header and commit, with the commit of the next block', () => {
    const at = (height: bigint): CommittedBlock => blocks.find(({ header }) => header.height === height)!;
    expect(JSON.stringify(encodeHeaderResult(at(102n)))).toBe(JSON.stringify(resultOf('header')));
    expect(JSON.stringify(encodeSignedHeader(at(102n), at(103n).lastCommit!))).toBe(JSON.stringify(resultOf('commit')));
  });
});

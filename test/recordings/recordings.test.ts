import { readdirSync, statSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { readBytes, recording } from './recording.ts';
import { readRecording } from './recordings.ts';
import { readRegistry } from './registry.ts';

describe('the recordings', () => {
  it('have the number of rows in their README', () => {
    const counts = (
      ['transactions', 'chain', 'live-newblock', 'live-events', 'queries', 'rpc', 'rest', 'proofs', 'pruned'] as const
    ).map((file) => [file, readRecording(file).length] as const);
    expect(Object.fromEntries(counts)).toEqual({
      transactions: 113,
      chain: 195,
      'live-newblock': 180,
      'live-events': 537,
      queries: 506,
      rpc: 222,
      rest: 13,
      proofs: 4,
      pruned: 18,
    });
    expect(readRecording('node-stops')).toHaveLength(5);
    expect(readRecording('validator-set')).toHaveLength(8);
    expect(readRecording('limits')).toHaveLength(14);
    expect(Object.keys(readRecording('websocket'))).toHaveLength(34);
    expect([...readRegistry().files]).toHaveLength(549);
    expect(fromBinary(FileDescriptorSetSchema, readBytes('evm-descriptors.binpb')).file).toHaveLength(228);
  });

  it('of governance and of store roots have the rows that their README counts', () => {
    const heights = readRecording('governance-chain').map((row) => Number(row.height));
    expect([heights.length, heights[0], heights.at(-1)]).toEqual([368, 14540, 14907]);
    expect(recording<unknown[]>('governance-queries')).toHaveLength(2417);
    expect(recording<unknown[]>('store-roots')).toHaveLength(427);
    expect(recording<{ groupStoreChangedAt: number[] }>('governance-world').groupStoreChangedAt).toHaveLength(52);
  });

  it('of several validators and of proofs have the rows that their README counts', () => {
    const rows = [
      recording<{ heights: unknown[] }>('light-chain').heights,
      recording<{ signBytes: unknown[] }>('light-vectors').signBytes,
      recording<{ rows: unknown[] }>('light-newest').rows,
      recording<{ rows: unknown[] }>('store-keys').rows,
      recording<{ answers: unknown[] }>('store-votes').answers,
      recording<{ answers: unknown[] }>('store-votes-index').answers,
      recording<{ rows: unknown[] }>('store-empty').rows,
      recording<{ ranges: unknown[] }>('store-ranges').ranges,
    ];
    expect(rows.map(({ length }) => length)).toEqual([112, 5, 8, 8, 32, 32, 14, 62]);
  });

  it('of plans have the rows that their README counts', () => {
    const proofs = recording<Record<'keys' | 'ranges' | 'queries', unknown[]>>('plan-proofs');
    const counts = [recording<{ queries: unknown[] }>('plans').queries, proofs.queries, proofs.keys, proofs.ranges];
    expect(counts.map(({ length }) => length)).toEqual([1571, 49, 55, 34]);
  });

  it('stay under 2 MB', () => {
    const folder = new URL('./', import.meta.url);
    const files = readdirSync(folder).filter((name) => name.endsWith('.gz'));
    expect(files.map((name) => statSync(new URL(name, folder)).size).reduce((a, b) => a + b, 0)).toBeLessThan(2_000_000);
  });

  it('contain a chain without gaps, and events with the same blocks', () => {
    const chain = readRecording('chain');
    expect(chain.map((row) => row.height)).toEqual(Array.from({ length: 195 }, (_, i) => String(i + 1)));
    const live = readRecording('live-newblock').flatMap(({ frame }) => {
      const value = frame === undefined ? undefined : JSON.parse(frame).result?.data?.value;
      return value === undefined ? [] : [value];
    });
    expect(live).toHaveLength(174);
    for (const { block } of live) {
      expect(block).toEqual(chain[Number(block.header.height) - 1]?.block.block);
    }
  });

  it('contain consistent content and heights for each query', () => {
    for (const row of readRecording('queries')) {
      expect(row.decoded === undefined || row.response.code === 0, row.name).toBe(true);
      const served = row.rest?.headers['grpc-metadata-x-cosmos-block-height'];
      if (served !== undefined) expect(row.response.height, row.name).toBe(served);
    }
  });
});

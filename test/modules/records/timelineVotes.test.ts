import { expect, it } from 'vitest';
import type { ProposalRecord, VoteRecord } from '../../../src/archive/records.ts';
import { Archive } from '../../../src/archive/setup/archive.ts';
import type { ArchiveReader, RecordPageRequest } from '../../../src/archive/store/reader.ts';
import { recordsOf } from '../../../src/modules/records/loaders.ts';
import type { Pin, Source } from '../../../src/reads/pin.ts';

const height = 9n;

/** A record of a proposal that is open. */
const record = (id: bigint): ProposalRecord =>
  ({ id, submitted: null, submitTime: 1n, proposers: [], close: null, pruned: null, status: 1 }) as unknown as ProposalRecord;

/** The loaders of an archive with so many votes on each proposal, and the sizes of the pages of votes that they have read. */
async function loadersOf(votesOf: ReadonlyMap<bigint, number>) {
  const sizes: number[] = [];
  function pageOf({ id }: ProposalRecord, { first, after }: RecordPageRequest) {
    const total = votesOf.get(id) ?? 0;
    const start = after === undefined ? 0 : Number(Buffer.from(after.key).readBigInt64BE()) + 1;
    const items = Array.from({ length: Math.min(first, total - start) }, (_, index): VoteRecord => {
      const time = BigInt(start + index);
      const at = { height, order: 0, time, hash: null };
      return { proposalId: id, voter: `voter${time}`, option: 1, metadata: '', at, origin: 'MESSAGE', weight: '1' };
    });
    if (first > 0) sizes.push(items.length);
    return {
      items,
      placeAt: () => undefined,
      hasNext: start + items.length < total,
      hasPrevious: start > 0,
      total: BigInt(total),
    };
  }
  const reader = {
    coverage: () => ({ generation: 0n }),
    under: () => reader,
    holding: () => 'HELD',
    votes: async (records: readonly ProposalRecord[], page: RecordPageRequest) => records.map((each) => pageOf(each, page)),
    executions: async (records: readonly ProposalRecord[]) => records.map(() => []),
    changes: async (records: readonly ProposalRecord[]) => records.map(() => []),
  } as unknown as ArchiveReader;
  const recording = { status: () => ({ state: 'RECORDING' }), checking: () => undefined };
  const archive = new Archive({ reader, recording, onCoverage: () => () => undefined } as unknown as Archive);
  const source = { archive, state: { height } } as unknown as Source;
  const pin = { heightOf: () => height, loaders: (create) => create(source) } as Pick<Pin, 'heightOf' | 'loaders'> as Pin;
  const loaders = await recordsOf(pin, 0);
  return { timelines: (ids: readonly bigint[]) => loaders!.timeline.loadMany(ids.map(record)), sizes };
}

it('timelines read at most 5,000 votes together, in pages, and those that would read more fail', async () => {
  const { timelines, sizes } = await loadersOf(new Map([1n, 2n, 3n].map((id) => [id, id === 3n ? 1 : 2_500])));
  const [one, two, three] = await timelines([1n, 2n, 3n]);
  expect([one, two]).toMatchObject([{ length: 2_501 }, { length: 2_501 }]);
  expect(three).toMatchObject({ code: 'OPERATION_TOO_COMPLEX' });
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
});

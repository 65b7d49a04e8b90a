import DataLoader from 'dataloader';
import type { GovProposalRecord } from '../../archive/govRecords.ts';
import { archiveOf } from '../../archive/setup/archive.ts';
import type { RecordPageRequest } from '../../archive/store/reader.ts';
import { type Awaitable, type Pin, type Pinned, pinOf, type Source } from '../../reads/pin.ts';
import type { GraphQLContext } from '../../schema/builder.ts';
import { onceHeld, pageKey, readForRequest } from './loaders.ts';

/** Records of the governance module change only in blocks that write to its store. */
export const govRecordStores = ['gov'] as const;

export type GovRecordLoaders = NonNullable<ReturnType<typeof createGovRecordLoaders>>;

/** The reads of the records of the governance module at the height of one pin, joined for all records of a tick. */
function createGovRecordLoaders({ archive: recorded, state, signal, caller }: Source) {
  const archive = archiveOf(recorded);
  if (archive === undefined) return null;
  const reader = archive.reader.under(signal, caller);
  const { gov } = reader;
  const asOf = state.height;

  function parts<V>(read: (records: readonly GovProposalRecord[]) => Promise<readonly V[]>) {
    return new DataLoader<GovProposalRecord, V, bigint>((records) => readForRequest(read(records)), {
      cacheKeyFn: ({ id }) => id,
    });
  }

  function byKey<A, V>(
    keyOf: (argument: A) => string,
    read: (records: readonly GovProposalRecord[], argument: A) => Promise<readonly V[]>,
  ) {
    const loaders = new Map<string, ReturnType<typeof parts<V>>>();
    return (argument: A) => {
      const key = keyOf(argument);
      const loader = loaders.get(key) ?? parts((records) => read(records, argument));
      loaders.set(key, loader);
      return loader;
    };
  }

  return {
    reader,
    trouble: () => archive.recording.status().trouble,
    checking: (milliseconds: number) => archive.recording.checking(milliseconds),
    record: new DataLoader((ids: readonly bigint[]) => readForRequest(gov.records(ids, asOf))),
    deposits: parts((records) => gov.deposits(records)),
    misses: parts((records) => gov.misses(records)),
    vote: byKey(String, (records, voter: string) => gov.votesOf(records, voter)),
    votes: byKey(pageKey, (records, page: RecordPageRequest) => gov.votes(records, page)),
  };
}

/** The reads at the height of a pin, once the archive holds it; null if the server has none. Waits up to `freshness` ms. */
export const govRecordsOf = (pin: Pin, freshness: number): Awaitable<GovRecordLoaders | null> =>
  onceHeld(pin, pin.loaders(createGovRecordLoaders), govRecordStores, freshness);

/** The reads at the height of `parent`, as {@link govRecordsOf}. Waits up to `request.freshness`. */
export function govRecordsAt(parent: Pinned<object>, { limits }: GraphQLContext): Awaitable<GovRecordLoaders | null> {
  return govRecordsOf(pinOf(parent), limits['request.freshness']);
}

import { DatabaseError, type Row } from '../database/connection.ts';
import { type ArchiveStore, createCoverageState } from '../store/archiveStore.ts';

/**
 * A store that is made when this process first wants to write, because its place depends on the id of the chain, which a node must name first. Until
 * then nothing is covered and reads fail.
 */
export function createDeferredStore(
  storage: ArchiveStore['storage'],
  make: (signal: AbortSignal) => Promise<ArchiveStore>,
): ArchiveStore {
  const coverage = createCoverageState();
  let store: ArchiveStore | undefined;

  function made(): ArchiveStore {
    if (store === undefined) throw new DatabaseError('LOST', 'the archive is not open yet');
    return store;
  }

  return {
    storage,
    coverage: coverage.get,
    onCoverage: coverage.onChange,
    async becomeWriter(signal, onStandby) {
      if (store === undefined) {
        const opened = await make(signal);
        opened.onCoverage(() => coverage.set(opened.coverage()));
        store = opened;
      }
      await store.becomeWriter(signal, onStandby);
    },
    begin: async (start) => made().begin(start),
    record: async (block, mayWait) => made().record(block, mayWait),
    addEarlier: async (found) => made().addEarlier(found),
    read: async (...read): Promise<readonly Row[]> => made().read(...read),
    scan: async (...read): Promise<readonly Row[]> => made().scan(...read),
    search: async (...search) => made().search(...search),
    expire: async (before) => made().expire(before),
    sizeBytes: async () => made().sizeBytes(),
    close: async () => store?.close(),
  };
}

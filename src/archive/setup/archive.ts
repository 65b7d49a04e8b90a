import type { RecordedChain } from '../../chain/client.ts';
import type { Recording } from '../recording/recording.ts';
import type { KeptRehearsal } from '../rehearsals.ts';
import type { ArchiveStore } from '../store/archiveStore.ts';
import type { StoreRun } from '../store/past.ts';
import type { ArchiveReader } from '../store/reader.ts';
import type { Webhooks } from '../webhooks.ts';
import type { ArchivedPast } from './keptPast.ts';

type ArchiveParts = Pick<
  Archive,
  'reader' | 'recording' | 'onCoverage' | 'addRehearsal' | 'addRoots' | 'change' | 'read' | 'past' | 'close'
>;

/** What a server has recorded of its chain: the records, and the recording. A client and the sources of its pins carry it. */
export class Archive implements RecordedChain {
  readonly reader: ArchiveReader;
  readonly recording: Pick<Recording, 'status' | 'checking' | 'backfill' | 'lag'>;
  /** Calls `listener` after each change of the coverage. Returns a function that removes the listener. */
  readonly onCoverage: (listener: () => void) => () => void;
  /** Keeps the last rehearsal of a proposal. Rejects with a `DatabaseError`. */
  readonly addRehearsal: (rehearsal: KeptRehearsal) => Promise<void>;
  /** Keeps roots of stores. Rejects with a `DatabaseError`. */
  readonly addRoots: (runs: readonly StoreRun[]) => Promise<void>;
  /** Runs statements in one transaction. See `ArchiveStore`. */
  readonly change: ArchiveStore['change'];
  /** Runs a statement that reads. See `ArchiveStore`. */
  readonly read: ArchiveStore['read'];
  /** The webhooks of this server; undefined until it serves them. */
  webhooks: Webhooks | undefined;
  /** The roots and times of past blocks. */
  readonly past: ArchivedPast;
  generation: bigint;
  /** Ends the recording after the block that is being stored, and closes the storage. */
  readonly close: () => Promise<void>;

  constructor({ reader, recording, onCoverage, addRehearsal, addRoots, change, read, past, close }: ArchiveParts) {
    this.reader = reader;
    this.recording = recording;
    this.onCoverage = onCoverage;
    this.addRehearsal = addRehearsal;
    this.addRoots = addRoots;
    this.change = change;
    this.read = read;
    this.webhooks = undefined;
    this.past = past;
    this.close = close;
    this.generation = reader.coverage().generation;
    onCoverage(() => {
      this.generation = reader.coverage().generation;
    });
  }
}

/** The archive of a client or of a pin's source, with all its reads; undefined if the server runs without one. */
export function archiveOf(recorded: RecordedChain | undefined): Archive | undefined {
  return recorded instanceof Archive ? recorded : undefined;
}

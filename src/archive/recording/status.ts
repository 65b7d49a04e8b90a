import { isChainError } from '../../chain/base/errors.ts';
import { DatabaseError } from '../database/connection.ts';
import { RecordingRefused } from '../store/ranges.ts';
import { ArchiveMismatch } from '../store/schema.ts';

/** Why nothing is recorded. STOPPED ones end with a restart of the server only. */
export type RecordingTrouble =
  /** The disk of the archive is full. */
  | 'ARCHIVE_FULL'
  /** The database cannot be reached or refuses to write. */
  | 'ARCHIVE_DATABASE'
  /** The facts of a block cannot be derived or stored because of an error of this server. */
  | 'ARCHIVE_FAILURE'
  /** The nodes serve another chain than the one that is recorded. */
  | 'ARCHIVE_OTHER_CHAIN'
  /** The archive was written by a newer server, or belongs to another chain. */
  | 'ARCHIVE_MISMATCH';

/**
 * What the recording does. STARTING: no node has responded, or the lock is not decided yet. STANDBY: another server writes. PAUSED: it tries again
 * after a while. STOPPED: it does not try again.
 */
export interface RecordingStatus {
  readonly state: 'STARTING' | 'STANDBY' | 'RECORDING' | 'PAUSED' | 'STOPPED';
  readonly trouble: RecordingTrouble | undefined;
  /** One line for the log; undefined without trouble. */
  readonly message: string | undefined;
}

/** The status after an error. Undefined for an error of a node, which is no trouble of the archive. */
export function statusAfter(error: unknown): RecordingStatus | undefined {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ArchiveMismatch) return { state: 'STOPPED', trouble: 'ARCHIVE_MISMATCH', message };
  if (isChainError(error, 'CHAIN_RESET')) return { state: 'STOPPED', trouble: 'ARCHIVE_OTHER_CHAIN', message };
  if (error instanceof RecordingRefused)
    return error.reason === 'CONTRADICTION' ? { state: 'STOPPED', trouble: 'ARCHIVE_OTHER_CHAIN', message } : undefined;
  if (error instanceof DatabaseError) {
    if (error.failure === 'FULL') return { state: 'PAUSED', trouble: 'ARCHIVE_FULL', message };
    return { state: 'PAUSED', trouble: error.failure === 'LOST' ? 'ARCHIVE_DATABASE' : 'ARCHIVE_FAILURE', message };
  }
  return isChainError(error) ? undefined : { state: 'PAUSED', trouble: 'ARCHIVE_FAILURE', message };
}

import type { Row as DatabaseRow, Sql } from '../archive/database/database.ts';
import type { BackfillView } from '../archive/recording/backfill.ts';
import type { RecordingStatus } from '../archive/recording/recording.ts';
import type { KeptRehearsal } from '../archive/rehearsals.ts';
import type { StoreRun } from '../archive/store/past.ts';
import type { Coverage } from '../archive/store/ranges.ts';
import { ChainError, type ChainErrorCode, type ChainErrorFacts } from '../chain/base/errors.ts';
import type { TxExec } from '../chain/base/execution.ts';
import {
  type ProofParts,
  type ProvenState,
  type Row,
  type StoreProof,
  type StoreRead,
  Unproven,
  type UnprovenReason,
} from '../chain/proofs/proofs.ts';
import type { TraceHeaders } from '../chain/tracing/tracer.ts';
import type { Broadcast } from '../chain/transactions/broadcaster.ts';
import type { TxUpdate } from '../chain/transactions/resend.ts';
import type { NodeView } from '../chain/transports/transport.ts';
import type { VerificationStatus } from '../chain/transports/verification.ts';
import type { HeadBlock, Rewind } from '../chain/wire/block.ts';
import type { JsonObject, JsonValue } from '../chain/wire/json.ts';
import type { Counted, CountUpdate, Found } from '../shared/sharedStore.ts';

/** What workers ask the primary for: the arguments and the result of each operation. */
export interface Operations {
  call: {
    args: {
      method: string;
      params: JsonObject;
      height: bigint | undefined;
      node: string | undefined;
      maySimulate: boolean | null | undefined;
      quorum?: number | undefined;
    };
    result: JsonValue;
  };
  /** Subscribes to a query at a node. Each event is an update. Ends with the subscription. */
  subscribe: { args: { query: string }; update: JsonObject; result: undefined };
  /** The facts of the proven state at a height. */
  provenAt: { args: { height: bigint }; result: Pick<ProvenState, 'chainId' | 'time' | 'prefix'> };
  /** A proven read at a height: a value, null, or rows. */
  provenRead: { args: { height: bigint; read: StoreRead }; result: Uint8Array | null | readonly Row[] };
  proofOf: { args: { height: bigint; reads: readonly StoreRead[] }; result: ProofParts };
  rootsOf: { args: { height: bigint; stores: readonly string[] }; result: readonly StoreProof[] };
  broadcast: { args: { method: 'sync' | 'async' | 'commit'; tx: Uint8Array; joinsDuplicate: boolean }; result: Broadcast };
  /** Keeps a rehearsal in the archive, which the primary writes. */
  keepRehearsal: { args: { rehearsal: KeptRehearsal }; result: undefined };
  /** Keeps roots of stores in the archive. */
  keepRoots: { args: { runs: readonly StoreRun[] }; result: undefined };
  /** Runs statements on the database of the archive, in one transaction. */
  change: { args: { statements: readonly Sql[] }; result: readonly (readonly DatabaseRow[])[] };
  /** Sends a transaction. Each update is an update. */
  submit: { args: { tx: Uint8Array }; update: TxUpdate; result: undefined };
  check: { args: { tx: Uint8Array }; result: TxExec };
  evidence: { args: { evidence: JsonValue }; result: string };
  find: { args: { group: string; keys: readonly string[]; claim: string }; result: Found | undefined };
  get: { args: { group: string; key: string }; result: Uint8Array | null | undefined };
  put: {
    args: { group: string; key: string; value: Uint8Array; ttl: number; claim: string | undefined };
    result: boolean;
  };
  release: { args: { group: string; key: string }; result: undefined };
  count: { args: CountUpdate; result: Counted | undefined };
}

export type OperationName = keyof Operations;

export type UpdateOf<K extends OperationName> = Operations[K] extends { update: infer U } ? U : never;

/** What the primary has recorded into the archive. */
interface ArchiveState extends Coverage {
  readonly chainId: string;
  readonly status: RecordingStatus;
  readonly backfill: BackfillView | null;
  readonly lag: bigint;
}

/** An error as it passes between processes, which keep no classes. */
type PackedError =
  | {
      readonly kind: 'chain';
      readonly code: ChainErrorCode;
      readonly message: string;
      readonly facts: ChainErrorFacts[ChainErrorCode];
    }
  | { readonly kind: 'unproven'; readonly reason: UnprovenReason; readonly message: string }
  | { readonly kind: 'other'; readonly message: string };

/** A message of the primary to a worker. Messages are sent in lists, those of one turn of the event loop together. */
export type ToWorker =
  | { readonly kind: 'start'; readonly secret: string; readonly archiveDirectory: string | undefined }
  | { readonly kind: 'update'; readonly id: number; readonly value: never }
  | { readonly kind: 'result'; readonly id: number; readonly value: never }
  | { readonly kind: 'error'; readonly id: number; readonly error: PackedError }
  /** The newest block, as the event that a node sends. */
  | { readonly kind: 'block'; readonly event: JsonObject }
  /** The newest block, which the primary has read from `status`. */
  | { readonly kind: 'newest'; readonly newest: HeadBlock }
  | { readonly kind: 'rewind'; readonly rewind: Rewind }
  /** How the newest block was verified. Sent before the block. */
  | { readonly kind: 'verification'; readonly status: VerificationStatus; readonly conflict?: bigint }
  /** Whether the primary is subscribed to new blocks. If not, it sends no `block`, and workers ask for the status. */
  | { readonly kind: 'head'; readonly isSubscribed: boolean }
  | { readonly kind: 'nodes'; readonly nodes: readonly NodeView[] }
  | { readonly kind: 'archive'; readonly state: ArchiveState }
  | { readonly kind: 'readMetrics'; readonly id: number }
  | { readonly kind: 'stop'; readonly delay: number; readonly limit: number };

/** A message of a worker to the primary, in lists as well. */
export type ToPrimary =
  | { readonly kind: 'loaded' }
  | { readonly kind: 'listening'; readonly url: string; readonly token: string | undefined }
  | { readonly kind: 'failed'; readonly reasons: readonly string[] }
  | { readonly kind: 'ready'; readonly failed: readonly string[] }
  /** `trace` names the span that the operation belongs to. undefined if it is not recorded. */
  | { readonly kind: 'ask'; readonly id: number; readonly operation: Ask; readonly trace: TraceHeaders | undefined }
  | { readonly kind: 'abort'; readonly id: number }
  | { readonly kind: 'metrics'; readonly id: number; readonly values: readonly object[] };

export type Ask = { [K in OperationName]: { readonly name: K; readonly args: Operations[K]['args'] } }[OperationName];

export function packError(error: unknown): PackedError {
  if (error instanceof ChainError) return { kind: 'chain', code: error.code, message: error.message, facts: error.facts };
  if (error instanceof Unproven) return { kind: 'unproven', reason: error.reason, message: error.message };
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) };
}

export function unpackError(error: PackedError): Error {
  if (error.kind === 'unproven') return new Unproven(error.reason, error.message);
  return error.kind === 'chain' ? new ChainError(error.code, error.message, error.facts) : new Error(error.message);
}

/**
 * Creates a function that sends messages to another process. Messages of one turn of the event loop are sent together and in order, so that reads
 * that begin together go to the nodes in one batch, and an operation with many reads needs few messages.
 */
export function createOutbox<M>(send: (messages: readonly M[]) => void): (message: M) => void {
  let waiting: M[] = [];

  function flush(): void {
    const messages = waiting;
    waiting = [];
    send(messages);
  }

  return (message) => {
    waiting.push(message);
    // The transport to a node collects its calls by the same two steps.
    if (waiting.length === 1) Promise.resolve().then(() => process.nextTick(flush));
  };
}

/** The smallest memory of the caches of one process, in bytes. */
const least = 32 * 1024 * 1024;

/**
 * Divides the memory of all caches (`cache.bytes`) among the primary and its workers: an eighth for what the workers share, and an equal
 * part for the caches of each process.
 */
export function memoryOf(bytes: number, workers: number): { readonly store: number; readonly process: number } {
  const store = Math.floor(bytes / 8);
  return { store, process: Math.max(least, Math.floor((bytes - store) / (workers + 1))) };
}

import { internalError } from '../../../chain/rpc/rpcError.ts';
import type { JsonObject } from '../../../chain/wire/json.ts';
import type { Application, CheckState, TxResult } from '../../abci/abci.ts';
import type { EventBus } from '../ledger/events.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { CommittedBlock } from '../ledger/types.ts';
import type { Mempool } from './mempool.ts';

/** What the routes of one node see of the chain: no further than the node's own height. */
export interface NodeView {
  readonly ledger: Ledger;
  readonly application: Application;
  readonly mempool: Mempool;
  readonly checkState: CheckState;
  readonly bus: EventBus;
  /** How the node names itself. */
  readonly moniker: string;
  readonly nodeId: string;
  /** What it says the chain's id is. */
  readonly chainId: string;
  readonly rpcAddress: string;
  /** Its newest block: behind the chain's when it lags. */
  readonly height: bigint;
  /** The oldest block that it still has. */
  readonly base: bigint;
  /** The oldest height whose state it still has. */
  readonly earliestState: bigint;
  readonly catchingUp: boolean;
  /** Whether it indexes transactions and blocks. */
  readonly indexing: boolean;
  /** `app_state` of the genesis document. */
  readonly appState: JsonObject;
  /** Milliseconds that `broadcast_tx_commit` waits for the block. */
  readonly commitTimeout: number;
  /** Checks a transaction, keeps it and tells the other nodes. Throws `MempoolError`. */
  broadcast(tx: Uint8Array): TxResult;
}

/** A height the caller named, checked as the node does; its newest without one. `latest` may be above the newest block's. */
export function heightOrLatest(view: NodeView, height: bigint | undefined, latest = view.height): bigint {
  if (height === undefined) return latest;
  if (height <= 0n) throw internalError(`height must be greater than 0, but got ${height}`);
  if (height > latest) {
    throw internalError(`height ${height} must be less than or equal to the current blockchain height ${latest}`);
  }
  if (height < view.base) throw internalError(`height ${height} is not available, lowest height is ${view.base}`);
  return height;
}

/** The block at a height that the node has. */
export function blockAt(view: NodeView, height: bigint | undefined): CommittedBlock {
  const at = heightOrLatest(view, height);
  const block = view.ledger.block(at);
  if (block === undefined) throw internalError(`could not find results for height #${at}`);
  return block;
}

/** How many on a page: 30 when nothing or nonsense is asked for, 100 at most. */
export function pageSize(perPage: bigint | undefined): number {
  if (perPage === undefined || perPage < 1n) return 30;
  return perPage > 100n ? 100 : Number(perPage);
}

/** The page of a list, counted from 1; the first without a number. */
export function pageOf<T>(items: readonly T[], page: bigint | undefined, perPage: bigint | undefined): readonly T[] {
  const size = pageSize(perPage);
  const pages = BigInt(Math.max(1, Math.ceil(items.length / size)));
  const number = page ?? 1n;
  if (number < 1n || number > pages) throw internalError(`page should be within [1, ${pages}] range, given ${number}`);
  const start = Number(number - 1n) * size;
  return items.slice(start, start + size);
}

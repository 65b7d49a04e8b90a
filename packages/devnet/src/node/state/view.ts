import { internalError } from '../../../../../src/chain/rpc/rpcErrors.ts';
import type { JsonObject } from '../../../../../src/chain/wire/json.ts';
import type { Application, CheckState, Lie, TxResult } from '../../abci/abci.ts';
import type { EventBus } from '../ledger/events.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { CommittedBlock } from '../ledger/types.ts';
import type { Mempool } from './mempool.ts';

/** The chain as seen by the routes of one node, up to the node's height. */
export interface NodeView {
  readonly ledger: Ledger;
  readonly application: Application;
  readonly mempool: Mempool;
  readonly checkState: CheckState;
  readonly bus: EventBus;
  /** Name of the node. */
  readonly moniker: string;
  readonly nodeId: string;
  /** The chain id that it reports. */
  readonly chainId: string;
  readonly rpcAddress: string;
  /** Height of its newest block. Below that of the chain if it lags. */
  readonly height: bigint;
  /** Height of its oldest block. */
  readonly base: bigint;
  /** The oldest height with a kept state. */
  readonly earliestState: bigint;
  readonly catchingUp: boolean;
  /** Whether it indexes transactions and blocks. */
  readonly indexing: boolean;
  /** The lie of the node's application. */
  readonly lie: Lie | undefined;
  /** `app_state` of the genesis document. */
  readonly appState: JsonObject;
  /** Timeout of `broadcast_tx_commit` in milliseconds. */
  readonly commitTimeout: number;
  /** Checks a transaction, adds it to the mempool and gossips it. Throws a `MempoolError`. */
  broadcast(tx: Uint8Array): TxResult;
}

/** Checks a height as a node does. Returns `latest` if none is given, which can be above the newest block. */
export function heightOrLatest(view: NodeView, height: bigint | undefined, latest = view.height): bigint {
  if (height === undefined) return latest;
  if (height <= 0n) throw internalError(`height must be greater than 0, but got ${height}`);
  if (height > latest) {
    throw internalError(`height ${height} must be less than or equal to the current blockchain height ${latest}`);
  }
  if (height < view.base) throw internalError(`height ${height} is not available, lowest height is ${view.base}`);
  return height;
}

/** Returns the block at a height, by default the newest. Throws the node's error if the node lacks it. */
export function blockAt(view: NodeView, height: bigint | undefined): CommittedBlock {
  const at = heightOrLatest(view, height);
  const block = view.ledger.block(at);
  if (block === undefined) throw internalError(`could not find results for height #${at}`);
  return block;
}

/** Returns the size of a page: 30 if absent or below 1, at most 100. */
export function pageSize(perPage: bigint | undefined): number {
  if (perPage === undefined || perPage < 1n) return 30;
  return perPage > 100n ? 100 : Number(perPage);
}

/** Returns a page of a list. Pages are numbered from 1, which is the default. */
export function pageOf<T>(items: readonly T[], page: bigint | undefined, perPage: bigint | undefined): readonly T[] {
  const size = pageSize(perPage);
  const pages = BigInt(Math.max(1, Math.ceil(items.length / size)));
  const number = page ?? 1n;
  if (number < 1n || number > pages) throw internalError(`page should be within [1, ${pages}] range, given ${number}`);
  const start = Number(number - 1n) * size;
  return items.slice(start, start + size);
}

import type { Arguments } from '../../../../../src/chain/rpc/methods.ts';
import { internalError } from '../../../../../src/chain/rpc/rpcErrors.ts';
import type { JsonObject, JsonValue } from '../../../../../src/chain/wire/json.ts';
import { sha256 } from '../../../../../src/chain/wire/merkle.ts';
import type { TxResult } from '../../abci/abci.ts';
import { encodeTx, encodeTxResult, hex } from '../ledger/encode.ts';
import { SubscriptionError } from '../ledger/events.ts';
import type { CommittedTx } from '../ledger/types.ts';
import { MempoolError } from '../state/mempool.ts';
import { createSearch, inOrder } from '../state/search.ts';
import { blocksOf, findTxs, txOf } from '../state/txIndex.ts';
import { type NodeView, pageOf, pageSize } from '../state/view.ts';
import { encodeBlockResult } from './blockRoutes.ts';
import type { RouteTable } from './route.ts';

/** The result in `broadcast_tx_commit` if CheckTx failed. */
const noResult: TxResult = {
  code: 0,
  data: null,
  log: '',
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  events: [],
  codespace: '',
};

/** Encodes the result of `broadcast_tx_sync` and `_async`. Here `data` is hex. */
function encodeBroadcast(tx: Uint8Array, { code, data, log, codespace }: TxResult): JsonObject {
  return { code, data: hex(data ?? new Uint8Array()), log, codespace, hash: hex(sha256(tx)) };
}

function broadcast(view: NodeView, tx: Uint8Array, prefix = ''): TxResult {
  try {
    return view.broadcast(tx);
  } catch (error) {
    if (error instanceof MempoolError) throw internalError(`${prefix}${error.message}`);
    throw error;
  }
}

/**
 * Subscribes, checks the transaction, and waits for the block. Counts as a subscription client of the node, as on a real node.
 */
async function broadcastCommit(view: NodeView, tx: Uint8Array): Promise<JsonValue> {
  const { bus } = view;
  const hash = sha256(tx);
  const client = {};
  let included = () => {};
  let timer: NodeJS.Timeout | undefined;
  const inclusion = new Promise<boolean>((resolve) => {
    included = () => resolve(true);
    timer = setTimeout(() => resolve(false), view.commitTimeout);
  });
  try {
    bus.subscribe(client, `tm.event='Tx' AND tx.hash='${hex(hash)}'`, included);
    const check = broadcast(view, tx, 'error on broadcastTxCommit: ');
    let committed: CommittedTx | undefined;
    if (check.code === 0) {
      if (!(await inclusion)) throw internalError('timed out waiting for tx to be included in a block');
      committed = view.ledger.tx(hash);
    }
    return {
      check_tx: encodeTxResult(check),
      tx_result: encodeTxResult(committed?.result ?? noResult),
      hash: hex(hash),
      height: String(committed?.height ?? 0n),
    };
  } catch (error) {
    if (error instanceof SubscriptionError) throw internalError(error.message);
    throw error;
  } finally {
    clearTimeout(timer);
    bus.remove(client);
  }
}

function unconfirmed(view: NodeView, txs: JsonValue[] | null): JsonObject {
  const { mempool } = view;
  return {
    n_txs: String(txs?.length ?? mempool.txs.length),
    total: String(mempool.txs.length),
    total_bytes: String(mempool.bytes),
    txs,
  };
}

function txHashesAt(view: NodeView, height: bigint): readonly Uint8Array[] {
  return view.ledger.block(height)?.txHashes ?? [];
}

function searchTxs(view: NodeView, args: Arguments): JsonValue {
  const foundTxs = findTxs(view, args.text('query'), args.text('order_by'));
  const page = pageOf(foundTxs, args.optional('page'), args.optional('per_page'));
  const prove = args.flag('prove');
  return {
    txs: page.map((tx) => encodeTx(tx, prove ? txHashesAt(view, tx.height) : undefined)),
    total_count: String(foundTxs.length),
  };
}

function searchBlocks(view: NodeView, args: Arguments): JsonValue {
  if (!view.indexing) throw internalError('block indexing is disabled');
  const search = createSearch(args.text('query'), 'block.height');
  const blocks = [...blocksOf(view)].filter(({ block, result }) => search.finds(block.header.height, result.events));
  const foundBlocks = inOrder(blocks, args.text('order_by'), 'desc');
  const page = pageOf(foundBlocks, args.optional('page'), args.optional('per_page'));
  return { blocks: page.map(encodeBlockResult), total_count: String(foundBlocks.length) };
}

/** The routes of transactions. */
export const txRoutes: RouteTable = {
  check_tx: (view, args) => encodeTxResult(view.checkState.checkTx(args.bytes('tx'))),
  tx(view, args) {
    const tx = txOf(view, args.bytes('hash'));
    return encodeTx(tx, args.flag('prove') ? txHashesAt(view, tx.height) : undefined);
  },
  tx_search: searchTxs,
  block_search: searchBlocks,
  unconfirmed_txs: (view, args) =>
    unconfirmed(
      view,
      view.mempool.txs.slice(0, pageSize(args.optional('limit'))).map((tx) => Buffer.from(tx).toString('base64')),
    ),
  num_unconfirmed_txs: (view) => unconfirmed(view, null),
  broadcast_tx_sync: (view, args) => encodeBroadcast(args.bytes('tx'), broadcast(view, args.bytes('tx'))),
  // Does not wait for CheckTx. Only errors of the mempool itself are returned.
  broadcast_tx_async(view, args) {
    broadcast(view, args.bytes('tx'));
    return encodeBroadcast(args.bytes('tx'), noResult);
  },
  broadcast_tx_commit: (view, args) => broadcastCommit(view, args.bytes('tx')),
  broadcast_evidence(_, args) {
    if (!args.has('evidence')) throw internalError('no evidence was provided');
    // Guess: no rejected evidence is recorded.
    throw internalError('evidence.ValidateBasic failed: invalid duplicate vote evidence');
  },
};

import { internalError } from '../../../../../src/chain/rpc/rpcErrors.ts';
import { hex } from '../ledger/encode.ts';
import type { CommittedBlock, CommittedTx } from '../ledger/types.ts';
import { createSearch, inOrder } from './search.ts';
import type { NodeView } from './view.ts';

/** Yields the blocks of the node, oldest first. */
export function* blocksOf(view: NodeView): Generator<CommittedBlock> {
  for (let height = view.base; height <= view.height; height++) {
    const block = view.ledger.block(height);
    if (block !== undefined) yield block;
  }
}

function requireIndex(view: NodeView): void {
  if (!view.indexing) throw internalError('transaction indexing is disabled');
}

/** Returns a transaction by hash. Throws the errors of the route `tx`. */
export function txOf(view: NodeView, hash: Uint8Array): CommittedTx {
  requireIndex(view);
  const tx = view.ledger.tx(hash);
  if (tx === undefined || tx.height > view.height) throw internalError(`tx (${hex(hash)}) not found`);
  return tx;
}

function matching(view: NodeView, query: string): CommittedTx[] {
  const search = createSearch(query, 'tx.height');
  if (search.hash !== undefined) {
    const tx = view.ledger.tx(Buffer.from(search.hash, 'hex'));
    return tx !== undefined && tx.height <= view.height ? [tx] : [];
  }
  return [...blocksOf(view)].flatMap((block) =>
    view.ledger.txsOf(block).filter(({ height, result }) => search.finds(height, result.events)),
  );
}

/** Returns all transactions that match a query, in this order. Throws the errors of the route `tx_search`. */
export function findTxs(view: NodeView, query: string, order: string): readonly CommittedTx[] {
  requireIndex(view);
  if (Buffer.byteLength(query) > 512) throw internalError('maximum query length exceeded');
  return inOrder(matching(view, query), order, 'asc');
}

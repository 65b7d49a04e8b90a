import { internalError } from '../../../chain/rpc/rpcError.ts';
import { hex } from '../ledger/encode.ts';
import type { CommittedBlock, CommittedTx } from '../ledger/types.ts';
import { createSearch, inOrder } from './search.ts';
import type { NodeView } from './view.ts';

/** Every block that the node has, oldest first. */
export function* blocksOf(view: NodeView): Generator<CommittedBlock> {
  for (let height = view.base; height <= view.height; height++) {
    const block = view.ledger.block(height);
    if (block !== undefined) yield block;
  }
}

function requireIndex(view: NodeView): void {
  if (!view.indexing) throw internalError('transaction indexing is disabled');
}

/** The transaction of a hash. Throws in the words of the route `tx`. */
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

/** All transactions that a query finds, in this order. Throws in the words of the route `tx_search`. */
export function findTxs(view: NodeView, query: string, order: string): readonly CommittedTx[] {
  requireIndex(view);
  if (Buffer.byteLength(query) > 512) throw internalError('maximum query length exceeded');
  return inOrder(matching(view, query), order, 'asc');
}

import type { IndexedTx, NodeIdentity, NodeReader } from '../../abci/abci.ts';
import { encodeBlock } from '../ledger/hashes.ts';
import type { CommittedTx } from '../ledger/types.ts';
import { findTxs, txOf } from './txIndex.ts';
import { blockAt, type NodeView, pageOf } from './view.ts';

/** Returns the identity of a node. */
export function identify(view: NodeView): NodeIdentity {
  return {
    id: view.nodeId,
    network: view.chainId,
    moniker: view.moniker,
    version: '0.38.22',
    listenAddress: 'tcp://127.0.0.1:26656',
    rpcAddress: view.rpcAddress,
    channels: Buffer.from('40202122233038606100', 'hex'),
    protocols: { p2p: 8n, block: 11n, app: view.application.info().appVersion },
    indexing: view.indexing,
  };
}

/** Creates the reads that the application makes of its node. */
export function readNode(view: NodeView): NodeReader {
  const indexed = ({ height, tx, hash, result }: CommittedTx): IndexedTx => {
    const time = view.ledger.block(height)?.block.header.time ?? 0n;
    return { height, time, tx, hash, result };
  };
  return {
    get identity() {
      return identify(view);
    },
    catchingUp: view.catchingUp,
    height: view.height,
    block(height) {
      const { block, blockId } = blockAt(view, height);
      return { height: block.header.height, ...blockId, bytes: encodeBlock(block) };
    },
    validators: view.ledger.validatorsAt(view.height),
    tx: (hash) => indexed(txOf(view, hash)),
    search(query, { page, perPage, order }) {
      const foundTxs = findTxs(view, query, order);
      return { txs: pageOf(foundTxs, page, perPage).map(indexed), total: foundTxs.length };
    },
  };
}

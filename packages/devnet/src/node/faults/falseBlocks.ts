import { sha256 } from '../../../../../src/chain/wire/merkle.ts';
import type { TxResult } from '../../abci/abci.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { CommittedBlock } from '../ledger/types.ts';

/** The blocks of a faulty node, with transactions that the chain does not contain. */
export interface FalseBlocks {
  /** The chain as the node returns it. */
  readonly ledger: Ledger;
  /** Adds a transaction to the next block that the node returns. */
  add(tx: Uint8Array): void;
  /** Returns the block at a height with the added transactions. The node returns this block from now on. */
  show(height: bigint): CommittedBlock | undefined;
}

/** The invented result of an added transaction. */
const inventedResult: TxResult = {
  code: 0,
  data: new Uint8Array(),
  log: '',
  info: '',
  gasWanted: 1_000_000n,
  gasUsed: 100_000n,
  events: [],
  codespace: '',
};

/**
 * Creates the false blocks over the real chain. Their hashes and headers are unchanged, so only a comparison of `data_hash`
 * with the transactions detects them.
 */
export function createFalseBlocks(ledger: Ledger): FalseBlocks {
  const forged = new Map<bigint, CommittedBlock>();
  let added: Uint8Array[] = [];
  const falseOf = (block: CommittedBlock | undefined): CommittedBlock | undefined =>
    block && (forged.get(block.block.header.height) ?? block);

  return {
    ledger: {
      ...ledger,
      get height() {
        return ledger.height;
      },
      get base() {
        return ledger.base;
      },
      block: (height) => falseOf(ledger.block(height)),
      blockByHash: (hash) => falseOf(ledger.blockByHash(hash)),
      tx(hash) {
        const invented = [...forged.values()].flatMap((block) => ledger.txsOf(block));
        return ledger.tx(hash) ?? invented.find((tx) => Buffer.compare(tx.hash, hash) === 0);
      },
    },
    add(tx) {
      added.push(tx);
    },
    show(height) {
      const committed = ledger.block(height);
      if (committed === undefined || added.length === 0) return committed;
      const { block, result, txHashes } = committed;
      const falseBlock = {
        ...committed,
        block: { ...block, txs: [...block.txs, ...added] },
        txHashes: [...txHashes, ...added.map((tx) => sha256(tx))],
        result: { ...result, txResults: [...result.txResults, ...added.map(() => inventedResult)] },
      };
      added = [];
      forged.set(height, falseBlock);
      return falseBlock;
    },
  };
}

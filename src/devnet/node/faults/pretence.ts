import type { TxResult } from '../../abci/abci.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { sha256 } from '../ledger/merkle.ts';
import type { CommittedBlock } from '../ledger/types.ts';

/** Blocks with transactions in them that the chain does not have, as one lying node shows them. */
export interface Pretence {
  /** The chain as the node shows it. */
  readonly ledger: Ledger;
  /** Takes a transaction for the next block that is shown. */
  take(tx: Uint8Array): void;
  /** The block of a height as it is shown from now on, with what was taken until now. */
  show(height: bigint): CommittedBlock | undefined;
}

/** What executing it never gave. */
const pretended: TxResult = {
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
 * Makes it over the true chain. Hash and header of a block stay what they are: the lie would show only to one who compares the
 * header's `data_hash` with the transactions.
 */
export function createPretence(ledger: Ledger): Pretence {
  const forged = new Map<bigint, CommittedBlock>();
  let taken: Uint8Array[] = [];
  const shown = (block: CommittedBlock | undefined): CommittedBlock | undefined =>
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
      block: (height) => shown(ledger.block(height)),
      blockByHash: (hash) => shown(ledger.blockByHash(hash)),
      tx(hash) {
        const lies = [...forged.values()].flatMap((block) => ledger.txsOf(block));
        return ledger.tx(hash) ?? lies.find((tx) => Buffer.compare(tx.hash, hash) === 0);
      },
    },
    take(tx) {
      taken.push(tx);
    },
    show(height) {
      const committed = ledger.block(height);
      if (committed === undefined || taken.length === 0) return committed;
      const { block, result, txHashes } = committed;
      const lie = {
        ...committed,
        block: { ...block, txs: [...block.txs, ...taken] },
        txHashes: [...txHashes, ...taken.map((tx) => sha256(tx))],
        result: { ...result, txResults: [...result.txResults, ...taken.map(() => pretended)] },
      };
      taken = [];
      forged.set(height, lie);
      return lie;
    },
  };
}

import { createHash } from 'node:crypto';
import type { AbciEvent } from '../../packages/devnet/src/abci/abci.ts';
import { createSearch, inOrder } from '../../packages/devnet/src/node/state/search.ts';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import type { ChainRow } from '../recordings/recordings.ts';

/** The index of the recorded chain. */
export interface SearchAnswers {
  /** The result of `tx` without proof; undefined if no recorded block contains the transaction. */
  transaction(hash: Uint8Array): JsonObject | undefined;
  /** The result of a search without proofs; undefined for invalid arguments. */
  search(method: 'tx_search' | 'block_search', params: JsonObject): JsonObject | undefined;
}

interface Found {
  readonly height: bigint;
  readonly hash?: string;
  readonly events: readonly AbciEvent[];
  readonly item: JsonObject;
}

/**
 * Searches chain.json like the node's index. chain.json contains the whole scenario; the recorded searches, which cover the
 * chain up to height 1105, find nothing after it.
 */
export function createSearchAnswers(rows: readonly ChainRow[]): SearchAnswers {
  const blocks: Found[] = [];
  const transactions: Found[] = [];
  for (const { height, block, block_results: results } of rows) {
    blocks.push({
      height: BigInt(height),
      events: (results.finalize_block_events ?? []) as unknown as AbciEvent[],
      item: block,
    });
    const txs = ((block.block.data as JsonObject).txs ?? []) as string[];
    txs.forEach((tx, index) => {
      const result = (results.txs_results as JsonObject[])[index]!;
      const hash = createHash('sha256').update(Buffer.from(tx, 'base64')).digest('hex').toUpperCase();
      const item = { hash, height, index, tx_result: result, tx };
      transactions.push({ height: BigInt(height), hash, events: result.events as unknown as AbciEvent[], item });
    });
  }

  function pageOf(found: readonly Found[], params: JsonObject): JsonValue[] | undefined {
    const perPage = Math.min(100, Number(params.per_page ?? 30));
    const page = Number(params.page ?? 1);
    if (perPage < 1 || page < 1 || page > Math.max(1, Math.ceil(found.length / perPage))) return undefined;
    return found.slice((page - 1) * perPage, page * perPage).map(({ item }) => item);
  }

  return {
    transaction: (bytes) => {
      const hash = Buffer.from(bytes).toString('hex').toUpperCase();
      return transactions.find((each) => each.hash === hash)?.item;
    },
    search(method, params) {
      if (params.prove === true || typeof params.query !== 'string') return undefined;
      const isTx = method === 'tx_search';
      const { hash, finds } = createSearch(params.query, isTx ? 'tx.height' : 'block.height');
      const found = (isTx ? transactions : blocks).filter((each) =>
        hash === undefined ? finds(each.height, each.events) : each.hash === hash,
      );
      const page = pageOf(inOrder(found, String(params.order_by ?? ''), isTx ? 'asc' : 'desc'), params);
      return page && { [isTx ? 'txs' : 'blocks']: page, total_count: String(found.length) };
    },
  };
}

import { asObject, bigintAt, booleanAt, objectAt, textAt } from './decode.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** The newest block of a chain, as far as it has been seen. */
export interface HeadBlock {
  readonly height: bigint;
  /** RFC 3339 with nanoseconds, as the header has it. */
  readonly time: string;
  /** Upper case hex. */
  readonly hash: string;
  /** The hash of the block before it; empty where that is not known. */
  readonly lastHash: string;
  readonly chainId: string;
  /** That of its header: of the state before its transactions. Upper case hex; empty for a first block without one. */
  readonly appHash: string;
  /**
   * The value of the NewBlock event, `{block_id, block, result_finalize_block}`: the shape of the method `block`, and more.
   * Undefined when the height was learnt from `status`.
   */
  readonly block: JsonObject | undefined;
}

/**
 * A newest block that was given up. WITHDRAWN: no honest node has it, and the chain goes on from the block `newest`. RESET: the chain
 * began anew under the same id, so no block that was seen before is of it.
 */
export interface Rewind {
  readonly kind: 'WITHDRAWN' | 'RESET';
  /** The newest block from now on. */
  readonly newest: HeadBlock;
  /** Blocks up to this height stay; those above it may have been false. 0 after a reset. */
  readonly kept: bigint;
}

/** What `status` tells of a node (chain.md 1.6). */
export interface NodeStatus {
  /** Height 0 before the first block. */
  readonly newest: HeadBlock;
  /** The oldest block that it keeps. States may be pruned further. */
  readonly earliestHeight: bigint;
  /** Hash of that block in upper case hex; empty where the node does not report it. */
  readonly earliestHash: string;
  readonly catchingUp: boolean;
  readonly txIndex: boolean;
}

/** The query of the one subscription that heads are learnt from. */
export const newBlockQuery = "tm.event='NewBlock'";

/** Reads the result of `status`. */
export function decodeStatus(result: JsonValue): NodeStatus {
  const status = asObject(result, 'status');
  const node = objectAt(status, 'node_info');
  const sync = objectAt(status, 'sync_info');
  return {
    newest: {
      height: bigintAt(sync, 'latest_block_height'),
      time: textAt(sync, 'latest_block_time'),
      hash: textAt(sync, 'latest_block_hash'),
      lastHash: '',
      chainId: textAt(node, 'network'),
      appHash: textAt(sync, 'latest_app_hash'),
      block: undefined,
    },
    earliestHeight: bigintAt(sync, 'earliest_block_height'),
    earliestHash: textAt(sync, 'earliest_block_hash'),
    catchingUp: booleanAt(sync, 'catching_up'),
    txIndex: textAt(objectAt(node, 'other'), 'tx_index') === 'on',
  };
}

/** Reads the result of a NewBlock event message (chain.md 1.7); undefined when it is an event of another kind. */
export function decodeNewBlock(result: JsonObject): HeadBlock | undefined {
  const data = objectAt(result, 'data');
  if (data.type !== 'tendermint/event/NewBlock') return undefined;
  const value = objectAt(data, 'value');
  const header = objectAt(objectAt(value, 'block'), 'header');
  return {
    height: bigintAt(header, 'height'),
    time: textAt(header, 'time'),
    hash: textAt(objectAt(value, 'block_id'), 'hash'),
    lastHash: header.last_block_id === undefined ? '' : textAt(objectAt(header, 'last_block_id'), 'hash'),
    chainId: textAt(header, 'chain_id'),
    appHash: textAt(header, 'app_hash'),
    block: value,
  };
}

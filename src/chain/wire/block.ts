import { arrayAt, asObject, bigintAt, intAt, malformed, objectAt, textAt } from './decode.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** Identity of a block: upper case hex; empty where the first block has none. */
export interface BlockId {
  readonly hash: string;
  readonly parts: { readonly total: number; readonly hash: string };
}

/** A block header as on the wire: hashes and addresses in upper case hex, time as RFC 3339 text with its nanoseconds. */
export interface Header {
  readonly version: { readonly block: bigint; readonly app: bigint };
  readonly chainId: string;
  readonly height: bigint;
  readonly time: string;
  readonly lastBlockId: BlockId;
  readonly lastCommitHash: string;
  readonly dataHash: string;
  readonly validatorsHash: string;
  readonly nextValidatorsHash: string;
  readonly consensusHash: string;
  readonly appHash: string;
  readonly lastResultsHash: string;
  readonly evidenceHash: string;
  readonly proposerAddress: string;
}

/** A block: its identity, its header and its transactions. `txs` are base64, in block order. */
export interface Block {
  readonly blockId: BlockId;
  readonly header: Header;
  readonly txs: readonly string[];
}

/** Reads the identity of a block. */
export function decodeBlockId(json: JsonObject): BlockId {
  const parts = objectAt(json, 'parts');
  return { hash: textAt(json, 'hash'), parts: { total: intAt(parts, 'total'), hash: textAt(parts, 'hash') } };
}

/** Reads a header (chain.md 1.6). */
export function decodeHeader(json: JsonObject): Header {
  const version = objectAt(json, 'version');
  return {
    version: { block: bigintAt(version, 'block'), app: bigintAt(version, 'app') },
    chainId: textAt(json, 'chain_id'),
    height: bigintAt(json, 'height'),
    time: textAt(json, 'time'),
    lastBlockId: decodeBlockId(objectAt(json, 'last_block_id')),
    lastCommitHash: textAt(json, 'last_commit_hash'),
    dataHash: textAt(json, 'data_hash'),
    validatorsHash: textAt(json, 'validators_hash'),
    nextValidatorsHash: textAt(json, 'next_validators_hash'),
    consensusHash: textAt(json, 'consensus_hash'),
    appHash: textAt(json, 'app_hash'),
    lastResultsHash: textAt(json, 'last_results_hash'),
    evidenceHash: textAt(json, 'evidence_hash'),
    proposerAddress: textAt(json, 'proposer_address'),
  };
}

/** Reads the result of `block`, or the same two members of a `NewBlock` event: `{block_id, block}`. */
export function decodeBlock(json: JsonValue): Block {
  const result = asObject(json, 'block');
  const block = objectAt(result, 'block');
  return {
    blockId: decodeBlockId(objectAt(result, 'block_id')),
    header: decodeHeader(objectAt(block, 'header')),
    txs: arrayAt(objectAt(block, 'data'), 'txs').map((tx) => {
      if (typeof tx !== 'string') throw malformed('a transaction is not base64');
      return tx;
    }),
  };
}

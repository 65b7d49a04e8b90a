import { arrayAt, asObject, bigintAt, intAt, malformed, objectAt, textAt } from './decode.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** Identity of a block: upper case hex. Empty for the predecessor of the first block. */
export interface BlockId {
  readonly hash: string;
  readonly parts: { readonly total: number; readonly hash: string };
}

/** A block header as the node prints it: hashes and addresses in upper case hex, time as RFC 3339 with nanoseconds. */
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

/** A block: identity, header and transactions. `txs` are base64, in block order. */
export interface Block {
  readonly blockId: BlockId;
  readonly header: Header;
  readonly txs: readonly string[];
}

/** Decodes the identity of a block. */
export function decodeBlockId(json: JsonObject): BlockId {
  const parts = objectAt(json, 'parts');
  return { hash: textAt(json, 'hash'), parts: { total: intAt(parts, 'total'), hash: textAt(parts, 'hash') } };
}

/** Decodes a header (docs/chain.md, "Headers, blocks and commits"). */
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

/** Decodes the result of `block`, or the same two members of a `NewBlock` event: `{block_id, block}`. */
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

import { type BlockId, decodeHeader, type Header } from '../../chain/block.ts';
import { arrayAt, asObject, bigintAt, booleanAt, intAt, objectAt, textAt } from '../../chain/decode.ts';
import type { JsonObject, JsonValue } from '../../chain/json.ts';

/** What one validator said of a block. Of an absent one nothing but the flag is known. `signature` is base64. */
export interface CommitSig {
  /** Number of the protobuf enum `BlockIDFlag`. */
  readonly flag: number;
  readonly validatorAddress: string | null;
  readonly timestamp: string | null;
  readonly signature: string | null;
}

/** The signatures that committed a block, in the order of its validator set. */
export interface Commit {
  readonly height: bigint;
  readonly round: number;
  readonly blockId: BlockId;
  readonly signatures: readonly CommitSig[];
}

/** A header with the commit that signed it. */
export interface SignedHeader {
  readonly header: Header;
  readonly commit: Commit;
  readonly canonical: boolean;
}

/** Evidence of misbehaviour, in the node's JSON. */
export interface Evidence {
  readonly type: string;
  readonly value: JsonObject;
}

/** What a block carries besides its header and transactions. */
export interface BlockExtras {
  readonly evidence: readonly Evidence[];
  /** null in the first block. */
  readonly lastCommit: Commit | null;
}

/** Reads the identity of a block. */
export function decodeBlockId(json: JsonObject): BlockId {
  const parts = objectAt(json, 'parts');
  return { hash: textAt(json, 'hash'), parts: { total: intAt(parts, 'total'), hash: textAt(parts, 'hash') } };
}

function decodeSignature(json: JsonObject): CommitSig {
  const validatorAddress = textAt(json, 'validator_address');
  const absent = validatorAddress === '';
  return {
    flag: intAt(json, 'block_id_flag'),
    validatorAddress: absent ? null : validatorAddress,
    timestamp: absent ? null : textAt(json, 'timestamp'),
    signature: absent ? null : textAt(json, 'signature'),
  };
}

function decodeCommit(json: JsonObject): Commit {
  return {
    height: bigintAt(json, 'height'),
    round: intAt(json, 'round'),
    blockId: decodeBlockId(objectAt(json, 'block_id')),
    signatures: arrayAt(json, 'signatures').map((signature) => decodeSignature(asObject(signature, 'signature'))),
  };
}

/** Reads the result of `commit` (chain.md 1.6). */
export function decodeSignedHeader(json: JsonValue): SignedHeader {
  const result = asObject(json, 'commit');
  const signed = objectAt(result, 'signed_header');
  return {
    header: decodeHeader(objectAt(signed, 'header')),
    commit: decodeCommit(objectAt(signed, 'commit')),
    canonical: booleanAt(result, 'canonical'),
  };
}

/** Reads evidence and last commit of the result of `block`. The first block's last commit is of height 0: there is none. */
export function decodeBlockExtras(json: JsonValue): BlockExtras {
  const block = objectAt(asObject(json, 'block'), 'block');
  const lastCommit = decodeCommit(objectAt(block, 'last_commit'));
  return {
    evidence: arrayAt(objectAt(block, 'evidence'), 'evidence').map((item) => {
      const evidence = asObject(item, 'evidence');
      return { type: textAt(evidence, 'type'), value: objectAt(evidence, 'value') };
    }),
    lastCommit: lastCommit.height === 0n ? null : lastCommit,
  };
}

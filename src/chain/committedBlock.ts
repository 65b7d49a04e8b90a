import { createHash } from 'node:crypto';
import { type Block, type BlockId, decodeBlock, decodeBlockId } from './block.ts';
import { arrayAt, asObject, bigintAt, bytesAt, intAt, malformed, objectAt, textAt } from './decode.ts';
import type { JsonObject, JsonValue } from './json.ts';
import {
  type ConsensusParamUpdates,
  decodeEvent,
  decodeExec,
  decodeParamUpdates,
  decodeValidatorUpdate,
  type Event,
  type TxExec,
  type ValidatorUpdate,
} from './results.ts';

/** What one validator said of a block. Of an absent one nothing but the flag is known. `signature` is base64. */
export interface CommitSig {
  /** Number of the protobuf enum `BlockIDFlag`: 1 absent, 2 commit, 3 nil. */
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

/** Evidence of misbehaviour, in the node's JSON. */
export interface Evidence {
  readonly type: string;
  readonly value: JsonValue;
}

/** A transaction in its block. `hash` in upper case hex, `tx` base64, `index` its place from 0. */
export interface CommittedTx {
  readonly hash: string;
  readonly index: number;
  readonly tx: string;
  readonly result: TxExec;
}

/**
 * A block with everything that executing it gave: one value, whether it was told by a `NewBlock` event or read by `block` and
 * `block_results`. It never changes.
 */
export interface CommittedBlock extends Block {
  /** Those of `txs` with what they gave, in the same order. */
  readonly transactions: readonly CommittedTx[];
  readonly evidence: readonly Evidence[];
  /** The commit of the block before; null in the first block. */
  readonly lastCommit: Commit | null;
  /** The block's own: of its beginning and end, not of its transactions. */
  readonly events: readonly Event[];
  readonly validatorUpdates: readonly ValidatorUpdate[];
  /** null when the application gave none. */
  readonly consensusParamUpdates: ConsensusParamUpdates | null;
  /** Upper case hex: of the state after this block, which the next block's header repeats. */
  readonly appHash: string;
}

function decodeSignature(json: JsonValue): CommitSig {
  const signature = asObject(json, 'signature');
  const validatorAddress = textAt(signature, 'validator_address');
  const absent = validatorAddress === '';
  return {
    flag: intAt(signature, 'block_id_flag'),
    validatorAddress: absent ? null : validatorAddress,
    timestamp: absent ? null : textAt(signature, 'timestamp'),
    signature: absent ? null : textAt(signature, 'signature'),
  };
}

/** Reads a commit (chain.md 1.6). */
export function decodeCommit(json: JsonObject): Commit {
  return {
    height: bigintAt(json, 'height'),
    round: intAt(json, 'round'),
    blockId: decodeBlockId(objectAt(json, 'block_id')),
    signatures: arrayAt(json, 'signatures').map(decodeSignature),
  };
}

/** Reads the commit in a block; null in the first one, whose commit is of height 0. */
function decodeLastCommit(block: JsonObject): Commit | null {
  if (block.last_commit === null || block.last_commit === undefined) return null;
  const commit = decodeCommit(objectAt(block, 'last_commit'));
  return commit.height === 0n ? null : commit;
}

/** The hash of a transaction: SHA-256 of its bytes, in upper case hex. `tx` is base64. */
export function hashTx(tx: string): string {
  return createHash('sha256').update(tx, 'base64').digest('hex').toUpperCase();
}

/** What executing a block gave, under the names of the wire that its two ways share. */
interface Executed {
  readonly txs: readonly JsonValue[];
  readonly events: readonly JsonValue[];
  readonly rest: JsonObject;
}

function assemble(json: JsonValue, { txs, events, rest }: Executed): CommittedBlock {
  const base = decodeBlock(json);
  const block = objectAt(asObject(json, 'block'), 'block');
  const { height } = base.header;
  if (txs.length !== base.txs.length) throw malformed(`block ${height} has not one result for each transaction`);
  const params = rest.consensus_param_updates;
  return {
    ...base,
    transactions: base.txs.map((tx, index) => ({ hash: hashTx(tx), index, tx, result: decodeExec(txs[index] ?? null) })),
    evidence: arrayAt(objectAt(block, 'evidence'), 'evidence').map((item) => {
      const { type, value = null } = asObject(item, 'evidence');
      return { type: typeof type === 'string' ? type : '', value };
    }),
    lastCommit: decodeLastCommit(block),
    events: events.map(decodeEvent),
    validatorUpdates: arrayAt(rest, 'validator_updates').map(decodeValidatorUpdate),
    consensusParamUpdates:
      params === null || params === undefined ? null : decodeParamUpdates(asObject(params, 'consensus_param_updates')),
    appHash: Buffer.from(bytesAt(rest, 'app_hash') ?? [])
      .toString('hex')
      .toUpperCase(),
  };
}

/** Reads the value of a `NewBlock` event: `{block_id, block, result_finalize_block}`. */
export function decodeNewBlockValue(value: JsonObject): CommittedBlock {
  const rest = objectAt(value, 'result_finalize_block');
  return assemble(value, { txs: arrayAt(rest, 'tx_results'), events: arrayAt(rest, 'events'), rest });
}

/** Reads the results of `block` and `block_results` of one height. */
export function decodeCommittedBlock(block: JsonValue, results: JsonValue): CommittedBlock {
  const rest = asObject(results, 'block_results');
  const committed = assemble(block, {
    txs: arrayAt(rest, 'txs_results'),
    events: arrayAt(rest, 'finalize_block_events'),
    rest,
  });
  const { height } = committed.header;
  if (bigintAt(rest, 'height') !== height) throw malformed(`results of another height than block ${height}`);
  return committed;
}

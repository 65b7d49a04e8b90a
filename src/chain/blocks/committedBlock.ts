import { createHash } from 'node:crypto';
import type { Event, TxExec } from '../base/execution.ts';
import {
  type Block,
  type BlockId,
  type ConsensusParamUpdates,
  decodeBlock,
  decodeBlockId,
  decodeEvent,
  decodeExec,
  decodeParamUpdates,
  decodeValidatorUpdate,
  type ValidatorUpdate,
} from '../wire/block.ts';
import {
  arrayAt,
  asObject,
  bigintAt,
  bytesAt,
  intAt,
  type JsonObject,
  type JsonValue,
  malformed,
  objectAt,
  textAt,
} from '../wire/json.ts';

/** The vote of a validator for a block. For an absent validator only the flag is set. `signature` is base64. */
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

/** Evidence of misbehaviour, as the node's JSON. */
export interface Evidence {
  readonly type: string;
  readonly value: JsonValue;
}

/** A transaction in its block: `hash` in upper case hex, `tx` in base64, `index` counted from 0. */
export interface CommittedTx {
  readonly hash: string;
  readonly index: number;
  readonly tx: string;
  readonly result: TxExec;
}

/**
 * A block with the results of its execution. It is the same value whether it comes from a `NewBlock` event or from `block` and
 * `block_results`. It never changes.
 */
export interface CommittedBlock extends WholeBlock, BlockOutcome {
  /** The transactions of `txs` with their results, in the same order. */
  readonly transactions: readonly CommittedTx[];
}

/** A block without the results of its execution. */
export interface WholeBlock extends Block {
  readonly evidence: readonly Evidence[];
  /** The commit of the previous block; null in the first block. */
  readonly lastCommit: Commit | null;
}

/** The results of a block other than those of its transactions. */
export interface BlockOutcome {
  /** Events of the block's beginning and end, without those of its transactions. */
  readonly events: readonly Event[];
  readonly validatorUpdates: readonly ValidatorUpdate[];
  /** Null if the block did not change any. */
  readonly consensusParamUpdates: ConsensusParamUpdates | null;
  /** The app hash after this block, in upper case hex. The next block's header repeats it. */
  readonly appHash: string;
}

/** The result of `block_results`. */
export interface BlockResults {
  readonly height: bigint;
  readonly txs: readonly TxExec[];
  readonly outcome: BlockOutcome;
}

/** Decodes a commit (docs/chain.md, "Headers, blocks and commits"). */
export function decodeCommit(json: JsonObject): Commit {
  const signatures: CommitSig[] = [];
  for (const item of arrayAt(json, 'signatures')) {
    const sig = asObject(item, 'signature');
    const validatorAddress = textAt(sig, 'validator_address');
    const isAbsent = validatorAddress === '';
    signatures.push({
      flag: intAt(sig, 'block_id_flag'),
      validatorAddress: isAbsent ? null : validatorAddress,
      timestamp: isAbsent ? null : textAt(sig, 'timestamp'),
      signature: isAbsent ? null : textAt(sig, 'signature'),
    });
  }
  return {
    height: bigintAt(json, 'height'),
    round: intAt(json, 'round'),
    blockId: decodeBlockId(objectAt(json, 'block_id')),
    signatures,
  };
}

/** The hash of a transaction: SHA-256 of its bytes, in upper case hex. `tx` is base64. */
export function hashTx(tx: string): string {
  return createHash('sha256').update(tx, 'base64').digest('hex').toUpperCase();
}

/** Decodes the result of `block`, or the same two members of a `NewBlock` event: `{block_id, block}`. */
export function decodeWholeBlock(json: JsonValue): WholeBlock {
  const block = objectAt(asObject(json, 'block'), 'block');
  const lastCommit = block.last_commit == null ? null : decodeCommit(objectAt(block, 'last_commit'));
  return {
    ...decodeBlock(json),
    evidence: arrayAt(objectAt(block, 'evidence'), 'evidence').map((item) => {
      const { type, value = null } = asObject(item, 'evidence');
      return { type: typeof type === 'string' ? type : '', value };
    }),
    // That of the first block has height 0.
    lastCommit: lastCommit?.height === 0n ? null : lastCommit,
  };
}

function decodeOutcome(json: JsonObject, events: readonly JsonValue[]): BlockOutcome {
  const params = json.consensus_param_updates;
  return {
    events: events.map(decodeEvent),
    validatorUpdates: arrayAt(json, 'validator_updates').map(decodeValidatorUpdate),
    consensusParamUpdates:
      params === null || params === undefined ? null : decodeParamUpdates(asObject(params, 'consensus_param_updates')),
    appHash: Buffer.from(bytesAt(json, 'app_hash') ?? [])
      .toString('hex')
      .toUpperCase(),
  };
}

/** Decodes the result of `block_results` (docs/chain.md, "Block results"). */
export function decodeBlockResults(json: JsonValue): BlockResults {
  const results = asObject(json, 'block_results');
  return {
    height: bigintAt(results, 'height'),
    txs: arrayAt(results, 'txs_results').map(decodeExec),
    outcome: decodeOutcome(results, arrayAt(results, 'finalize_block_events')),
  };
}

/**
 * Joins a block with its results. Throws NODE_INVALID_RESPONSE unless both have the same height and each transaction has a
 * result.
 */
export function joinResults(block: WholeBlock, { height, txs, outcome }: BlockResults): CommittedBlock {
  if (block.header.height !== height) throw malformed(`results of block ${height} for block ${block.header.height}`);
  const transactions: CommittedTx[] = [];
  for (const [index, tx] of block.txs.entries()) {
    const result = txs[index];
    if (result !== undefined) transactions.push({ hash: hashTx(tx), index, tx, result });
  }
  if (txs.length !== transactions.length || txs.length !== block.txs.length) {
    throw malformed(`the results of block ${height} do not match its transactions`);
  }
  return { ...block, ...outcome, transactions };
}

/** Decodes the value of a `NewBlock` event: `{block_id, block, result_finalize_block}`. */
export function decodeNewBlockValue(value: JsonObject): CommittedBlock {
  const block = decodeWholeBlock(value);
  const results = objectAt(value, 'result_finalize_block');
  return joinResults(block, {
    height: block.header.height,
    txs: arrayAt(results, 'tx_results').map(decodeExec),
    outcome: decodeOutcome(results, arrayAt(results, 'events')),
  });
}

/** Decodes the results of `block` and `block_results` at one height. */
export function decodeCommittedBlock(block: JsonValue, results: JsonValue): CommittedBlock {
  return joinResults(decodeWholeBlock(block), decodeBlockResults(results));
}

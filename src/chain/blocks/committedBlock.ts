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
  type Header,
  type KeyType,
  keyTypes,
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
interface WholeBlock extends Block {
  readonly evidence: readonly Evidence[];
  /** The commit of the previous block; null in the first block. */
  readonly lastCommit: Commit | null;
}

/** The results of a block other than those of its transactions. */
interface BlockOutcome {
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

/** JSON of blocks and their results in the node's format and member order (docs/chain.md, "Results of the node RPC"). */

/** Omits members that are undefined, as Go omits zero values. */
function sparse(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** Encodes a 64-bit integer. undefined for 0. */
function unlessZero(value: bigint): string | undefined {
  return value === 0n ? undefined : value.toString();
}

/** Encodes the id of a block. An empty hash stands for no block. */
export function encodeBlockId({ hash, parts }: BlockId): JsonObject {
  return { hash, parts: { total: parts.total, hash: parts.hash } };
}

/** Encodes a header. The version of the application is omitted if it is 0. */
export function encodeHeader(header: Header): JsonObject {
  return {
    version: sparse({ block: header.version.block.toString(), app: unlessZero(header.version.app) }),
    chain_id: header.chainId,
    height: header.height.toString(),
    time: header.time,
    last_block_id: encodeBlockId(header.lastBlockId),
    last_commit_hash: header.lastCommitHash,
    data_hash: header.dataHash,
    validators_hash: header.validatorsHash,
    next_validators_hash: header.nextValidatorsHash,
    consensus_hash: header.consensusHash,
    app_hash: header.appHash,
    last_results_hash: header.lastResultsHash,
    evidence_hash: header.evidenceHash,
    proposer_address: header.proposerAddress,
  };
}

const noCommit: JsonObject = {
  height: '0',
  round: 0,
  block_id: { hash: '', parts: { total: 0, hash: '' } },
  signatures: [],
};

/** Go's zero time. */
const noTime = '0001-01-01T00:00:00Z';

function encodeSignature({ flag, validatorAddress, timestamp, signature }: CommitSig): JsonObject {
  return {
    block_id_flag: flag,
    validator_address: validatorAddress ?? '',
    timestamp: timestamp ?? noTime,
    signature: signature === '' ? null : signature,
  };
}

/** Encodes a commit. null is the commit in the first block, which has none. */
export function encodeCommit(commit: Commit | null): JsonObject {
  if (commit === null) return noCommit;
  return {
    height: commit.height.toString(),
    round: commit.round,
    block_id: encodeBlockId(commit.blockId),
    signatures: commit.signatures.map(encodeSignature),
  };
}

/** Encodes the member `block` of the result of `block` and of a NewBlock event. */
export function encodeBlock({ header, txs, evidence, lastCommit }: WholeBlock): JsonObject {
  return {
    header: encodeHeader(header),
    data: { txs: [...txs] },
    evidence: { evidence: evidence.map(({ type, value }) => ({ type, value })) },
    last_commit: encodeCommit(lastCommit),
  };
}

/** Encodes events. The member `attributes` is omitted if it is empty: a guess from the struct tags of the Go type. */
export function encodeEvents(events: readonly Event[]): JsonObject[] {
  return events.map(({ type, attributes }) =>
    attributes.length === 0
      ? { type }
      : { type, attributes: attributes.map(({ key, value, index }) => ({ key, value, index })) },
  );
}

/** Encodes the result of a transaction with every member, as most results contain it. */
export function encodeExec(result: TxExec): JsonObject {
  return {
    code: result.code,
    data: result.data,
    log: result.log,
    info: result.info,
    gas_wanted: result.gasWanted.toString(),
    gas_used: result.gasUsed.toString(),
    events: encodeEvents(result.events),
    codespace: result.codespace,
  };
}

/**
 * Encodes the result of a transaction as in a Tx event, without members that are zero or empty
 * (docs/chain.md, "JSON of the node RPC").
 */
export function encodeExecSparsely(result: TxExec): JsonObject {
  return sparse({
    code: result.code === 0 ? undefined : result.code,
    data: result.data ?? undefined,
    log: result.log === '' ? undefined : result.log,
    info: result.info === '' ? undefined : result.info,
    gas_wanted: unlessZero(result.gasWanted),
    gas_used: unlessZero(result.gasUsed),
    events: result.events.length === 0 ? undefined : encodeEvents(result.events),
    codespace: result.codespace === '' ? undefined : result.codespace,
  });
}

/** Encodes consensus parameters. Groups that are null and members that are zero are omitted. */
export function encodeParamUpdates(updates: ConsensusParamUpdates): JsonObject {
  const { block, evidence, validator, version, abci, authority } = updates;
  return sparse({
    block: block === null ? undefined : sparse({ max_bytes: unlessZero(block.maxBytes), max_gas: unlessZero(block.maxGas) }),
    evidence:
      evidence === null
        ? undefined
        : sparse({
            max_age_num_blocks: unlessZero(evidence.maxAgeNumBlocks),
            // Present even if it is 0: a guess from the struct tags of the Go type.
            max_age_duration: evidence.maxAgeDuration.toString(),
            max_bytes: unlessZero(evidence.maxBytes),
          }),
    validator:
      validator === null
        ? undefined
        : sparse({ pub_key_types: validator.pubKeyTypes.length === 0 ? undefined : [...validator.pubKeyTypes] }),
    version: version === null ? undefined : sparse({ app: unlessZero(version.app) }),
    abci: abci === null ? undefined : sparse({ vote_extensions_enable_height: unlessZero(abci.voteExtensionsEnableHeight) }),
    authority: authority === null ? undefined : sparse({ authority: authority === '' ? undefined : authority }),
  });
}

/** The names of a key type. Guess: the member of an unknown one is the end of its Go name in lower case, as for the known ones. */
function namesOf(type: string): Omit<KeyType, 'amino'> {
  return keyTypes.find(({ amino }) => amino === type) ?? { go: type, member: type.slice(type.indexOf('_') + 1).toLowerCase() };
}

/** Encodes a change of the validator set as in `block_results`. The power is omitted if it is 0. */
export function encodeValidatorUpdate({ publicKey: { type, value }, power }: ValidatorUpdate): JsonObject {
  const { go, member } = namesOf(type);
  return sparse({
    pub_key: { Sum: { type: go, value: { [member]: value } } },
    power: unlessZero(power),
  });
}

import type { Event, TxExec } from '../base/execution.ts';
import {
  arrayAt,
  asObject,
  bigintAt,
  booleanAt,
  intAt,
  type JsonObject,
  type JsonValue,
  malformed,
  objectAt,
  textAt,
} from './json.ts';

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

/** The texts of an array. Throws with `fault` if one is none. */
function textsAt(object: JsonObject, name: string, fault: string): readonly string[] {
  const texts: string[] = [];
  for (const item of arrayAt(object, name)) {
    if (typeof item !== 'string') throw malformed(fault);
    texts.push(item);
  }
  return texts;
}

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
  const txs = textsAt(objectAt(block, 'data'), 'txs', 'a transaction is not base64');
  return { blockId: decodeBlockId(objectAt(result, 'block_id')), header: decodeHeader(objectAt(block, 'header')), txs };
}

/** The newest known block of a chain. */
export interface HeadBlock {
  readonly height: bigint;
  /** RFC 3339 with nanoseconds, as in the header. */
  readonly time: string;
  /** Upper case hex. */
  readonly hash: string;
  /** The hash of the previous block; empty if unknown. */
  readonly lastHash: string;
  readonly chainId: string;
  /** The app hash in its header, which is the state before its transactions. Upper case hex; empty for a first block without one. */
  readonly appHash: string;
  /**
   * The value of the NewBlock event: `{block_id, block, result_finalize_block}`, a superset of the result of `block`. Undefined
   * if the block was read from `status`.
   */
  readonly block: JsonObject | undefined;
}

/**
 * A replacement of the newest block. WITHDRAWN: most nodes do not have the old newest block, and the chain continues from the
 * block `newest`. RESET: the chain restarted under the same id, and no earlier block belongs to it.
 */
export interface Rewind {
  readonly kind: 'WITHDRAWN' | 'RESET';
  readonly newest: HeadBlock;
  /** Blocks up to this height stay valid; those above it may be wrong. 0 after a reset. */
  readonly kept: bigint;
}

/** The status of a node (docs/chain.md, "Node status and peers"). */
export interface NodeStatus {
  /** Its newest block, with height 0 before the first block. */
  readonly newest: HeadBlock;
  /** The oldest block of the node. Its state may be pruned further. */
  readonly earliestHeight: bigint;
  /** Hash of the oldest block in upper case hex; empty if the node does not report it. */
  readonly earliestHash: string;
  readonly catchingUp: boolean;
  readonly txIndex: boolean;
}

export const newBlockQuery = "tm.event='NewBlock'";

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

/** Decodes the result of a NewBlock event message (docs/chain.md, "Event data"). Returns undefined for an event of another kind. */
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

/** A change of the validator set. Power 0 removes the validator. The key's type is its Amino name, its value base64. */
export interface ValidatorUpdate {
  readonly publicKey: { readonly type: string; readonly value: string };
  readonly power: bigint;
}

/** Changes of consensus parameters in a block. A group is null if it did not change. `maxAgeDuration` is in nanoseconds. */
export interface ConsensusParamUpdates {
  readonly block: { readonly maxBytes: bigint; readonly maxGas: bigint } | null;
  readonly evidence: { readonly maxAgeNumBlocks: bigint; readonly maxAgeDuration: bigint; readonly maxBytes: bigint } | null;
  readonly validator: { readonly pubKeyTypes: readonly string[] } | null;
  readonly version: { readonly app: bigint } | null;
  readonly abci: { readonly voteExtensionsEnableHeight: bigint } | null;
  /** The account that may change parameters besides governance; empty if none may. CometBFT before 0.39 has no such parameter. */
  readonly authority: string | null;
}

export function decodeEvent(json: JsonValue): Event {
  const event = asObject(json, 'event');
  const attributes: Event['attributes'][number][] = [];
  for (const item of arrayAt(event, 'attributes')) {
    const attribute = asObject(item, 'attribute');
    attributes.push({ key: textAt(attribute, 'key'), value: textAt(attribute, 'value'), index: booleanAt(attribute, 'index') });
  }
  return { type: textAt(event, 'type'), attributes };
}

/** Decodes the result of executing or checking a transaction. Members that a `Tx` event omits are zero. */
export function decodeExec(json: JsonValue): TxExec {
  const result = asObject(json, 'result of a transaction');
  const data = textAt(result, 'data');
  return {
    code: intAt(result, 'code'),
    codespace: textAt(result, 'codespace'),
    log: textAt(result, 'log'),
    info: textAt(result, 'info'),
    data: data === '' ? null : data,
    gasWanted: bigintAt(result, 'gas_wanted'),
    gasUsed: bigintAt(result, 'gas_used'),
    events: arrayAt(result, 'events').map(decodeEvent),
  };
}

/** Names of a type of public key: of the Go type in a change of the validator set, of its member there, and the Amino name elsewhere. */
export interface KeyType {
  readonly go: string;
  readonly member: string;
  readonly amino: string;
}

/** The key types of CometBFT 0.40 (docs/chain.md, "Keys of validators"). */
export const keyTypes: readonly KeyType[] = [
  { go: 'tendermint.crypto.PublicKey_Ed25519', member: 'ed25519', amino: 'tendermint/PubKeyEd25519' },
  { go: 'tendermint.crypto.PublicKey_Secp256K1', member: 'secp256k1', amino: 'tendermint/PubKeySecp256k1' },
  { go: 'tendermint.crypto.PublicKey_Bls12381', member: 'bls12381', amino: 'cometbft/PubKeyBls12_381' },
  { go: 'tendermint.crypto.PublicKey_Mldsa65', member: 'mldsa65', amino: 'cometbft/PubKeyMlDsa65' },
  { go: 'tendermint.crypto.PublicKey_Secp256K1Eth', member: 'secp256k1eth', amino: 'tendermint/PubKeySecp256k1eth' },
];

/** Decodes a validator update. A key of an unknown type keeps the name of its Go type. */
export function decodeValidatorUpdate(json: JsonValue): ValidatorUpdate {
  const update = asObject(json, 'validator update');
  const sum = objectAt(objectAt(update, 'pub_key'), 'Sum');
  const value = objectAt(sum, 'value');
  const [kind] = Object.keys(value);
  if (kind === undefined) throw malformed('a validator update has no key');
  return {
    publicKey: {
      type: keyTypes.find(({ member }) => member === kind)?.amino ?? textAt(sum, 'type'),
      value: textAt(value, kind),
    },
    power: bigintAt(update, 'power'),
  };
}

function optionalObjectAt(json: JsonObject, name: string): JsonObject | undefined {
  const value = json[name];
  return value === null || value === undefined ? undefined : asObject(value, name);
}

/** Decodes changes of consensus parameters. Omitted members of a group are zero (docs/chain.md, "JSON of the node RPC"). */
export function decodeParamUpdates(json: JsonObject): ConsensusParamUpdates {
  const block = optionalObjectAt(json, 'block');
  const evidence = optionalObjectAt(json, 'evidence');
  const validator = optionalObjectAt(json, 'validator');
  const version = optionalObjectAt(json, 'version');
  const abci = optionalObjectAt(json, 'abci');
  const authority = optionalObjectAt(json, 'authority');
  return {
    block: block ? { maxBytes: bigintAt(block, 'max_bytes'), maxGas: bigintAt(block, 'max_gas') } : null,
    evidence: evidence
      ? {
          maxAgeNumBlocks: bigintAt(evidence, 'max_age_num_blocks'),
          maxAgeDuration: bigintAt(evidence, 'max_age_duration'),
          maxBytes: bigintAt(evidence, 'max_bytes'),
        }
      : null,
    validator: validator ? { pubKeyTypes: textsAt(validator, 'pub_key_types', 'a key type is not text') } : null,
    version: version ? { app: bigintAt(version, 'app') } : null,
    abci: abci ? { voteExtensionsEnableHeight: bigintAt(abci, 'vote_extensions_enable_height') } : null,
    authority: authority ? textAt(authority, 'authority') : null,
  };
}

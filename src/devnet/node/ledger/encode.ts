import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import type { AbciEvent, TxResult } from '../../abci/abci.ts';
import { merkleAunts, merkleRoot, sha256 } from './merkle.ts';
import { formatTime } from './time.ts';
import type { Block, BlockId, Commit, CommittedBlock, CommittedTx, ConsensusParams, Header, Validator } from './types.ts';

/** The JSON of a node's results (chain.md 1.5, 1.6), in the order of members that the recordings have. */

/** Bytes as the node prints hashes and addresses: hex in capitals. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

/** Bytes as the node prints everything else: base64, and null for none at all. */
export function base64(bytes: Uint8Array): string;
export function base64(bytes: Uint8Array | null): string | null;
export function base64(bytes: Uint8Array | null): string | null {
  return bytes === null ? null : Buffer.from(bytes).toString('base64');
}

/** The id of no block. */
export const noBlockId: BlockId = { hash: new Uint8Array(), parts: { total: 0, hash: new Uint8Array() } };

export function encodeBlockId({ hash, parts }: BlockId): JsonObject {
  return { hash: hex(hash), parts: { total: parts.total, hash: hex(parts.hash) } };
}

export function encodeHeader(header: Header): JsonObject {
  const { block, app } = header.version;
  return {
    version: { block: String(block), ...(app !== 0n && { app: String(app) }) },
    chain_id: header.chainId,
    height: String(header.height),
    time: formatTime(header.time),
    last_block_id: encodeBlockId(header.lastBlockId),
    last_commit_hash: hex(header.lastCommitHash),
    data_hash: hex(header.dataHash),
    validators_hash: hex(header.validatorsHash),
    next_validators_hash: hex(header.nextValidatorsHash),
    consensus_hash: hex(header.consensusHash),
    app_hash: hex(header.appHash),
    last_results_hash: hex(header.lastResultsHash),
    evidence_hash: hex(header.evidenceHash),
    proposer_address: hex(header.proposerAddress),
  };
}

export function encodeCommit({ height, round, blockId, signatures }: Commit): JsonObject {
  return {
    height: String(height),
    round,
    block_id: encodeBlockId(blockId),
    signatures: signatures.map(({ flag, validatorAddress, timestamp, signature }) => ({
      block_id_flag: flag,
      validator_address: hex(validatorAddress),
      timestamp: formatTime(timestamp),
      signature: base64(signature),
    })),
  };
}

export function encodeBlock({ header, txs, lastCommit }: Block): JsonObject {
  return {
    header: encodeHeader(header),
    data: { txs: txs.map((tx) => base64(tx)) },
    evidence: { evidence: [] },
    last_commit: encodeCommit(lastCommit),
  };
}

/** `block_meta` of `blockchain`. */
export function encodeBlockMeta({ block, blockId, size }: CommittedBlock): JsonObject {
  return {
    block_id: encodeBlockId(blockId),
    block_size: String(size),
    header: encodeHeader(block.header),
    num_txs: String(block.txs.length),
  };
}

export function encodeEvents(events: readonly AbciEvent[]): JsonValue[] {
  return events.map(({ type, attributes }) => ({
    type,
    attributes: attributes.map(({ key, value, index }) => ({ key, value, index })),
  }));
}

/** ExecTxResult and ResponseCheckTx: every member. */
export function encodeTxResult(result: TxResult): JsonObject {
  return {
    code: result.code,
    data: base64(result.data),
    log: result.log,
    info: result.info,
    gas_wanted: String(result.gasWanted),
    gas_used: String(result.gasUsed),
    events: encodeEvents(result.events),
    codespace: result.codespace,
  };
}

/** The result as the Tx event prints it: members that are zero or empty are left out (chain.md 1.5). */
export function encodeTxResultSparsely(result: TxResult): JsonObject {
  const { code, data, log, info, gasWanted, gasUsed, events, codespace } = result;
  return {
    ...(code !== 0 && { code }),
    ...(data !== null && data.length > 0 && { data: base64(data) }),
    ...(log !== '' && { log }),
    ...(info !== '' && { info }),
    ...(gasWanted !== 0n && { gas_wanted: String(gasWanted) }),
    ...(gasUsed !== 0n && { gas_used: String(gasUsed) }),
    ...(events.length > 0 && { events: encodeEvents(events) }),
    ...(codespace !== '' && { codespace }),
  };
}

/** What Provenance's application answers in every block: its unchanged parameters. */
export function encodeConsensusParamUpdates(params: ConsensusParams): JsonObject {
  const { block, evidence, validator } = encodeConsensusParams(params);
  return { block, evidence, validator, version: {}, abci: {} };
}

export function encodeConsensusParams({ maxBytes, maxGas, evidence }: ConsensusParams): JsonObject {
  return {
    block: { max_bytes: String(maxBytes), max_gas: String(maxGas) },
    evidence: {
      max_age_num_blocks: String(evidence.maxAgeBlocks),
      max_age_duration: String(evidence.maxAgeDuration),
      max_bytes: String(evidence.maxBytes),
    },
    validator: { pub_key_types: ['ed25519'] },
    version: { app: '0' },
    abci: { vote_extensions_enable_height: '0' },
  };
}

export function encodePublicKey(publicKey: Uint8Array): JsonObject {
  return { type: 'tendermint/PubKeyEd25519', value: base64(publicKey) };
}

export function encodeValidator({ address, publicKey, power }: Validator): JsonObject {
  return { address: hex(address), pub_key: encodePublicKey(publicKey), voting_power: String(power), proposer_priority: '0' };
}

/** The proof that transaction `index` is in a block of these transaction hashes. */
function encodeTxProof(tx: Uint8Array, index: number, hashes: readonly Uint8Array[]): JsonObject {
  return {
    root_hash: hex(merkleRoot(hashes)),
    data: base64(tx),
    proof: {
      total: String(hashes.length),
      index: String(index),
      leaf_hash: base64(sha256(Uint8Array.of(0), sha256(tx))),
      aunts: merkleAunts(hashes, index).map((aunt) => base64(aunt)),
    },
  };
}

/** `tx` and each of `tx_search`. `proveIn`: the hashes of the block's transactions, when a proof is wanted. */
export function encodeTx({ hash, height, index, result, tx }: CommittedTx, proveIn?: readonly Uint8Array[]): JsonObject {
  return {
    hash: hex(hash),
    height: String(height),
    index,
    tx_result: encodeTxResult(result),
    tx: base64(tx),
    ...(proveIn !== undefined && { proof: encodeTxProof(tx, index, proveIn) }),
  };
}

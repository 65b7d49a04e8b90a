import type { JsonObject, JsonValue } from '../../../../../src/chain/wire/json.ts';
import { encodeTxProof } from '../../../../../src/chain/wire/merkle.ts';
import type { AbciEvent, TxResult } from '../../abci/abci.ts';
import { formatTime } from './time.ts';
import type { Block, BlockId, Commit, CommittedBlock, CommittedTx, ConsensusParams, Header, Validator } from './types.ts';

/** JSON of a node's results (docs/chain.md, "Results of the node RPC"), in the recorded order of members. */

/** Encodes hashes and addresses: upper-case hex. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex').toUpperCase();
}

/** Encodes other bytes: base64, and null for null. */
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

/** Encodes ExecTxResult and ResponseCheckTx with every member. */
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

/** Encodes the result in a Tx event, without members that are zero or empty (docs/chain.md, "JSON of the node RPC"). */
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

/** The parameter updates of Provenance's application, which returns its unchanged parameters in every block. */
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

/**
 * Encodes the result of `tx` and each result of `tx_search`. `proveIn` are the transaction hashes of the block, if a proof is
 * requested.
 */
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

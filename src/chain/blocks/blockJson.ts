import type { Event, TxExec } from '../base/execution.ts';
import type { BlockId, ConsensusParamUpdates, Header, ValidatorUpdate } from '../wire/block.ts';
import type { JsonObject, JsonValue } from '../wire/json.ts';
import type { Commit, CommitSig, WholeBlock } from './committedBlock.ts';

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
export function encodeParamUpdates({ block, evidence, validator, version, abci }: ConsensusParamUpdates): JsonObject {
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
  });
}

/**
 * Names of public keys on the wire: of the Go type, and of the protobuf member. Recorded for ed25519; secp256k1 is a guess by
 * analogy.
 */
const keys: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['tendermint/PubKeyEd25519', ['tendermint.crypto.PublicKey_Ed25519', 'ed25519']],
  ['tendermint/PubKeySecp256k1', ['tendermint.crypto.PublicKey_Secp256K1', 'secp256k1']],
]);

/** Encodes a change of the validator set as in `block_results`. The power is omitted if it is 0. */
export function encodeValidatorUpdate({ publicKey: { type, value }, power }: ValidatorUpdate): JsonObject {
  const [name, member] = keys.get(type) ?? [type, type];
  return sparse({
    pub_key: { Sum: { type: name, value: { [member]: value } } },
    power: unlessZero(power),
  });
}

import type { Event, TxExec } from '../../chain/base/execution.ts';
import type { Commit, CommitSig, WholeBlock } from '../../chain/blocks/committedBlock.ts';
import type { BlockId, Header } from '../../chain/wire/block.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { ConsensusParamUpdates, ValidatorUpdate } from '../../chain/wire/results.ts';

/** The JSON of a node for what makes up a block (chain.md 1.5, 1.6), in the order of members that it has there. */

/** Members whose value is there; the others are left out, as Go leaves out what is zero. */
function sparse(members: Readonly<Record<string, JsonValue | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

/** An integer of 64 bits, undefined when it is 0. */
function unlessZero(value: bigint): string | undefined {
  return value === 0n ? undefined : value.toString();
}

/** Identity of a block; the empty one is that of no block. */
export function encodeBlockId({ hash, parts }: BlockId): JsonObject {
  return { hash, parts: { total: parts.total, hash: parts.hash } };
}

/** A header. The version of the application is left out when it is 0. */
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

/** What Go prints for a time that was never set. */
const noTime = '0001-01-01T00:00:00Z';

function encodeSignature({ flag, validatorAddress, timestamp, signature }: CommitSig): JsonObject {
  return {
    block_id_flag: flag,
    validator_address: validatorAddress ?? '',
    timestamp: timestamp ?? noTime,
    signature: signature === '' ? null : signature,
  };
}

/** A commit; null is that of the first block, which has none. */
export function encodeCommit(commit: Commit | null): JsonObject {
  if (commit === null) return noCommit;
  return {
    height: commit.height.toString(),
    round: commit.round,
    block_id: encodeBlockId(commit.blockId),
    signatures: commit.signatures.map(encodeSignature),
  };
}

/** The member `block` of `block` and of a NewBlock event. */
export function encodeBlock({ header, txs, evidence, lastCommit }: WholeBlock): JsonObject {
  return {
    header: encodeHeader(header),
    data: { txs: [...txs] },
    evidence: { evidence: evidence.map(({ type, value }) => ({ type, value })) },
    last_commit: encodeCommit(lastCommit),
  };
}

/** Events. One without attributes has no such member: a guess by the tags of its type. */
export function encodeEvents(events: readonly Event[]): JsonObject[] {
  return events.map(({ type, attributes }) =>
    sparse({
      type,
      attributes: attributes.length === 0 ? undefined : attributes.map(({ key, value, index }) => ({ key, value, index })),
    }),
  );
}

/** A result of a transaction as most answers have it: with every member. */
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

/** A result of a transaction as a Tx event has it: without the members that are zero or empty (chain.md 1.5). */
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

/** Consensus parameters: groups that are null, and members that are zero, are left out. */
export function encodeParamUpdates({ block, evidence, validator, version, abci }: ConsensusParamUpdates): JsonObject {
  return sparse({
    block: block === null ? undefined : sparse({ max_bytes: unlessZero(block.maxBytes), max_gas: unlessZero(block.maxGas) }),
    evidence:
      evidence === null
        ? undefined
        : sparse({
            max_age_num_blocks: unlessZero(evidence.maxAgeNumBlocks),
            // Printed when it is 0 too: a guess by the tags of its type.
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

/** The wire's names of a key: of the type, and of its member in the protobuf. Seen is ed25519; the other is a guess by analogy. */
const keys: ReadonlyMap<string, readonly [string, string]> = new Map([
  ['tendermint/PubKeyEd25519', ['tendermint.crypto.PublicKey_Ed25519', 'ed25519']],
  ['tendermint/PubKeySecp256k1', ['tendermint.crypto.PublicKey_Secp256K1', 'secp256k1']],
]);

/** A change of the validator set as results of blocks have it. The power is left out when it is 0. */
export function encodeValidatorUpdate({ publicKey: { type, value }, power }: ValidatorUpdate): JsonObject {
  const [name, member] = keys.get(type) ?? [type, type];
  return sparse({
    pub_key: { Sum: { type: name, value: { [member]: value } } },
    power: unlessZero(power),
  });
}

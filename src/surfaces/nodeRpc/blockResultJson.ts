import {
  encodeBlock,
  encodeBlockId,
  encodeCommit,
  encodeEvents,
  encodeExec,
  encodeHeader,
  encodeParamUpdates,
  encodeValidatorUpdate,
} from '../../chain/blocks/blockJson.ts';
import type { Commit, CommittedBlock } from '../../chain/blocks/committedBlock.ts';
import type { JsonObject } from '../../chain/wire/json.ts';

/** Encodes an empty list as null, as Go encodes a nil slice. */
function orNull<T>(list: readonly T[]): T[] | null {
  return list.length === 0 ? null : [...list];
}

/** Encodes the result of `block`. */
export function encodeBlockResult(block: CommittedBlock): JsonObject {
  return { block_id: encodeBlockId(block.blockId), block: encodeBlock(block) };
}

/** Encodes the result of `header`. */
export function encodeHeaderResult({ header }: CommittedBlock): JsonObject {
  return { header: encodeHeader(header) };
}

/** Encodes the result of `commit`, from the commit that the next block contains. */
export function encodeSignedHeader({ header }: CommittedBlock, commit: Commit): JsonObject {
  return { signed_header: { header: encodeHeader(header), commit: encodeCommit(commit) }, canonical: true };
}

/** Encodes the result of `block_results`. */
export function encodeBlockResults(block: CommittedBlock): JsonObject {
  const { header, transactions, events, validatorUpdates, consensusParamUpdates, appHash } = block;
  return {
    height: header.height.toString(),
    txs_results: orNull(transactions.map(({ result }) => encodeExec(result))),
    finalize_block_events: orNull(encodeEvents(events)),
    validator_updates: orNull(validatorUpdates.map(encodeValidatorUpdate)),
    consensus_param_updates: consensusParamUpdates && encodeParamUpdates(consensusParamUpdates),
    app_hash: Buffer.from(appHash, 'hex').toString('base64'),
  };
}

import { createHash } from 'node:crypto';
import type { CommittedBlock, CommittedTx } from '../../chain/blocks/committedBlock.ts';
import { type EventMap, flattenKind, flattenTx } from '../../chain/events/eventMaps.ts';
import { stringify } from '../../chain/rpc/goJson.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { ValidatorUpdate } from '../../chain/wire/results.ts';
import {
  encodeBlock,
  encodeBlockId,
  encodeEvents,
  encodeExec,
  encodeExecSparsely,
  encodeHeader,
  encodeParamUpdates,
  encodeValidatorUpdate,
} from './blockJson.ts';

/** Something that a node tells its subscribers of. */
export interface NodeEvent {
  /** The value of `tm.event`. */
  readonly kind: string;
  /** What queries are about. */
  readonly events: EventMap;
  /** Its members `data` and `events`, as JSON without braces: made when first asked for, and the same for everybody. */
  json(): Buffer;
}

/** Makes an event of its data's type, without `tendermint/event/`, and its value. */
export function createNodeEvent(kind: string, type: string, events: EventMap, value: () => JsonValue): NodeEvent {
  let made: Buffer | undefined;
  return {
    kind,
    events,
    json() {
      made ??= Buffer.from(
        `"data":{"type":"tendermint/event/${type}","value":${stringify(value())}},"events":${stringify(Object.fromEntries([...events].map(([tag, values]) => [tag, [...values]])))}`,
      );
      return made;
    },
  };
}

/** The value of a NewBlock event (chain.md 1.7): that there are no updates of validators is an empty list, where `block_results` has null. */
function newBlock(block: CommittedBlock): JsonObject {
  const { blockId, events, transactions, validatorUpdates, consensusParamUpdates, appHash } = block;
  return {
    block: encodeBlock(block),
    block_id: encodeBlockId(blockId),
    result_finalize_block: {
      ...(events.length > 0 && { events: encodeEvents(events) }),
      ...(transactions.length > 0 && { tx_results: transactions.map(({ result }) => encodeExec(result)) }),
      validator_updates: validatorUpdates.map(encodeValidatorUpdate),
      ...(consensusParamUpdates !== null && { consensus_param_updates: encodeParamUpdates(consensusParamUpdates) }),
      ...(appHash !== '' && { app_hash: Buffer.from(appHash, 'hex').toString('base64') }),
    },
  };
}

function txResult({ header }: CommittedBlock, { index, tx, result }: CommittedTx): JsonObject {
  return {
    TxResult: {
      height: header.height.toString(),
      ...(index > 0 && { index }),
      tx,
      result: encodeExecSparsely(result),
    },
  };
}

/** The address of a validator by its key: of ed25519 the first 20 bytes of its SHA-256, of secp256k1 as Bitcoin has it. */
function addressOf({ type, value }: ValidatorUpdate['publicKey']): string {
  const digest = createHash('sha256').update(value, 'base64').digest();
  const address = type === 'tendermint/PubKeySecp256k1' ? createHash('ripemd160').update(digest).digest() : digest;
  return address.subarray(0, 20).toString('hex').toUpperCase();
}

function validatorSetUpdate({ publicKey, power }: ValidatorUpdate): JsonObject {
  return {
    address: addressOf(publicKey),
    pub_key: { type: publicKey.type, value: publicKey.value },
    voting_power: power.toString(),
    proposer_priority: '0',
  };
}

/**
 * Everything that a node tells of one block, in its order. Where evidence stands in it, and what is told of it, is a guess by the
 * node's source: no recorded block has any.
 */
export function eventsOfBlock(block: CommittedBlock): readonly NodeEvent[] {
  const { header, events, evidence, transactions, validatorUpdates } = block;
  const height = header.height.toString();
  const plain = (kind: string, value: () => JsonValue): NodeEvent => createNodeEvent(kind, kind, flattenKind(kind), value);
  return [
    createNodeEvent('NewBlock', 'NewBlock', flattenKind('NewBlock', events), () => newBlock(block)),
    plain('NewBlockHeader', () => ({ header: encodeHeader(header) })),
    createNodeEvent('NewBlockEvents', 'NewBlockEvents', flattenKind('NewBlockEvents', events), () => ({
      height,
      events: events.length === 0 ? null : encodeEvents(events),
      num_txs: transactions.length.toString(),
    })),
    ...evidence.map(({ type, value }) => plain('NewEvidence', () => ({ height, evidence: { type, value } }))),
    ...transactions.map((tx) => createNodeEvent('Tx', 'Tx', flattenTx(block, tx), () => txResult(block, tx))),
    ...(validatorUpdates.length === 0
      ? []
      : [plain('ValidatorSetUpdates', () => ({ validator_updates: validatorUpdates.map(validatorSetUpdate) }))]),
  ];
}

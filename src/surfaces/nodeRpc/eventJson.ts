import { createHash } from 'node:crypto';
import {
  encodeBlock,
  encodeBlockId,
  encodeEvents,
  encodeExec,
  encodeExecSparsely,
  encodeHeader,
  encodeParamUpdates,
  encodeValidatorUpdate,
} from '../../chain/blocks/blockJson.ts';
import type { CommittedBlock, CommittedTx } from '../../chain/blocks/committedBlock.ts';
import { type EventMap, flattenKind, flattenTx } from '../../chain/events/eventQuery.ts';
import { stringify } from '../../chain/rpc/goJson.ts';
import type { JsonObject, JsonValue } from '../../chain/wire/json.ts';
import type { ValidatorUpdate } from '../../chain/wire/results.ts';

/** An event that a node sends to its subscribers. */
export interface NodeEvent {
  /** The value of `tm.event`. */
  readonly kind: string;
  /** The tags that queries match. */
  readonly events: EventMap;
  /**
   * Returns its members `data` and `events` as JSON without braces. Encoded once, on first use, and shared by all subscribers.
   */
  json(): Buffer;
}

/** Creates an event. `type` is the type of its data without the prefix `tendermint/event/`. */
export function createNodeEvent(kind: string, type: string, events: EventMap, value: () => JsonValue): NodeEvent {
  let encoded: Buffer | undefined;
  return {
    kind,
    events,
    json() {
      encoded ??= Buffer.from(
        `"data":{"type":"tendermint/event/${type}","value":${stringify(value())}},"events":${stringify(Object.fromEntries([...events].map(([tag, values]) => [tag, [...values]])))}`,
      );
      return encoded;
    },
  };
}

/**
 * Returns the value of a NewBlock event (docs/chain.md, "Event data"). `validator_updates` without updates is an empty list; in
 * `block_results` it is null.
 */
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

/**
 * Derives the address of a validator from its key: the first 20 bytes of SHA-256 for ed25519, RIPEMD-160 of SHA-256 for
 * secp256k1.
 */
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
 * Returns the events that a node sends for one block, in the node's order. The position and format of NewEvidence is a guess
 * from the node's source, because no recorded block contains evidence.
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

import { stringify } from '../../../../../src/chain/wire/goText.ts';
import type { JsonValue } from '../../../../../src/chain/wire/json.ts';
import {
  base64,
  encodeBlock,
  encodeBlockId,
  encodeConsensusParamUpdates,
  encodeEvents,
  encodeHeader,
  encodeTxResult,
  encodeTxResultSparsely,
  hex,
} from './encode.ts';
import { flattenEvents, type NodeEvent } from './events.ts';
import type { Ledger } from './ledger.ts';
import { formatTime } from './time.ts';
import type { CommittedBlock } from './types.ts';

function createEvent(
  kind: string,
  type: string,
  value: () => JsonValue,
  events = flattenEvents([], { 'tm.event': kind }),
): NodeEvent {
  let text: string | undefined;
  return {
    type: `tendermint/event/${type}`,
    value: () => {
      text ??= stringify(value());
      return text;
    },
    events,
  };
}

/**
 * Returns the events that a node sends for one block, in the recorded order (websocket.json, `any event`): first those of the
 * round, then the block, its transactions, and the start of the next height.
 */
export function eventsOfBlock(committed: CommittedBlock, ledger: Ledger): NodeEvent[] {
  const { block, blockId, result } = committed;
  const { header, txs } = block;
  const height = String(header.height);
  const address = hex(header.proposerAddress);
  const id = encodeBlockId(blockId);

  const state = (kind: string, step: string, at = height) =>
    createEvent(kind, 'RoundState', () => ({ height: at, round: 0, step: `RoundStep${step}` }));
  const vote = (type: 1 | 2) => {
    const timestamp = committed.seenCommit.signatures[0]?.timestamp ?? header.time;
    return createEvent('Vote', 'Vote', () => ({
      Vote: {
        type,
        height,
        round: 0,
        block_id: id,
        timestamp: formatTime(timestamp),
        validator_address: address,
        validator_index: 0,
        signature: base64(ledger.signer.vote(type, { chainId: ledger.chainId, height: header.height, blockId, timestamp })),
        extension: null,
        extension_signature: null,
      },
    }));
  };

  const blockAttributes = flattenEvents(result.events, { 'tm.event': 'NewBlock' });
  return [
    createEvent('NewRound', 'NewRound', () => ({
      height,
      round: 0,
      step: 'RoundStepNewRound',
      proposer: { address, index: 0 },
    })),
    state('NewRoundStep', 'Propose'),
    createEvent('CompleteProposal', 'CompleteProposal', () => ({ height, round: 0, step: 'RoundStepPropose', block_id: id })),
    state('NewRoundStep', 'Prevote'),
    vote(1),
    state('ValidBlock', 'Prevote'),
    state('Polka', 'Prevote'),
    state('Lock', 'Prevote'),
    state('NewRoundStep', 'Precommit'),
    vote(2),
    state('NewRoundStep', 'Commit'),
    createEvent(
      'NewBlock',
      'NewBlock',
      () => ({
        block: encodeBlock(block),
        block_id: id,
        result_finalize_block: {
          ...(result.events.length > 0 && { events: encodeEvents(result.events) }),
          ...(txs.length > 0 && { tx_results: result.txResults.map(encodeTxResult) }),
          validator_updates: [],
          consensus_param_updates: encodeConsensusParamUpdates(ledger.params),
          app_hash: base64(result.appHash),
        },
      }),
      blockAttributes,
    ),
    createEvent('NewBlockHeader', 'NewBlockHeader', () => ({ header: encodeHeader(header) })),
    createEvent(
      'NewBlockEvents',
      'NewBlockEvents',
      () => ({
        height,
        events: result.events.length > 0 ? encodeEvents(result.events) : null,
        num_txs: String(txs.length),
      }),
      flattenEvents(result.events, { 'tm.event': 'NewBlockEvents' }),
    ),
    ...ledger.txsOf(committed).map(({ tx, hash, index, result: txResult }) =>
      createEvent(
        'Tx',
        'Tx',
        () => ({
          TxResult: { height, ...(index > 0 && { index }), tx: base64(tx), result: encodeTxResultSparsely(txResult) },
        }),
        flattenEvents(txResult.events, { 'tm.event': 'Tx', 'tx.hash': hex(hash), 'tx.height': height }),
      ),
    ),
    state('NewRoundStep', 'NewHeight', String(header.height + 1n)),
  ];
}

import type { JsonObject } from '../../../src/chain/wire/json.ts';
import { readRecording } from '../../recordings/recordings.ts';

/** A transfer of the recorded chain, read from its events without Stele's code. */
export interface RecordedTransfer {
  readonly height: string;
  /** Index of its transaction in the block; null for a transfer by the block itself. */
  readonly index: number | null;
  readonly kind: string;
  readonly sender: string | null;
  readonly recipient: string;
  /** The amount as in the event. */
  readonly amount: string;
  readonly administrator: string | null;
  /** The action that the events name for its message. */
  readonly messageType: string | null;
}

type Attributes = Readonly<Record<string, string | undefined>>;
interface PlainEvent {
  readonly type: string;
  readonly of: Attributes;
}

const kinds: Readonly<Record<string, string>> = {
  '/cosmos.bank.v1beta1.MsgSend': 'SEND',
  '/cosmos.bank.v1beta1.MsgMultiSend': 'MULTI_SEND',
  '/provenance.marker.v1.MsgTransferRequest': 'MARKER_TRANSFER',
};

function plain(events: unknown): PlainEvent[] {
  return ((events ?? []) as JsonObject[]).map(({ type, attributes }) => ({
    type: type as string,
    of: Object.fromEntries((attributes as JsonObject[]).map(({ key, value }) => [key, value])) as Attributes,
  }));
}

function transfersOf(events: readonly PlainEvent[], height: string, index: number | null): RecordedTransfer[] {
  const ofMessage = (type: string, place: string | undefined): Attributes | undefined =>
    events.find((event) => event.type === type && event.of.msg_index === place && place !== undefined)?.of;
  return events
    .filter(({ type }) => type === 'transfer')
    .map(({ of }) => {
      const messageType = ofMessage('message', of.msg_index)?.action ?? null;
      const kind = index !== null && messageType === null ? 'FEE' : (kinds[messageType ?? ''] ?? 'OTHER');
      const marker = ofMessage('provenance.marker.v1.EventMarkerTransfer', of.msg_index);
      const administrator = marker === undefined ? null : (JSON.parse(marker.administrator!) as string);
      return {
        height,
        index,
        kind,
        sender: of.sender ?? null,
        recipient: of.recipient!,
        amount: of.amount!,
        administrator,
        messageType,
      };
    });
}

/**
 * All transfers of the recorded chain up to a height, newest first. Transfers by a block itself come last within the block,
 * because they happen at its beginning.
 */
export function recordedTransfers(upTo = 195n): readonly RecordedTransfer[] {
  const all: RecordedTransfer[] = [];
  for (const { height, block_results: results } of readRecording('chain')) {
    if (BigInt(height) > upTo) continue;
    all.push(...transfersOf(plain(results.finalize_block_events), height, null));
    ((results.txs_results ?? []) as JsonObject[]).forEach(({ events }, index) => {
      all.push(...transfersOf(plain(events), height, index));
    });
  }
  return all.reverse();
}

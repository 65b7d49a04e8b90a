import { coinsOfText } from '../bank/query.ts';
import { eventFields } from '../events/events.ts';
import type { EventOrigin, HistoryQuery, NamedHistory } from '../history/matches.ts';
import { denomOfScope } from '../metadata/address.ts';
import type { NetAssetValue } from './query.ts';

/** Events that set net asset values: their type, and the field and attribute that identify the asset. */
interface ValueEvents {
  readonly eventType: string;
  readonly field: 'denom' | 'scopeId';
  readonly attribute: 'denom' | 'scope_id';
}

const markerEvents: ValueEvents = {
  eventType: 'provenance.marker.v1.EventSetNetAssetValue',
  field: 'denom',
  attribute: 'denom',
};
const scopeEvents: ValueEvents = {
  eventType: 'provenance.metadata.v1.EventSetNetAssetValue',
  field: 'scopeId',
  attribute: 'scope_id',
};

type Fields = NonNullable<ReturnType<typeof eventFields>>;

/** The net asset value of `of` from an event; null if the price is not a single coin or the volume is not a number. */
function valueOfEvent(fields: Fields, of: string, { height, transaction }: EventOrigin): NetAssetValue | null {
  const { price: priceText, volume, source } = fields;
  const [price, ...more] = (typeof priceText === 'string' && coinsOfText(priceText)) || [];
  if (price === undefined || more.length > 0 || typeof volume !== 'string' || !/^\d{1,20}$/.test(volume)) return null;
  return {
    of,
    price,
    volume: BigInt(volume),
    updatedBlockHeight: height,
    source: typeof source === 'string' ? source : null,
    transactionHash: transaction?.hash ?? null,
  };
}

function historyQuery(
  { eventType, field, attribute }: ValueEvents,
  id: string,
  of: string,
  priceDenom: string | undefined,
): HistoryQuery<NetAssetValue> {
  const text = JSON.stringify(id);
  return {
    eventType,
    searches: [[{ tag: `${eventType}.${attribute}`, operator: '=', argument: { type: 'string', text } }]],
    exact: priceDenom === undefined,
    includesBlockEvents: true,
    read(event, source) {
      const fields = eventFields(event);
      if (fields?.[field] !== id) return null;
      const value = valueOfEvent(fields, of, source);
      return priceDenom === undefined || value?.price.denom === priceDenom ? value : null;
    },
  };
}

const nameOf = (id: string, priceDenom: string | undefined): string => `netAssetValueHistory/${id}/${priceDenom ?? ''}`;

/** The query for the net asset values of a marker in the order in which they were set; with `priceDenom`, only those in that denom. */
export function markerValues(denom: string, priceDenom: string | undefined): NamedHistory<NetAssetValue> {
  return { name: nameOf(denom, priceDenom), query: historyQuery(markerEvents, denom, denom, priceDenom) };
}

/** The query for the net asset values of a scope; `id` is its bech32 address. */
export function scopeValues(id: string, priceDenom: string | undefined): NamedHistory<NetAssetValue> {
  return { name: nameOf(id, priceDenom), query: historyQuery(scopeEvents, id, denomOfScope(id), priceDenom) };
}

import { coinsOfText } from '../bank/model.ts';
import { eventFields } from '../events/events.ts';
import type { EventOrigin, HistoryQuery, NamedHistory } from '../history/matches.ts';
import { denomOfScope } from '../metadata/address.ts';
import type { NetAssetValue } from './model.ts';

/** The events by which net asset values are set: of which type, and which field names what has the value. */
interface Setting {
  readonly eventType: string;
  readonly field: 'denom' | 'scopeId';
  readonly attribute: 'denom' | 'scope_id';
}

const ofMarkers: Setting = { eventType: 'provenance.marker.v1.EventSetNetAssetValue', field: 'denom', attribute: 'denom' };
const ofScopes: Setting = {
  eventType: 'provenance.metadata.v1.EventSetNetAssetValue',
  field: 'scopeId',
  attribute: 'scope_id',
};

type Fields = NonNullable<ReturnType<typeof eventFields>>;

/** What such an event says of the value of `of`; null where the price is not one coin or the volume no number. */
function settingOf(fields: Fields, of: string, { height, transaction }: EventOrigin): NetAssetValue | null {
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

function settings(
  { eventType, field, attribute }: Setting,
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
      const value = settingOf(fields, of, source);
      return priceDenom === undefined || value?.price.denom === priceDenom ? value : null;
    },
  };
}

const nameOf = (id: string, priceDenom: string | undefined): string => `netAssetValueHistory/${id}/${priceDenom ?? ''}`;

/** Looks for the net asset values of a marker's denom as they were set; in one price denom alone where one is given. */
export function markerValues(denom: string, priceDenom: string | undefined): NamedHistory<NetAssetValue> {
  return { name: nameOf(denom, priceDenom), query: settings(ofMarkers, denom, denom, priceDenom) };
}

/** The same of a scope, by its address. */
export function scopeValues(id: string, priceDenom: string | undefined): NamedHistory<NetAssetValue> {
  return { name: nameOf(id, priceDenom), query: settings(ofScopes, id, denomOfScope(id), priceDenom) };
}

import { pageDefault } from '../../config/bounds.ts';
import { denomInput } from '../../reads/input.ts';
import { pinOf } from '../../reads/pin.ts';
import type { Builder } from '../../schema/builder.ts';
import { liveField } from '../../schema/fieldMarks.ts';
import { addHistoryConnection, historyConnection } from '../history/connection.ts';
import { MarkerRef } from '../marker/refs.ts';
import { ScopeRef } from '../metadata/refs.ts';
import { markerValues, scopeValues } from './history.ts';
import { NetAssetValueConnectionRef, NetAssetValueRef } from './refs.ts';

function priceDenomOf(given: string | null | undefined): string | undefined {
  return given == null ? undefined : denomInput('priceDenom', given);
}

/** Adds the histories of net asset values: of markers and of scopes. */
export function addNetAssetValueHistories(builder: Builder): void {
  const description =
    'derived: net asset values as they were set, newest first, from events; with `priceDenom`, in this one alone.';
  const args = () =>
    builder.args((t) => ({ priceDenom: t.string(), first: t.int({ defaultValue: pageDefault }), after: t.string() }));

  addHistoryConnection(builder, NetAssetValueRef, NetAssetValueConnectionRef, 'net asset values');
  builder.objectField(MarkerRef, 'netAssetValueHistory', (t) =>
    t.field({
      type: NetAssetValueConnectionRef,
      description,
      // The index is written behind the block.
      extensions: liveField,
      args: args(),
      resolve: (marker, { priceDenom: given, ...page }, _context, info) => {
        const priceDenom = priceDenomOf(given);
        return historyConnection(pinOf(marker), markerValues(marker.denom, priceDenom), page, info);
      },
    }),
  );
  builder.objectField(ScopeRef, 'netAssetValueHistory', (t) =>
    t.field({
      type: NetAssetValueConnectionRef,
      description,
      extensions: liveField,
      args: args(),
      resolve: (scope, { priceDenom: given, ...page }, _context, info) => {
        const priceDenom = priceDenomOf(given);
        return historyConnection(pinOf(scope), scopeValues(scope.id, priceDenom), page, info);
      },
    }),
  );
}

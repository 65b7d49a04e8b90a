import { pageDefault } from '../../config/bounds.ts';
import { denomInput } from '../../reads/input.ts';
import { andThen } from '../../reads/loader.ts';
import { pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, liveField } from '../../schema/builder.ts';
import { addHistoryConnection, historyConnection } from '../history/connection.ts';
import { MarkerRef } from '../marker/refs.ts';
import { ScopeRef } from '../metadata/refs.ts';
import { markerValues, scopeValues } from './history.ts';
import { createNetAssetValueLoaders } from './loaders.ts';
import { NetAssetValueConnectionRef, NetAssetValueRef } from './refs.ts';

const latestText = 'The latest net asset value in each price denom. The values that it replaced are in `netAssetValueHistory`.';
const historyText =
  'derived: net asset values in the order in which they were set, newest first, read from events. With `priceDenom`, only those\nin that denom. Needs no node where an archive of mode FULL holds every height of the search.';

function priceDenomOf(given: string | null | undefined): string | undefined {
  return given == null ? undefined : denomInput('priceDenom', given);
}

/**
 * Adds `netAssetValues` and `netAssetValueHistory` to `Marker` and `Scope`. Histories are live: a node indexes events after the
 * block.
 */
export function addAssetFields(builder: Builder): void {
  const historyArgs = () =>
    builder.args((t) => ({ priceDenom: t.string(), first: t.int({ defaultValue: pageDefault }), after: t.string() }));

  addHistoryConnection(builder, NetAssetValueRef, NetAssetValueConnectionRef, 'net asset values');
  builder.objectFields(MarkerRef, (t) => ({
    netAssetValues: t.field({
      type: [NetAssetValueRef],
      description: latestText,
      resolve: (marker) => {
        const pin = pinOf(marker);
        const read = pin.loaders(createNetAssetValueLoaders).ofMarker.load(marker.denom);
        return andThen(read, (values) => values?.map((value) => pinned(pin, value)) ?? null);
      },
    }),
    netAssetValueHistory: t.field({
      type: NetAssetValueConnectionRef,
      description: historyText,
      extensions: liveField,
      args: historyArgs(),
      resolve: (marker, { priceDenom: given, ...page }, _context, info) =>
        historyConnection(pinOf(marker), markerValues(marker.denom, priceDenomOf(given)), page, info),
    }),
  }));
  builder.objectFields(ScopeRef, (t) => ({
    netAssetValues: t.field({
      type: [NetAssetValueRef],
      description: latestText,
      resolve: (scope) => {
        const pin = pinOf(scope);
        const read = pin.loaders(createNetAssetValueLoaders).ofScope.load(scope.id);
        return andThen(read, (values) => values.map((value) => pinned(pin, value)));
      },
    }),
    netAssetValueHistory: t.field({
      type: NetAssetValueConnectionRef,
      description: historyText,
      extensions: liveField,
      args: historyArgs(),
      resolve: (scope, { priceDenom: given, ...page }, _context, info) =>
        historyConnection(pinOf(scope), scopeValues(scope.id, priceDenomOf(given)), page, info),
    }),
  }));
}

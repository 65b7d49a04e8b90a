import type { z } from 'zod';
import { createBankLoaders } from '../../modules/bank/query.ts';
import { createMarkerLoaders, type Marker } from '../../modules/marker/query.ts';
import { scopeOfDenom } from '../../modules/metadata/address.ts';
import { denomInPath, priceDenom } from './parameters.ts';
import { createRoute, type Route, type Written } from './route.ts';
import { denomDetails, type marker } from './schemas.ts';
import { amountOf, worthOf } from './views.ts';

function shownMarker(stored: Marker): Written<z.output<typeof marker>> {
  const { denom: _, ...rest } = stored;
  return rest;
}

/**
 * The details of a denom. Upstream reads: metadata, supply, marker and net asset values. The denom of a scope has no marker.
 */
export function metadataRoute(): Route {
  return createRoute({
    path: '/v1/metadata/{denom}',
    operationId: 'getMetadata',
    services: ['cosmos.bank.v1beta1.Query', 'provenance.marker.v1.Query'],
    summary: 'Metadata of a denom',
    description: 'Returns the name, the symbol, the display unit, the supply, the marker and the price of a denom.',
    parameters: { denom: denomInPath, priceDenom },
    name: 'Metadata',
    fields: { item: denomDetails },
    present: { field: 'denom', bound: 'a denom that has metadata, a marker or a supply' },
    points: () => 27,
    async answer(pin, { denom, priceDenom: inDenom }) {
      const bank = pin.loaders(createBankLoaders);
      const scopeId = scopeOfDenom(denom) ?? null;
      const [metadata, supply, stored] = await Promise.all([
        bank.metadata.load(denom),
        bank.supply.load(denom),
        scopeId === null ? pin.loaders(createMarkerLoaders).marker.load(denom) : null,
      ]);
      if (metadata === null && stored === null && supply.amount === '0') return null;
      const unit = metadata?.denomUnits.find((each) => each.denom === metadata.display);
      const [shown, { price }] = await Promise.all([amountOf(pin, supply), worthOf(pin, supply, inDenom)]);
      return {
        item: {
          denom,
          name: metadata?.name ?? null,
          symbol: metadata?.symbol ?? null,
          display: metadata?.display ?? null,
          exponent: unit?.exponent ?? null,
          description: metadata?.description ?? null,
          uri: metadata?.uri ?? null,
          uriHash: metadata?.uriHash ?? null,
          units: metadata?.denomUnits ?? [],
          supply: shown,
          marker: stored && shownMarker(stored),
          scopeId,
          price,
        },
      };
    },
  });
}

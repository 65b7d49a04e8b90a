import { z } from 'zod';
import { isChainError } from '../../chain/base/errors.ts';
import type { Bounds } from '../../config/bounds.ts';
import { createMarkerLoaders } from '../../modules/marker/query.ts';
import { scopeOfDenom } from '../../modules/metadata/address.ts';
import { createMetadataLoaders } from '../../modules/metadata/query.ts';
import { markerValues, scopeValues } from '../../modules/netAssetValue/history.ts';
import { type NetAssetValue, netAssetValuesOf, pricePerDisplayUnit, pricePerUnit } from '../../modules/netAssetValue/query.ts';
import { pageOf } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { historyPage, pageRequest, paginationOf } from './pages.ts';
import { assetInPath, denomInQuery, flagInQuery, type PageValues, pageInQuery } from './parameters.ts';
import { createRoute, type Route } from './route.ts';
import { netAssetValue, pagination } from './schemas.ts';
import { amountOf, blockTime } from './views.ts';

async function timeOrNull(pin: Pin, height: bigint): Promise<string | null> {
  // Values of the genesis precede the first block.
  if (height === 0n) return null;
  try {
    return await blockTime(pin, height);
  } catch (error) {
    if (isChainError(error, 'HEIGHT_PRUNED')) return null;
    throw error;
  }
}

async function shownValue(pin: Pin, value: NetAssetValue): Promise<z.output<typeof netAssetValue>> {
  const [price, perDisplayUnit, updatedBlockTime] = await Promise.all([
    amountOf(pin, value.price),
    pricePerDisplayUnit(pin, value),
    timeOrNull(pin, value.updatedBlockHeight),
  ]);
  return {
    denom: value.of,
    scopeId: scopeOfDenom(value.of) ?? null,
    price,
    volume: value.volume.toString(),
    pricePerUnit: pricePerUnit(value),
    pricePerDisplayUnit: perDisplayUnit,
    updatedBlockHeight: value.updatedBlockHeight.toString(),
    updatedBlockTime,
    source: value.source,
    transactionHash: value.transactionHash,
  };
}

const priceKey = ({ price }: NetAssetValue): Uint8Array => Buffer.from(price.denom);

/** Whether the marker or scope of a denom exists. */
async function exists({ loaders }: Pin, denom: string): Promise<boolean> {
  const id = scopeOfDenom(denom);
  return (
    (id === undefined
      ? await loaders(createMarkerLoaders).marker.load(denom)
      : await loaders(createMetadataLoaders).scope.load(id)) !== null
  );
}

async function currentValues(pin: Pin, denom: string, priceDenom: string | undefined, values: PageValues) {
  const name = `netAssetValues/${denom}/${priceDenom ?? ''}`;
  const request = pageRequest(name, values);
  const all = (await netAssetValuesOf(pin, denom)) ?? [];
  const selected = all.filter(({ price }) => priceDenom === undefined || price.denom === priceDenom);
  const sorted = selected.toSorted((a, b) => Buffer.compare(priceKey(a), priceKey(b)));
  const page = pageOf(sorted, priceKey, request);
  return { items: page.items, pagination: paginationOf(name, page, priceKey), completeFrom: null };
}

async function valueHistory(pin: Pin, denom: string, priceDenom: string | undefined, values: PageValues) {
  const id = scopeOfDenom(denom);
  const history = id === undefined ? markerValues(denom, priceDenom) : scopeValues(id, priceDenom);
  const { found, ...rest } = await historyPage(pin, history, values);
  return { items: found.map(({ item }) => item), ...rest };
}

/**
 * The current net asset values of a denom or scope, or their history. Upstream reads: the marker or scope, its net asset
 * values, the metadata of its denom and of the price denoms, and the block of each value for its time. The history is read as
 * for the GraphQL field `netAssetValueHistory`.
 */
export function netAssetValuesRoute(bounds: Bounds): Route {
  return createRoute({
    path: '/v1/netAssetValues/{asset}',
    operationId: 'getNetAssetValues',
    services: ['provenance.marker.v1.Query', 'provenance.metadata.v1.Query'],
    summary: 'Net asset values of a denom or a scope',
    description:
      'Lists the current net asset value in each price denom, by price denom. With `history`, lists all values that were ever set, newest first, from events.',
    parameters: {
      asset: assetInPath,
      priceDenom: denomInQuery('Only values in this denom.'),
      history: flagInQuery('Whether to list the history of values instead of the current ones.'),
      ...pageInQuery(bounds),
    },
    name: 'NetAssetValues',
    fields: {
      denom: z.string().describe('The denom of the marker, or the denom of the scope: `nft/scope1…`.'),
      items: z.array(netAssetValue),
      pagination,
      completeFrom: z
        .string()
        .regex(/^\d+$/)
        .nullable()
        .describe('The history is complete from this height on; earlier values are not available. null without `history`.'),
    },
    live: ({ history }) => history,
    present: { field: 'asset', bound: 'the denom of a marker, or an existing scope' },
    // GraphQL estimates five current values.
    points: ({ history, 'pagination.pageSize': size }) => (history ? 4 + 6 * size : 27),
    async answer(pin, { asset: denom, priceDenom, history, ...values }) {
      if (!(await exists(pin, denom))) return null;
      const page = await (history ? valueHistory : currentValues)(pin, denom, priceDenom, values);
      const items = await Promise.all(page.items.map((value) => shownValue(pin, value)));
      return { denom, items, pagination: page.pagination, completeFrom: page.completeFrom };
    },
  });
}

import { z } from 'zod';
import { isChainError } from '../../chain/base/errors.ts';
import type { Bounds } from '../../config/bounds.ts';
import { createMarkerLoaders } from '../../modules/marker/loaders.ts';
import { scopeOfDenom } from '../../modules/metadata/address.ts';
import { createMetadataLoaders } from '../../modules/metadata/loaders.ts';
import { markerValues, scopeValues } from '../../modules/netAssetValue/history.ts';
import type { NetAssetValue } from '../../modules/netAssetValue/model.ts';
import { netAssetValuesOf, pricePerDisplayUnit, pricePerUnit } from '../../modules/netAssetValue/price.ts';
import { pageOf } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { historyPage, pageRequest, paginationOf } from './pages.ts';
import { assetInPath, denomInQuery, flagInQuery, type PageValues, pageInQuery } from './parameters.ts';
import { createRoute, type Route } from './route.ts';
import { netAssetValue, pagination } from './schemas.ts';
import { amountOf, blockTime } from './views.ts';

async function timeOrNull(pin: Pin, height: bigint): Promise<string | null> {
  // What the genesis brought was set before the first block.
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

/** Whether there is such a marker or scope. */
async function exists({ loaders }: Pin, denom: string): Promise<boolean> {
  const id = scopeOfDenom(denom);
  return (
    (id === undefined
      ? await loaders(createMarkerLoaders).marker.load(denom)
      : await loaders(createMetadataLoaders).scope.load(id)) !== null
  );
}

async function currentValues(pin: Pin, denom: string, told: string | undefined, values: PageValues) {
  const name = `netAssetValues/${denom}/${told ?? ''}`;
  const request = pageRequest(name, values);
  const all = (await netAssetValuesOf(pin, denom)) ?? [];
  const meant = all.filter(({ price }) => told === undefined || price.denom === told);
  const sorted = meant.toSorted((a, b) => Buffer.compare(priceKey(a), priceKey(b)));
  const page = pageOf(sorted, priceKey, request);
  return { items: page.items, pagination: paginationOf(name, page, priceKey), completeFrom: null };
}

async function valueHistory(pin: Pin, denom: string, told: string | undefined, values: PageValues) {
  const id = scopeOfDenom(denom);
  const history = id === undefined ? markerValues(denom, told) : scopeValues(id, told);
  const { found, ...rest } = await historyPage(pin, history, values);
  return { items: found.map(({ item }) => item), ...rest };
}

/**
 * What a denom or scope is worth, now or as it was set. Upstream reads: the marker or scope, and its net asset values; the metadata of it and of
 * the price denoms; the block of each value for its time. A history is read as the graph's `netAssetValueHistory`.
 */
export function netAssetValuesRoute(bounds: Bounds): Route {
  return createRoute({
    path: '/v1/netAssetValues/{asset}',
    operationId: 'getNetAssetValues',
    services: ['provenance.marker.v1.Query', 'provenance.metadata.v1.Query'],
    summary: 'What a denom or a scope is worth',
    description:
      'The last net asset value in each price denom, by price denom; with `history` all as they were set, newest first, from events.',
    parameters: {
      asset: assetInPath,
      priceDenom: denomInQuery('Values in this denom alone.'),
      history: flagInQuery('Whether all values are told as they were set, in place of the last ones.'),
      ...pageInQuery(bounds),
    },
    name: 'NetAssetValues',
    fields: {
      denom: z.string().describe("What has the values: a marker's denom, or a scope's coin `nft/scope1…`."),
      items: z.array(netAssetValue),
      pagination,
      completeFrom: z
        .string()
        .regex(/^\d+$/)
        .nullable()
        .describe('Of a history: it is complete from this height on; what lies before it cannot be seen. Else null.'),
    },
    live: ({ history }) => history,
    present: { field: 'asset', bound: 'the denom of a marker, or a scope that the chain has' },
    // The graph takes the last values to be five.
    points: ({ history, 'pagination.pageSize': size }) => (history ? 4 + 6 * size : 27),
    async answer(pin, { asset: denom, priceDenom, history, ...values }) {
      if (!(await exists(pin, denom))) return null;
      const page = await (history ? valueHistory : currentValues)(pin, denom, priceDenom, values);
      const items = await Promise.all(page.items.map((value) => shownValue(pin, value)));
      return { denom, items, pagination: page.pagination, completeFrom: page.completeFrom };
    },
  });
}

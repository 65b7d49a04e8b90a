import { z } from 'zod';
import { isChainError } from '../../chain/base/errors.ts';
import type { Bounds } from '../../config/bounds.ts';
import { createBankLoaders, holderList, supplyPercentOf } from '../../modules/bank/query.ts';
import { createMarkerLoaders, type Marker } from '../../modules/marker/query.ts';
import { denomOfScope, scopeOfDenom } from '../../modules/metadata/address.ts';
import { createMetadataLoaders } from '../../modules/metadata/query.ts';
import { markerValues, scopeValues } from '../../modules/netAssetValue/history.ts';
import { type NetAssetValue, netAssetValuesOf, pricePerDisplayUnit, pricePerUnit } from '../../modules/netAssetValue/query.ts';
import { pageOf } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import {
  assetInPath,
  denomInPath,
  denomInQuery,
  flagInQuery,
  historyPage,
  listPage,
  type PageValues,
  pageInQuery,
  pageRequest,
  paginationOf,
  priceDenom,
  scopeInPath,
} from './parameters.ts';
import { createRoute, type Route, type Written } from './route.ts';
import {
  amount,
  amountOf,
  blockTime,
  denomDetails,
  height,
  holder,
  type marker,
  netAssetValue,
  pagination,
  price,
  scopeDetails,
  worthOf,
} from './schemas.ts';

/**
 * The holders of a denom. Upstream reads: the page of holders, and the supply, the metadata and the net asset values of the
 * denom, once each.
 */
export function holdersRoute(bounds: Bounds): Route {
  return createRoute({
    path: '/v1/holders/{denom}',
    operationId: 'getHolders',
    services: ['cosmos.bank.v1beta1.Query'],
    summary: 'Holders of a denom',
    description:
      'Lists the accounts that hold a denom by address, with their share of the supply and its value. An unknown denom has no holders and a supply of 0.',
    parameters: { denom: denomInPath, priceDenom, ...pageInQuery(bounds) },
    name: 'Holders',
    fields: {
      denom: z.string(),
      supply: amount.describe('The total supply.'),
      price: price.nullable().describe('null if there is no net asset value in the requested price denom.'),
      items: z.array(holder),
      pagination,
    },
    points: ({ 'pagination.pageSize': size }) => 9 + 6 * size,
    async answer(pin, { denom, priceDenom: inDenom, ...values }) {
      const [page, supply] = await Promise.all([
        listPage(holderList(pin, denom), values),
        pin.loaders(createBankLoaders).supply.load(denom),
      ]);
      const [shownAmount, worth] = await Promise.all([amountOf(pin, supply), worthOf(pin, supply, inDenom)]);
      const items = page.items.map(async ({ address, balance }) => {
        const [heldAmount, supplyPercent, { value }] = await Promise.all([
          amountOf(pin, balance),
          supplyPercentOf(pin, balance),
          worthOf(pin, balance, inDenom),
        ]);
        return { address, amount: heldAmount.amount, display: heldAmount.display, supplyPercent, value };
      });
      return { denom, supply: shownAmount, price: worth.price, items: await Promise.all(items), pagination: page.pagination };
    },
  });
}

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

async function exists(pin: Pin, denom: string): Promise<boolean> {
  const id = scopeOfDenom(denom);
  return (
    (id === undefined
      ? await pin.loaders(createMarkerLoaders).marker.load(denom)
      : await pin.loaders(createMetadataLoaders).scope.load(id)) !== null
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
      completeFrom: height
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
      const [shownAmount, { price }] = await Promise.all([amountOf(pin, supply), worthOf(pin, supply, inDenom)]);
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
          supply: shownAmount,
          marker: stored && shownMarker(stored),
          scopeId,
          price,
        },
      };
    },
  });
}

/**
 * The details of a scope. Upstream reads: the scope, its specification, its net asset values and the metadata of the price
 * denom.
 */
export function scopesRoute(): Route {
  return createRoute({
    path: '/v1/scopes/{scopeId}',
    operationId: 'getScope',
    services: ['provenance.metadata.v1.Query'],
    summary: 'Details of a scope',
    description: 'Returns a scope: its specification, its owners, its value owner, its price and its value.',
    parameters: { scopeId: scopeInPath, priceDenom },
    name: 'Scope',
    fields: { item: scopeDetails },
    present: { field: 'scopeId', bound: 'an existing scope' },
    points: () => 39,
    async answer(pin, { scopeId, priceDenom: inDenom }) {
      const metadata = pin.loaders(createMetadataLoaders);
      const scope = await metadata.scope.load(scopeId);
      if (scope === null) return null;
      const { id, uuid, specificationId, owners, dataAccess, valueOwner, requirePartyRollup } = scope;
      const denom = denomOfScope(id);
      const [specification, worth] = await Promise.all([
        specificationId === null ? null : metadata.specification.load(specificationId),
        worthOf(pin, { denom, amount: '1' }, inDenom),
      ]);
      return {
        item: {
          id,
          uuid,
          denom,
          specification: specification && {
            id: specification.id,
            name: specification.name,
            description: specification.description,
            websiteUrl: specification.websiteUrl,
            iconUrl: specification.iconUrl,
          },
          owners,
          dataAccess,
          valueOwner,
          requirePartyRollup,
          ...worth,
        },
      };
    },
  });
}

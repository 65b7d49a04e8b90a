import { z } from 'zod';
import { isChainError } from '../../chain/base/errors.ts';
import { type Bounds, pageDefault } from '../../config/bounds.ts';
import { limitTable, type ProofBounds } from '../../config/limits/limits.ts';
import { createAccountLoaders, withInfo } from '../../modules/account/query.ts';
import { createAttributeLoaders } from '../../modules/attribute/query.ts';
import { balanceList, createBankLoaders, holderList, spendableList, supplyPercentOf } from '../../modules/bank/query.ts';
import { createHoldLoaders } from '../../modules/hold/query.ts';
import { createMarkerLoaders, type Marker } from '../../modules/marker/query.ts';
import { denomOfScope, scopeOfDenom } from '../../modules/metadata/address.ts';
import { createMetadataLoaders } from '../../modules/metadata/query.ts';
import { namesList } from '../../modules/name/query.ts';
import { markerValues, scopeValues } from '../../modules/netAssetValue/history.ts';
import {
  type NetAssetValue,
  netAssetValuesOf,
  priceCoin,
  pricePerDisplayUnit,
  pricePerUnit,
} from '../../modules/netAssetValue/query.ts';
import {
  checkFilter,
  type Transfer,
  type TransferFilter,
  transferHistory,
  transferKinds,
} from '../../modules/transfers/query.ts';
import { pageOf, readPage } from '../../reads/page.ts';
import type { Pin } from '../../reads/pin.ts';
import { orIfAbsent } from '../../reads/query.ts';
import { govRecordRoutes, govRecordSchemas } from './govRecords.ts';
import { proofRoute } from './proofs.ts';
import { recordRoutes, recordSchemas } from './records.ts';
import {
  accountInPath,
  accountInQuery,
  assetInPath,
  createRoute,
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
  type Route,
  scopeInPath,
  type Written,
  wordInQuery,
  wordsInQuery,
} from './route.ts';
import {
  accountDetails,
  amount,
  amountOf,
  balance,
  blockTime,
  componentSchemas,
  denomDetails,
  errorSchema,
  height,
  holder,
  type marker,
  namedSchemas,
  netAssetValue,
  orNull,
  pagination,
  price,
  scopeDetails,
  transfer,
  worthOf,
} from './schemas.ts';
import { statementRoute, statementSchemas } from './statements.ts';

/** The details of an account. Upstream reads: the account, its names and its account data. */
function accountsRoute(): Route {
  return createRoute({
    path: '/v1/accounts/{address}',
    operationId: 'getAccount',
    services: ['cosmos.auth.v1beta1.Query'],
    summary: 'Details and names of an account',
    description:
      'Returns the kind, the names and the account data of an address. Every well-formed address has a response, even if the chain has no account at it.',
    parameters: { address: accountInPath },
    name: 'Account',
    fields: { item: accountDetails },
    points: () => 24,
    async answer(pin, { address }) {
      const [account, names, accountData] = await Promise.all([
        pin.loaders(createAccountLoaders).account.load(address),
        orIfAbsent(readPage(namesList(pin, address), { first: pageDefault, reverse: false, count: false }), null),
        orIfAbsent(pin.loaders(createAttributeLoaders).accountData.load(address), ''),
      ]);
      const stored = account && (await withInfo(pin, address, account));
      return {
        item: {
          address,
          kind: stored?.kind ?? null,
          moduleName: stored?.moduleName ?? null,
          denom: stored?.markerDenom ?? null,
          accountNumber: stored?.accountNumber?.toString() ?? null,
          sequence: stored?.sequence?.toString() ?? null,
          names: names?.items.map(({ name }) => name) ?? [],
          hasMoreNames: names?.hasNext ?? false,
          accountData,
        },
      };
    },
  });
}

/**
 * The balances of an account. Upstream reads: its balances, its spendable balances and its holds, once each; for each denom,
 * the metadata and the net asset values.
 */
function balancesRoute(bounds: Bounds): Route {
  return createRoute({
    path: '/v1/balances/{address}',
    operationId: 'getBalances',
    services: ['cosmos.bank.v1beta1.Query'],
    summary: 'Balances of an account',
    description:
      'Lists the balances of an account by denom: the amount in base and display units, the amounts on hold and spendable, the price and the value. The chain stores no zero balances, so an unknown account has an empty list.',
    parameters: { address: accountInPath, priceDenom, ...pageInQuery(bounds) },
    name: 'Balances',
    fields: { address: z.string(), items: z.array(balance), pagination },
    points: ({ 'pagination.pageSize': size }) => 10 + 7 * size,
    async answer(pin, { address, priceDenom: inDenom, ...values }) {
      const list = balanceList(pin, address);
      const request = pageRequest(list.name, values);
      const [page, spendable, holds] = await Promise.all([
        readPage(list, request),
        // Both lists contain the same denoms, so the same page of both does, too.
        readPage(spendableList(pin, address), request),
        orIfAbsent(pin.loaders(createHoldLoaders).holds.load(address), []),
      ]);
      const items = page.items.map(async (coin) => ({
        ...(await amountOf(pin, coin)),
        held: holds.find(({ denom }) => denom === coin.denom)?.amount ?? '0',
        spendable: spendable.items.find(({ denom }) => denom === coin.denom)?.amount ?? null,
        scopeId: scopeOfDenom(coin.denom) ?? null,
        ...(await worthOf(pin, coin, inDenom)),
      }));
      return { address, items: await Promise.all(items), pagination: paginationOf(list.name, page, list.keyOf) };
    },
  });
}

async function shownTransfer(pin: Pin, moved: Transfer): Promise<Written<z.output<typeof transfer>>> {
  const { kind, sender, recipient, amount, administrator, height, transaction, message } = moved;
  const [time, ...amounts] = await Promise.all([blockTime(pin, height), ...amount.map((coin) => amountOf(pin, coin))]);
  return {
    kind,
    sender,
    recipient,
    amounts,
    administrator,
    blockHeight: height.toString(),
    blockTime: time,
    transactionHash: transaction?.hash ?? null,
    messageType: message?.type ?? null,
  };
}

async function page(pin: Pin, filter: TransferFilter, values: PageValues) {
  const { found, ...rest } = await historyPage(pin, transferHistory(filter), values);
  return { items: await Promise.all(found.map(({ item }) => shownTransfer(pin, item))), ...rest };
}

/** Transfers of coins. The upstream reads are those of the GraphQL field `transfers`, and the block of each transfer for its time. */
function transferRoutes(bounds: Bounds): readonly Route[] {
  const sides = {
    denom: denomInQuery('Only transfers of this denom.'),
    direction: wordInQuery('Whether the account is the recipient (IN) or the sender (OUT). Default: both.', ['IN', 'OUT']),
    kinds: wordsInQuery('Only transfers of these kinds. Default: all.', transferKinds),
  };
  const common = {
    fields: {
      items: z.array(transfer),
      pagination,
      completeFrom: height.describe('The list is complete from this height on; earlier transfers are not available.'),
    },
    live: () => true,
    // GraphQL estimates five coins for each transfer.
    points: ({ 'pagination.pageSize': size }: PageValues) => 3 + 16 * size,
  } as const;
  return [
    createRoute({
      ...common,
      path: '/v1/transfers',
      operationId: 'getTransfers',
      services: ['cosmos.bank.v1beta1.Query'],
      summary: 'Transfers of coins',
      description:
        'Lists the transfers of coins of an account, of a denom, or of both, newest first. At least one of the two is required.',
      parameters: { address: accountInQuery, ...sides, ...pageInQuery(bounds) },
      name: 'Transfers',
      points(values) {
        checkFilter({ account: values.address, denom: values.denom, direction: values.direction }, 'address');
        return common.points(values);
      },
      answer: (pin, { address: account, denom, direction, kinds, ...values }) =>
        page(pin, { account, denom, direction, kinds }, values),
    }),
    createRoute({
      ...common,
      path: '/v1/transfers/{address}',
      operationId: 'getTransfersOfAccount',
      services: ['cosmos.bank.v1beta1.Query'],
      summary: 'Transfers of an account',
      description: 'Lists the transfers of coins to and from an account, newest first.',
      parameters: { address: accountInPath, ...sides, ...pageInQuery(bounds) },
      name: 'Transfers',
      points: (values) => 1 + common.points(values),
      answer: (pin, { address: account, denom, direction, kinds, ...values }) =>
        page(pin, { account, denom, direction, kinds }, values),
    }),
  ];
}

/** The holders of a denom. Upstream reads: the page of holders, and the supply, the metadata and the net asset values of the denom, once each. */
function holdersRoute(bounds: Bounds): Route {
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
      price: orNull(price, 'null if there is no net asset value in the requested price denom.'),
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
    amountOf(pin, priceCoin(pin, value)),
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
 * The current net asset values of a denom or scope, or their history. Upstream reads: the marker or scope, its net asset values, the metadata of its
 * denom and of the price denoms, and the block of each value for its time. The history is read as for the GraphQL field `netAssetValueHistory`.
 */
function netAssetValuesRoute(bounds: Bounds): Route {
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
      completeFrom: orNull(
        height,
        'The history is complete from this height on; earlier values are not available. null without `history`.',
      ),
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

/** The details of a denom. Upstream reads: metadata, supply, marker and net asset values. The denom of a scope has no marker. */
function metadataRoute(): Route {
  return createRoute({
    path: '/v1/metadata/{denom}',
    operationId: 'getMetadata',
    services: ['cosmos.bank.v1beta1.Query'],
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
        scopeId === null ? orIfAbsent(pin.loaders(createMarkerLoaders).marker.load(denom), null) : null,
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

/** The details of a scope. Upstream reads: the scope, its specification, its net asset values and the metadata of the price denom. */
function scopesRoute(): Route {
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

/**
 * Creates the routes of the aggregates with these bounds of pages. Both the router and the OpenAPI description use them. `freshness` is how long a
 * response waits for the archive, in ms. `proofs` are the bounds of proofs.
 */
export function createRouteTable(
  bounds: Bounds,
  freshness: number = limitTable['request.freshness'].value,
  proofs: ProofBounds = { maxKeys: limitTable['proof.keys'].value, maxBytes: limitTable['proof.bytes'].value },
): readonly Route[] {
  return [
    accountsRoute(),
    balancesRoute(bounds),
    metadataRoute(),
    scopesRoute(),
    ...transferRoutes(bounds),
    statementRoute(),
    netAssetValuesRoute(bounds),
    holdersRoute(bounds),
    proofRoute(proofs),
    ...recordRoutes(bounds, freshness),
    ...govRecordRoutes(bounds, freshness),
  ];
}

export const errorName = 'Failure';

/**
 * Returns the schemas of the routes' responses by name, for `components.schemas` of OpenAPI 3.0. They reference each other by
 * `#/components/schemas/…`. The schema of a response has the name `response.name`; routes with the same name have the same schema.
 */
export function answerSchemas(routes: readonly Route[]): Readonly<Record<string, object>> {
  const ofRecords = routes.some(({ readsArchive }) => readsArchive) ? { ...recordSchemas, ...govRecordSchemas } : {};
  const answers = Object.fromEntries(routes.map(({ response }) => [response.name, response.schema]));
  return componentSchemas({ ...namedSchemas, ...statementSchemas, ...ofRecords, [errorName]: errorSchema, ...answers });
}

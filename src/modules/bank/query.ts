import { isChainError } from '../../chain/base/errors.ts';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import type { Descriptors } from '../../chain/descriptors/descriptors.ts';
import { malformed } from '../../chain/wire/json.ts';
import type { Metadata } from '../../proto/cosmos/bank/v1beta1/bank_pb.js';
import { Query } from '../../proto/cosmos/bank/v1beta1/query_pb.js';
import type { Coin as WireCoin } from '../../proto/cosmos/base/v1beta1/coin_pb.js';
import { Query as MarkerQuery } from '../../proto/provenance/marker/v1/query_pb.js';
import { decimal, decimalText, percentOf } from '../../reads/decimal.ts';
import { sizedAddressKey } from '../../reads/input.ts';
import { chainList, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { type Awaitable, andThen, lazyLoaders, type Pin, ReadOnce, weakMemo } from '../../reads/pin.ts';
import { stateRead, stateReadOrNull, valueOnce } from '../../reads/query.ts';

/** An amount of a denom: a whole number of base units, as decimal text. */
export interface Coin {
  readonly denom: string;
  readonly amount: string;
}

/** Converts a coin from protobuf. */
export function coinFromWire({ denom, amount }: WireCoin): Coin {
  return { denom, amount };
}

/** Parses coins in the form of events: `5nhash,100goldcoin`; empty for empty text, undefined for malformed text. */
export function coinsOfText(text: string): readonly Coin[] | undefined {
  if (text === '') return [];
  const coins = text.split(',').flatMap((each) => {
    const [, amount, denom] = /^(\d+)([a-zA-Z][^,]*)$/.exec(each) ?? [];
    return amount === undefined || denom === undefined ? [] : [{ denom, amount }];
  });
  return coins.length === text.split(',').length ? coins : undefined;
}

/** Converts metadata from protobuf. */
function metadataFromWire(metadata: Metadata) {
  const { description, base, display, name, symbol, uri, uriHash } = metadata;
  const denomUnits = metadata.denomUnits.map(({ denom, exponent, aliases }) => ({ denom, exponent, aliases }));
  return { description, denomUnits, base, display, name, symbol, uri, uriHash };
}

/** Bank metadata of a denom: its names and units. */
export type DenomMetadata = Readonly<ReturnType<typeof metadataFromWire>>;

/** An account that holds a denom, with its balance. */
export interface Holding {
  readonly address: string;
  readonly balance: Coin;
}

/** The queries of `cosmos.bank.v1beta1.Query` that Stele uses, each at the height of the state. */

function coinOf(coin: WireCoin | undefined): Coin {
  if (coin === undefined) throw malformed('a response without a coin');
  return coinFromWire(coin);
}

/** The balance of an account in one denom; amount 0 if it has none, also for an unknown denom. */
const readBalance = stateRead({
  method: Query.method.balance,
  request: (address: string, denom: string) => ({ address, denom }),
  value: (answer): Coin => coinOf(answer.balance),
});

/** The balances of an account, by denom. */
const readAllBalances = stateList({
  method: Query.method.allBalances,
  request: (address: string, pagination) => ({ address, pagination }),
  part: ({ balances, pagination }) => [balances.map(coinFromWire), pagination],
});

/** The spendable balances of an account, by denom. */
const readSpendableBalances = stateList({
  method: Query.method.spendableBalances,
  request: (address: string, pagination) => ({ address, pagination }),
  part: ({ balances, pagination }) => [balances.map(coinFromWire), pagination],
});

/** The supply of a denom; amount 0 for an unknown denom. */
const readSupplyOf = stateRead({
  method: Query.method.supplyOf,
  request: (denom: string) => ({ denom }),
  value: ({ amount }): Coin => coinOf(amount),
});

/** The supply of every denom, by denom. */
const readTotalSupply = stateList({
  method: Query.method.totalSupply,
  request: (_: '', pagination) => ({ pagination }),
  part: ({ supply, pagination }) => [supply.map(coinFromWire), pagination],
});

/** The metadata of a denom; null if the chain has none (code 22). */
const readDenomMetadata = stateReadOrNull({
  method: Query.method.denomMetadata,
  request: (denom: string) => ({ denom }),
  value: ({ metadata }): DenomMetadata | null => (metadata ? metadataFromWire(metadata) : null),
  absences: [],
});

/** The metadata of all denoms that have some, by denom. */
const readDenomsMetadata = stateList({
  method: Query.method.denomsMetadata,
  request: (_: '', pagination) => ({ pagination }),
  part: ({ metadatas, pagination }) => [metadatas.map(metadataFromWire), pagination],
});

/** The holders of a denom, by address. */
const readDenomOwners = stateList({
  method: Query.method.denomOwners,
  request: (denom: string, pagination) => ({ denom, pagination }),
  part: ({ denomOwners, pagination }) => [
    denomOwners.map(({ address, balance }): Holding => ({ address, balance: coinOf(balance) })),
    pagination,
  ],
});

export const createBankLoaders = lazyLoaders({
  balance: ({ state }) =>
    new ReadOnce(
      ({ address, denom }: { readonly address: string; readonly denom: string }) => readBalance(state, address, denom),
      ({ address, denom }) => `${address}/${denom}`,
    ),
  balances: listOnce(readAllBalances),
  spendableBalances: listOnce(readSpendableBalances),
  supply: valueOnce(readSupplyOf),
  supplies: listOnce(readTotalSupply),
  metadata: valueOnce(readDenomMetadata),
  metadatas: listOnce(readDenomsMetadata),
  holders: listOnce(readDenomOwners),
});

/**
 * The lists of the module. They are paged by offset: no page key of a list of balances or of the supply was recorded, and the recorded page keys
 * of holders do not show how the chain treats a key between two items.
 */

const denomKey = ({ denom }: Coin): Uint8Array => Buffer.from(denom);

/** Balances of an account, by denom. */
export function balanceList(pin: Pin, address: string): NamedList<Coin> {
  return chainList('balances', pin.loaders(createBankLoaders).balances, address, denomKey);
}

/** Spendable balances of an account, by denom. Has the denoms of all balances, with amount 0 if nothing is spendable. */
export function spendableList(pin: Pin, address: string): NamedList<Coin> {
  return chainList('spendableBalances', pin.loaders(createBankLoaders).spendableBalances, address, denomKey);
}

/** The supply of every denom, by denom. */
export function supplyList(pin: Pin): NamedList<Coin> {
  return chainList('totalSupply', pin.loaders(createBankLoaders).supplies, '', denomKey);
}

/** The metadata of every denom that has some, by denom. */
export function metadataList(pin: Pin): NamedList<DenomMetadata> {
  return chainList('denomsMetadata', pin.loaders(createBankLoaders).metadatas, '', ({ base }) => Buffer.from(base));
}

/** Holders of a denom, with or without a marker, by address. */
export function holderList(pin: Pin, denom: string): NamedList<Holding> {
  return chainList('holders', pin.loaders(createBankLoaders).holders, denom, ({ address }: Holding) =>
    sizedAddressKey(address),
  );
}

/** The display unit of a denom: 10^exponent base units. */
interface DisplayUnit {
  readonly denom: string;
  readonly symbol: string;
  readonly exponent: number;
}

/** An amount in its display unit. */
export interface DisplayAmount extends DisplayUnit {
  readonly amount: string;
}

/**
 * The denom `usd` counts mills, thousandths of a US dollar, on chains with net asset values (docs/chain.md, "Net asset values"). They have no metadata
 * for it.
 */
const dollars: DisplayUnit = { denom: 'USD', symbol: 'USD', exponent: 3 };

/** The display unit of a denom; null if the chain has no metadata for the denom, or if the metadata lacks that unit. */
export function displayUnitOf(pin: Pin, denom: string): Awaitable<DisplayUnit | null> {
  if (denom !== 'usd') return describedUnitOf(pin, denom);
  return andThen(hasNetAssetValues(pin), (countsMills) => (countsMills ? dollars : describedUnitOf(pin, denom)));
}

/** For each chain, whether net asset values were read. */
const pricing = weakMemo((_: Descriptors) => ({ isUsed: false }));

/** Notes that the chain has net asset values, so that its types need not be read to know it. */
export function noteNetAssetValues({ descriptors }: Pin): void {
  pricing(descriptors).isUsed = true;
}

/** Whether the chain has the module of net asset values. */
function hasNetAssetValues(pin: Pin): Awaitable<boolean> {
  const { descriptors } = pin;
  if (pricing(descriptors).isUsed) return true;
  const describes = ({ services }: DescriptorPool): boolean => services.includes(MarkerQuery.typeName);
  const types = descriptors.current();
  if (types !== undefined) return describes(types);
  return descriptors.pool({ signal: pin.signal }).then(describes, (error: unknown) => {
    // Nodes that serve no descriptors.
    if (isChainError(error, 'ABCI_QUERY_FAILED')) return false;
    throw error;
  });
}

function describedUnitOf(pin: Pin, denom: string): Awaitable<DisplayUnit | null> {
  return andThen(pin.loaders(createBankLoaders).metadata.load(denom), (metadata) => {
    if (metadata === null) return null;
    const unit = metadata.denomUnits.find((each) => each.denom === metadata.display);
    return unit ? { denom: unit.denom, symbol: metadata.symbol, exponent: unit.exponent } : null;
  });
}

/** Converts an amount of base units, which can have decimals, to a display unit without rounding. */
export function toDisplayAmount(amount: string, unit: DisplayUnit): DisplayAmount {
  return { ...unit, amount: decimalText(decimal(amount).times(decimal(`1e-${unit.exponent}`))) };
}

/** Converts a coin to its display unit. Returns null if the denom has none. */
export function displayOf(pin: Pin, { denom, amount }: Coin): Awaitable<DisplayAmount | null> {
  return andThen(displayUnitOf(pin, denom), (unit) => unit && toDisplayAmount(amount, unit));
}

/** Returns a coin as a percentage of the supply of its denom, 0 to 100. Returns null if the supply is 0. */
export function supplyPercentOf(pin: Pin, { denom, amount }: Coin): Awaitable<string | null> {
  return andThen(pin.loaders(createBankLoaders).supply.load(denom), (supply) =>
    percentOf(decimal(amount), decimal(supply.amount)),
  );
}

import { denomInput } from '../../reads/input.ts';
import { andThen, type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import {
  type Builder,
  connectionArgs,
  createRef,
  type Fields,
  nonNull,
  readableWithBroadcast,
  usesContext,
} from '../../schema/builder.ts';
import { addConnection, type Connection, chainConnection, pageField } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { type Account, AccountRef, accountField } from '../account/schema.ts';
import {
  balanceList,
  type Coin,
  createBankLoaders,
  type DenomMetadata,
  type DisplayAmount,
  displayOf,
  type Holding,
  holderList,
  spendableList,
  supplyList,
  supplyPercentOf,
} from './query.ts';

export const CoinRef = createRef<Pinned<Coin>>('Coin');
const CoinConnectionRef = createRef<Connection<Pinned<Coin>>>('CoinConnection');
export const DisplayAmountRef = createRef<DisplayAmount>('DisplayAmount');
export const DenomMetadataRef = createRef<DenomMetadata>('DenomMetadata');
const HolderRef = createRef<Pinned<Holding>>('Holder');
export const HolderConnectionRef = createRef<Connection<Pinned<Holding>>>('HolderConnection');

/** A coin under the pin of the object that contains it. */
export function coinOf(parent: Pinned<object>, { denom, amount }: Coin): Pinned<Coin> {
  return pinned(pinOf(parent), { denom, amount });
}

/** A field with a list of coins of the object. */
export function coinsField<P extends Pinned<object>>(
  t: Fields<P>,
  description: string,
  coinsIn: (parent: P) => readonly Coin[],
) {
  const resolve = (parent: P): Pinned<Coin>[] => coinsIn(parent).map((coin) => coinOf(parent, coin));
  return t.field({ type: [CoinRef], nullable: false, description, resolve });
}

const DenomUnitRef = createRef<DenomMetadata['denomUnits'][number]>('DenomUnit');

/** Adds the bank module: coins, denom metadata, balances, supply and holders. */
export function addBank(builder: Builder): void {
  addCoins(builder);
  addMetadata(builder);
  addHolders(builder);
  addQueries(builder);
  builder.objectFields(AccountRef, (t) => ({
    balances: t.field({
      type: CoinConnectionRef,
      description:
        'All balances of the account, by denom. A scope of which the account is the value owner appears as the denom `nft/scope1…`.',
      ...pageField(builder, (pin, { address }: Account) => balanceList(pin, address)),
    }),
    balance: t.field({
      type: CoinRef,
      description: 'The balance in one denom; amount 0 if the account has none.',
      args: { denom: t.arg.string({ required: true }) },
      resolve: (account, args) => {
        const denom = denomInput('denom', args.denom);
        const { balance } = pinOf(account).loaders(createBankLoaders);
        return andThen(balance.load({ address: account.address, denom }), (coin) => coinOf(account, coin));
      },
    }),
    spendableBalances: t.field({
      type: CoinConnectionRef,
      description: 'The spendable part of the balances, by denom: neither vesting nor on hold.',
      ...pageField(builder, (pin, { address }: Account) => spendableList(pin, address)),
    }),
  }));
}

function addCoins(builder: Builder): void {
  builder.objectType(CoinRef, {
    description: 'An amount of a denom, in base units.',
    fields: (t) => ({
      denom: t.expose('denom', {
        ...nonNull('String', 'Denomination of the base unit, such as `nhash`.'),
        extensions: readableWithBroadcast,
      }),
      amount: t.expose('amount', {
        ...nonNull('Decimal', 'Whole number of base units, as decimal text of any size.'),
        extensions: readableWithBroadcast,
      }),
      display: t.field({
        type: DisplayAmountRef,
        description:
          'derived: the amount in the display unit, without rounding: 5000000000 nhash is 5 hash. null if the denom has no metadata. On chains\nwith markers, amounts in `usd` are mills (thousandths of a US dollar) and are shown as USD.',
        resolve: (coin) => displayOf(pinOf(coin), coin),
      }),
      metadata: t.field({
        type: DenomMetadataRef,
        description: 'Bank metadata of the denom; null if the chain has none.',
        resolve: (coin) => pinOf(coin).loaders(createBankLoaders).metadata.load(coin.denom),
      }),
    }),
  });
  builder.objectType(DisplayAmountRef, {
    description: 'derived: an amount in the display unit of its denom.',
    fields: (t) => ({
      amount: t.expose('amount', nonNull('Decimal', 'Amount in the display unit, without rounding.')),
      denom: t.exposeString('denom', { nullable: false, description: 'The display unit, such as `hash`.' }),
      symbol: t.exposeString('symbol', { nullable: false, description: 'Ticker symbol; empty if the metadata has none.' }),
      exponent: t.exposeInt('exponent', { nullable: false, description: 'One display unit is 10^exponent base units.' }),
    }),
  });
  addConnection(builder, CoinRef, CoinConnectionRef, 'coins');
}

function addMetadata(builder: Builder): void {
  builder.objectType(DenomMetadataRef, {
    description: 'Bank metadata of a denom: its names and units.',
    fields: (t) => ({
      description: t.exposeString('description', { nullable: false, description: 'Description in free text.' }),
      denomUnits: t.expose(
        'denomUnits',
        nonNull([DenomUnitRef], 'Units of the denom, by ascending exponent; the base unit is first.'),
      ),
      base: t.exposeString('base', { nullable: false, description: 'Denom of the base unit, in which the chain counts.' }),
      display: t.exposeString('display', { nullable: false, description: 'Denom of the display unit, one of `denomUnits`.' }),
      name: t.exposeString('name', { nullable: false, description: 'Name of the token.' }),
      symbol: t.exposeString('symbol', { nullable: false, description: 'Ticker symbol.' }),
      uri: t.exposeString('uri', { nullable: false, description: 'URI of a document with more information; can be empty.' }),
      uriHash: t.exposeString('uriHash', { nullable: false, description: 'SHA-256 hash of that document; can be empty.' }),
    }),
  });
  builder.objectType(DenomUnitRef, {
    description: 'A unit of a denom.',
    fields: (t) => ({
      denom: t.exposeString('denom', { nullable: false, description: 'Name of the unit.' }),
      exponent: t.exposeInt('exponent', { nullable: false, description: 'One of this unit is 10^exponent base units.' }),
      aliases: t.exposeStringList('aliases', { nullable: false, description: 'Other names of the unit.' }),
    }),
  });
}

function addHolders(builder: Builder): void {
  builder.objectType(HolderRef, {
    description: 'An account that holds a denom.',
    fields: (t) => ({
      account: accountField(t, 'The holder.', (holder) => holder.address),
      balance: t.field({
        ...nonNull(CoinRef, 'Balance of the holder in this denom.'),
        resolve: (holder) => coinOf(holder, holder.balance),
      }),
      supplyPercent: t.field({
        type: 'Decimal',
        description: 'derived: the balance as a percentage of the supply, 0 to 100. null if the supply is 0.',
        resolve: (holder) => supplyPercentOf(pinOf(holder), holder.balance),
      }),
    }),
  });
  addConnection(builder, HolderRef, HolderConnectionRef, 'holders');
}

function addQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    supplyOf: t.field({
      type: CoinRef,
      description: 'Supply of a denom, with or without a marker: all units that exist. Amount 0 for an unknown denom.',
      args: { denom: t.arg.string({ required: true }) },
      resolve: (root, { denom }) =>
        andThen(pinOf(root).loaders(createBankLoaders).supply.load(denomInput('denom', denom)), (coin) => coinOf(root, coin)),
    }),
    totalSupply: t.field({
      type: CoinConnectionRef,
      description: 'The supply of every denom of which units exist, with or without a marker, by denom.',
      ...pageField(builder, supplyList),
    }),
    denomMetadata: t.field({
      type: DenomMetadataRef,
      description: 'Bank metadata of a denom; null if the chain has none.',
      args: { denom: t.arg.string({ required: true }) },
      resolve: (root, { denom }) => pinOf(root).loaders(createBankLoaders).metadata.load(denomInput('denom', denom)),
    }),
    holders: t.field({
      type: HolderConnectionRef,
      description:
        'Accounts that hold a denom, with or without a marker, by address. Includes module accounts and the account of the marker, which holds\nits escrow.',
      args: { denom: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { denom, ...args }, _context, info) =>
        chainConnection(pinOf(root), holderList(pinOf(root), denomInput('denom', denom)), args, info),
      ),
    }),
  }));
}

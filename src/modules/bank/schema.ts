import { denomInput } from '../../reads/input.ts';
import { pinOf } from '../../reads/pin.ts';
import { connectionArgs } from '../../schema/args.ts';
import { type Builder, createRef } from '../../schema/builder.ts';
import { addConnection } from '../../schema/connection.ts';
import { readableWithBroadcast } from '../../schema/fieldMarks.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { AccountRef, accountOf } from '../account/schema.ts';
import * as connections from './connections.ts';
import { displayOf, supplyPercentOf } from './display.ts';
import { createBankLoaders } from './loaders.ts';
import type { DenomMetadata } from './model.ts';
import * as refs from './refs.ts';

const DenomUnitRef = createRef<DenomMetadata['denomUnits'][number]>('DenomUnit');

/** Adds the bank module: coins and how they are shown, balances, supply, holders. */
export function addBank(builder: Builder): void {
  addCoins(builder);
  addMetadata(builder);
  addHolders(builder);
  addQueries(builder);
  builder.objectFields(AccountRef, (t) => ({
    balances: t.field({
      type: refs.CoinConnectionRef,
      description: 'All it holds, by denom; scopes it is value owner of appear as `nft/scope1…`.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.balances(account, account.address, args, info),
    }),
    balance: t.field({
      type: refs.CoinRef,
      description: 'What it holds of one denom; amount 0 when nothing.',
      args: { denom: t.arg.string({ required: true }) },
      resolve: async (account, args) => {
        const denom = denomInput('denom', args.denom);
        return refs.coinOf(
          account,
          await pinOf(account).loaders(createBankLoaders).balance.load({ address: account.address, denom }),
        );
      },
    }),
    spendableBalances: t.field({
      type: refs.CoinConnectionRef,
      description: 'The part of the balances that is neither vesting nor on hold.',
      args: connectionArgs(builder),
      resolve: (account, args, _context, info) => connections.spendableBalances(account, account.address, args, info),
    }),
  }));
}

function addCoins(builder: Builder): void {
  builder.objectType(refs.CoinRef, {
    description: 'An amount of a denom.',
    fields: (t) => ({
      denom: t.exposeString('denom', { extensions: readableWithBroadcast, nullable: false }),
      amount: t.expose('amount', {
        extensions: readableWithBroadcast,
        type: 'Decimal',
        nullable: false,
        description: 'Whole number of base units.',
      }),
      display: t.field({
        type: refs.DisplayAmountRef,
        description:
          'derived: the amount in the unit that people read, exactly. null when the denom has no metadata; `usd` counts mills and shows as USD.',
        resolve: (coin) => displayOf(pinOf(coin), coin),
      }),
    }),
  });
  builder.objectType(refs.DisplayAmountRef, {
    description: 'derived: an amount in its display unit.',
    fields: (t) => ({
      amount: t.expose('amount', { type: 'Decimal', nullable: false }),
      denom: t.exposeString('denom', { nullable: false, description: 'The display unit, such as `hash`.' }),
      symbol: t.exposeString('symbol', { nullable: false, description: 'Ticker; empty when the metadata has none.' }),
      exponent: t.exposeInt('exponent', { nullable: false, description: 'The display unit is 10^exponent base units.' }),
    }),
  });
  addConnection(builder, refs.CoinRef, refs.CoinConnectionRef, 'coins');
}

function addMetadata(builder: Builder): void {
  builder.objectType(refs.DenomMetadataRef, {
    description: 'How a denom is shown to people (bank metadata).',
    fields: (t) => ({
      description: t.exposeString('description', { nullable: false }),
      denomUnits: t.expose('denomUnits', { type: [DenomUnitRef], nullable: false, description: 'From the base unit up.' }),
      base: t.exposeString('base', { nullable: false }),
      display: t.exposeString('display', { nullable: false, description: 'The unit that people read.' }),
      name: t.exposeString('name', { nullable: false }),
      symbol: t.exposeString('symbol', { nullable: false }),
      uri: t.exposeString('uri', { nullable: false }),
      uriHash: t.exposeString('uriHash', { nullable: false }),
    }),
  });
  builder.objectType(DenomUnitRef, {
    description: 'A unit of a denom: 10^exponent base units.',
    fields: (t) => ({
      denom: t.exposeString('denom', { nullable: false }),
      exponent: t.exposeInt('exponent', { nullable: false }),
      aliases: t.exposeStringList('aliases', { nullable: false }),
    }),
  });
}

function addHolders(builder: Builder): void {
  builder.objectType(refs.HolderRef, {
    description: 'An account that holds a denom.',
    fields: (t) => ({
      account: t.field({ type: AccountRef, nullable: false, resolve: (holder) => accountOf(holder, holder.address) }),
      balance: t.field({ type: refs.CoinRef, nullable: false, resolve: (holder) => refs.coinOf(holder, holder.balance) }),
      supplyPercent: t.field({
        type: 'Decimal',
        description: 'derived: percent of the units that exist, 0 to 100; null when there are none.',
        resolve: (holder) => supplyPercentOf(pinOf(holder), holder.balance),
      }),
    }),
  });
  addConnection(builder, refs.HolderRef, refs.HolderConnectionRef, 'holders');
}

function addQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    supplyOf: t.field({
      type: refs.CoinRef,
      description: 'Units of a denom that exist, marker or not; amount 0 for an unknown denom.',
      args: { denom: t.arg.string({ required: true }) },
      resolve: async (root, { denom }) =>
        refs.coinOf(root, await pinOf(root).loaders(createBankLoaders).supply.load(denomInput('denom', denom))),
    }),
    denomMetadata: t.field({
      type: refs.DenomMetadataRef,
      description: 'How a denom is shown to people; null when the chain holds no metadata for it.',
      args: { denom: t.arg.string({ required: true }) },
      resolve: (root, { denom }) => pinOf(root).loaders(createBankLoaders).metadata.load(denomInput('denom', denom)),
    }),
    holders: t.field({
      type: refs.HolderConnectionRef,
      description:
        "Accounts that hold a denom, marker or not, by address. Includes a marker's own escrow account and module accounts.",
      args: { denom: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { denom, ...args }, _context, info) => connections.holders(root, denomInput('denom', denom), args, info),
    }),
  }));
}

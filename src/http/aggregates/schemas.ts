import { z } from 'zod';
import { accountKinds } from '../../modules/account/model.ts';
import { accesses, markerStatuses, markerTypes } from '../../modules/marker/model.ts';
import { partyTypes } from '../../modules/metadata/model.ts';
import { transferKinds } from '../../modules/transfers/model.ts';
import { unrecognized } from '../../reads/unrecognized.ts';

const address = z.string().describe('Bech32.');
const height = z.string().regex(/^\d+$/);
const time = z.iso.datetime({ precision: null });
const whole = z.string().regex(/^\d+$/).describe('Whole base units.');
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);

/** An amount in the unit that people read. */
export const displayAmount = z
  .object({
    amount: decimal.describe('Exact.'),
    denom: z.string().describe('The display unit, such as `hash`.'),
    symbol: z.string().describe('Ticker; empty when the metadata has none.'),
    exponent: z.int().describe('The display unit is 10^exponent base units.'),
  })
  .describe('An amount in the unit that people read.');

const shown = displayAmount.nullable().describe('null when the denom has no metadata; `usd` shows as USD.');

/** An amount of a denom. */
export const amount = z.object({ denom: z.string(), amount: whole, display: shown }).describe('An amount of a denom.');

/** What one unit is worth. */
export const price = z
  .object({
    denom: z.string().describe('The denom that it is told in.'),
    perUnit: decimal.describe('Of one base unit, in base units of `denom`; cut after 18 decimals.'),
    perDisplayUnit: displayAmount
      .nullable()
      .describe('Of one display unit, in the display unit of `denom`; null when either has none.'),
    updatedBlockHeight: height.describe('The block that set it: how old it is.'),
  })
  .describe('What one unit is worth, by the last net asset value.');

/** What an amount is worth. */
export const worth = z
  .object({
    denom: z.string(),
    amount: decimal.describe('In base units of `denom` (`usd`: mills); cut after 18 decimals.'),
    display: shown,
  })
  .describe('What an amount is worth: amount × price ÷ volume of the last net asset value.');

const priceOrNone = price.nullable().describe('null when there is no net asset value in the denom that was asked for.');
const worthOrNone = worth.nullable().describe('null when there is no net asset value in the denom that was asked for.');

/** Where a list goes on. */
export const pagination = z
  .object({
    nextCursor: z.string().nullable().describe('`pagination.cursor` of the next page; null at the end.'),
    hasMore: z.boolean().describe('Whether more may follow.'),
  })
  .describe('Where the list goes on.');

/** What an account holds of one denom. */
export const balance = z
  .object({
    denom: z.string().describe('A scope that it is value owner of is a coin `nft/scope1…`.'),
    amount: whole,
    display: shown,
    held: whole.describe('What of it is on hold, in base units.'),
    spendable: whole
      .nullable()
      .describe('What of it is neither on hold nor vesting, in base units; null where the chain does not tell.'),
    scopeId: z.string().nullable().describe('The scope whose coin it is; null for all others.'),
    price: priceOrNone,
    value: worthOrNone,
  })
  .describe('What an account holds of one denom.');

/** Who holds a denom. */
export const holder = z
  .object({
    address: address.describe("Bech32; a marker's own account and those of modules are among them."),
    amount: whole,
    display: shown,
    supplyPercent: decimal.nullable().describe('Percent of the units that exist, 0 to 100; null when there are none.'),
    value: worthOrNone,
  })
  .describe('An account that holds a denom.');

/** One movement of coins. */
export const transfer = z
  .object({
    kind: z.enum(transferKinds).describe('What it was for, told by the message that made it.'),
    sender: z.string().nullable().describe('Bech32; null where the event names none.'),
    recipient: address,
    amounts: z.array(amount),
    administrator: z.string().nullable().describe('Who ordered a MARKER_TRANSFER; null for other kinds.'),
    blockHeight: height,
    blockTime: time,
    transactionHash: z.string().nullable().describe('Upper case hex; null when a block itself moved the coins.'),
    messageType: z.string().nullable().describe('Type URL of the message that moved them; null for fees and blocks.'),
  })
  .describe('One movement of coins, read from a `transfer` event.');

/** What a volume of a denom is worth. */
export const netAssetValue = z
  .object({
    denom: z.string().describe("What has the value: a marker's denom, or a scope's coin `nft/scope1…`."),
    scopeId: z.string().nullable().describe('The scope that has it; null for a marker.'),
    price: amount.describe('For the whole volume; `usd` counts mills.'),
    volume: z.string().regex(/^\d+$/).describe('Base units that the price is for.'),
    pricePerUnit: decimal.nullable().describe('Price ÷ volume, in base units of both; null when the volume is 0.'),
    pricePerDisplayUnit: displayAmount
      .nullable()
      .describe('Of one display unit, in that of the price; null when the volume is 0 or either has none.'),
    updatedBlockHeight: height,
    updatedBlockTime: time
      .nullable()
      .describe('Time of that block; null for one of the genesis, and when no node has the block any more.'),
    source: z.string().nullable().describe('Who set it; null outside histories, as the chain does not store it.'),
    transactionHash: z
      .string()
      .nullable()
      .describe('Upper case hex; null outside histories, and for one set by a block itself.'),
  })
  .describe('What a volume of a denom, or a scope, is worth in one price denom.');

/** A token as the marker module has it. */
export const marker = z
  .object({
    address: address.describe("Bech32: the marker's own account, which holds its escrow."),
    markerType: z.enum([...markerTypes, unrecognized]),
    status: z.enum([...markerStatuses, unrecognized]),
    manager: z.string().nullable(),
    supply: whole.describe('The supply it is configured for, in base units.'),
    supplyFixed: z.boolean(),
    allowGovernanceControl: z.boolean(),
    allowForcedTransfer: z.boolean(),
    requiredAttributes: z.array(z.string()).describe('Names of attributes that a recipient needs (restricted markers).'),
    requireDepositAccess: z.boolean(),
    accessControl: z.array(z.object({ address, permissions: z.array(z.enum([...accesses, unrecognized])) })),
  })
  .describe('A token as the marker module has it.');

/** How a denom is shown, and what is known of it. */
export const denomDetails = z
  .object({
    denom: z.string(),
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    display: z.string().nullable().describe('The unit that people read.'),
    exponent: z.int().nullable().describe('The display unit is 10^exponent base units; null where there is none.'),
    description: z.string().nullable(),
    uri: z.string().nullable(),
    uriHash: z.string().nullable(),
    units: z
      .array(z.object({ denom: z.string(), exponent: z.int(), aliases: z.array(z.string()) }))
      .describe('From the base unit up; empty when the chain holds no metadata.'),
    supply: amount.describe('Units that exist.'),
    marker: marker.nullable().describe('null when the denom has none.'),
    scopeId: z.string().nullable().describe('The scope whose coin it is; null for all others.'),
    price: priceOrNone,
  })
  .describe('How a denom is shown to people, and what is known of it. Where the chain holds no metadata, its fields are null.');

/** What is known of an account. */
export const accountDetails = z
  .object({
    address,
    kind: z.enum(accountKinds).nullable().describe('null when the chain has no account at this address.'),
    moduleName: z.string().nullable().describe('Name of the module that owns it, such as `gov`; null for all others.'),
    denom: z.string().nullable().describe('The denom of the marker whose account it is; null for all others.'),
    accountNumber: z.string().nullable().describe('null when there is no account.'),
    sequence: z.string().nullable().describe('What its next transaction must carry; null when there is no account.'),
    names: z.array(z.string()).describe('The first 20 names that are bound to it.'),
    hasMoreNames: z.boolean(),
    accountData: z.string().describe('Free text that it keeps about itself; empty when there is none.'),
  })
  .describe('What an address is, and what it is called.');

const partyType = z.enum([...partyTypes, unrecognized]);

/** A scope and its specification. */
export const scopeDetails = z
  .object({
    id: z.string().describe('Bech32 address `scope1…`.'),
    uuid: z.string(),
    denom: z.string().describe('Its coin, `nft/scope1…`, which its value owner holds.'),
    specification: z
      .object({
        id: z.string().describe('Bech32 address `scopespec1…`.'),
        name: z.string(),
        description: z.string(),
        websiteUrl: z.string(),
        iconUrl: z.string(),
      })
      .nullable()
      .describe('null when the scope names one that does not exist.'),
    owners: z.array(z.object({ address, role: partyType, optional: z.boolean() })),
    dataAccess: z.array(address).describe('Accounts that may read its off-chain data.'),
    valueOwner: z.string().nullable().describe('Who owns its value; null when nobody does.'),
    requirePartyRollup: z.boolean(),
    price: priceOrNone,
    value: worthOrNone,
  })
  .describe('A unique asset, who is concerned with it, and what it is worth.');

/** The schemas that have a name of their own in a description. */
export const namedSchemas = {
  DisplayAmount: displayAmount,
  Amount: amount,
  Price: price,
  Worth: worth,
  Pagination: pagination,
  Balance: balance,
  Holder: holder,
  Transfer: transfer,
  NetAssetValue: netAssetValue,
  Marker: marker,
  DenomDetails: denomDetails,
  ScopeDetails: scopeDetails,
  AccountDetails: accountDetails,
} as const;

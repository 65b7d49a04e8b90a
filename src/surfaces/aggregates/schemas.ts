import { z } from 'zod';
import { ErrorCode } from '../../config/errorCodes.ts';
import { accountKinds } from '../../modules/account/query.ts';
import { type Coin, displayOf } from '../../modules/bank/query.ts';
import { createBlockLoaders } from '../../modules/blocks/query.ts';
import { accesses, markerStatuses, markerTypes } from '../../modules/marker/query.ts';
import { partyTypes } from '../../modules/metadata/query.ts';
import { pricePerDisplayUnit, pricePerUnit, type Valuation, valuationOf } from '../../modules/netAssetValue/query.ts';
import { transferKinds } from '../../modules/transfers/query.ts';
import { unrecognized } from '../../reads/input.ts';
import type { Pin } from '../../reads/pin.ts';
import { orIfAbsent } from '../../reads/query.ts';

/** The schema of an object. Its fields are those of its description in OpenAPI. */
export const objectOf = <F extends z.ZodRawShape>(description: string, fields: F) => z.object(fields).describe(description);

/** A schema that allows null. `description` says what null means. */
export const orNull = <S extends z.ZodType>(schema: S, description: string) => schema.nullable().describe(description);

/** The body of every error: a stable code, the same as in GraphQL, and the facts of the code. */
export const errorSchema = z
  .looseObject({
    code: z.enum(ErrorCode).describe('Stable error code. New codes can be added.'),
    message: z.string().describe('A message for developers. It can change.'),
    field: z.string().optional().describe('The invalid parameter or header.'),
    value: z.string().optional().describe('Its value, cut to 64 characters.'),
    bound: z.string().optional().describe('What the value must be.'),
    limit: z.string().optional().describe('Name of the exceeded limit.'),
    max: z.number().optional().describe('The value of the limit.'),
    retryAfter: z.number().int().optional().describe('Seconds after which to retry.'),
    requestId: z.string().optional().describe('Id of the request in the server log. Only for internal errors.'),
  })
  .describe('An error. Some codes have further members, such as heights.');

export const address = z.string().describe('Bech32 address.');
export const height = z.string().regex(/^\d+$/);
export const time = z.iso.datetime({ precision: null });
const whole = z.string().regex(/^\d+$/).describe('An integer, in base units.');
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);

const displayAmount = objectOf('An amount in the display unit.', {
  amount: decimal.describe('Exact decimal amount.'),
  denom: z.string().describe('The display unit, such as `hash`.'),
  symbol: z.string().describe('Ticker symbol. Empty if the metadata has none.'),
  exponent: z.int().describe('One display unit is 10^exponent base units.'),
});

const displayOrNone = orNull(
  displayAmount,
  'null if the denom has no metadata. On chains with markers, `usd` counts mills and is displayed as USD.',
);

export const amount = objectOf('An amount of a denom.', { denom: z.string(), amount: whole, display: displayOrNone });

export const price = objectOf('The price of one unit, from the last net asset value.', {
  denom: z.string().describe('The price denom.'),
  perUnit: decimal.describe('Price of one base unit, in base units of `denom`, truncated to 18 decimals.'),
  perDisplayUnit: orNull(
    displayAmount,
    'Price of one display unit, in the display unit of `denom`. null if one of the denoms has no display unit.',
  ),
  updatedBlockHeight: height.describe('Height of the block that set the price.'),
});

const worth = objectOf('The value of an amount: amount × price ÷ volume of the last net asset value.', {
  denom: z.string(),
  amount: decimal.describe('In base units of `denom` (mills for `usd`), truncated to 18 decimals.'),
  display: displayOrNone,
});

const priceOrNone = orNull(price, 'null if there is no net asset value in the requested price denom.');
const worthOrNone = orNull(worth, 'null if there is no net asset value in the requested price denom.');

export const pagination = objectOf('How to read the next page of the list.', {
  nextCursor: orNull(z.string(), 'Value of `pagination.cursor` for the next page. null on the last page.'),
  hasMore: z.boolean().describe('Whether there may be a next page.'),
});

export const balance = objectOf('The balance of an account in one denom.', {
  denom: z.string().describe('The denom. The value owner of a scope holds the denom `nft/scope1…`.'),
  amount: whole,
  display: displayOrNone,
  held: whole.describe('The amount on hold, in base units.'),
  spendable: orNull(
    whole,
    'The amount that is neither on hold nor vesting, in base units. null if the chain does not report it.',
  ),
  scopeId: orNull(z.string(), 'The scope, if this is the denom of a scope. null for all other denoms.'),
  price: priceOrNone,
  value: worthOrNone,
});

export const holder = objectOf('An account that holds a denom.', {
  address: address.describe('Bech32 address. The accounts of markers and modules are included.'),
  amount: whole,
  display: displayOrNone,
  supplyPercent: orNull(decimal, 'Percentage of the supply, from 0 to 100. null if the supply is 0.'),
  value: worthOrNone,
});

export const transfer = objectOf('One transfer of coins, from a `transfer` event.', {
  kind: z.enum(transferKinds).describe('The purpose of the transfer, from the message that caused it.'),
  sender: orNull(z.string(), 'Bech32 address. null if the event contains none.'),
  recipient: address,
  amounts: z.array(amount),
  administrator: orNull(z.string(), 'The account that ordered a MARKER_TRANSFER. null for other kinds.'),
  blockHeight: height,
  blockTime: time,
  transactionHash: orNull(z.string(), 'Upper-case hex. null if the transfer belongs to the block and not to a transaction.'),
  messageType: orNull(
    z.string(),
    'Type URL of the message that caused the transfer. null for fees and for transfers of the block.',
  ),
});

export const netAssetValue = objectOf('The net asset value of a denom or a scope in one price denom.', {
  denom: z.string().describe('The denom of the marker, or the denom of the scope: `nft/scope1…`.'),
  scopeId: orNull(z.string(), 'The scope. null for a marker.'),
  price: amount.describe('The price of the whole volume. `usd` is in mills.'),
  volume: z.string().regex(/^\d+$/).describe('The volume that the price is for, in base units.'),
  pricePerUnit: orNull(decimal, 'Price ÷ volume, both in base units. null if the volume is 0.'),
  pricePerDisplayUnit: orNull(
    displayAmount,
    'Price of one display unit, in the display unit of the price denom. null if the volume is 0 or one of the denoms has no display unit.',
  ),
  updatedBlockHeight: height,
  updatedBlockTime: orNull(time, 'Time of that block. null for a value of the genesis, and if no node has the block any more.'),
  source: orNull(z.string(), 'The source of the value. null without `history`, because the chain does not store it.'),
  transactionHash: orNull(
    z.string(),
    'Upper-case hex. null without `history`, and for a value that was not set by a transaction.',
  ),
});

export const marker = objectOf('The marker of a denom, from the marker module.', {
  address: address.describe("Bech32 address of the marker's account, which holds its escrow."),
  markerType: z.enum([...markerTypes, unrecognized]),
  status: z.enum([...markerStatuses, unrecognized]),
  manager: z.string().nullable(),
  supply: whole.describe('The configured supply, in base units.'),
  supplyFixed: z.boolean(),
  allowGovernanceControl: z.boolean(),
  allowForcedTransfer: z.boolean(),
  requiredAttributes: z.array(z.string()).describe('Names of attributes that a recipient must have (restricted markers).'),
  requireDepositAccess: z.boolean(),
  accessControl: z.array(z.object({ address, permissions: z.array(z.enum([...accesses, unrecognized])) })),
});

export const denomDetails = objectOf(
  'The details of a denom. If the chain has no metadata of the denom, the fields of the metadata are null.',
  {
    denom: z.string(),
    name: z.string().nullable(),
    symbol: z.string().nullable(),
    display: orNull(z.string(), 'The display unit.'),
    exponent: orNull(z.int(), 'One display unit is 10^exponent base units. null if there is no display unit.'),
    description: z.string().nullable(),
    uri: z.string().nullable(),
    uriHash: z.string().nullable(),
    units: z
      .array(z.object({ denom: z.string(), exponent: z.int(), aliases: z.array(z.string()) }))
      .describe('The units, starting with the base unit. Empty if the chain has no metadata.'),
    supply: amount.describe('The total supply.'),
    marker: orNull(marker, 'null if the denom has no marker.'),
    scopeId: orNull(z.string(), 'The scope, if this is the denom of a scope. null for all other denoms.'),
    price: priceOrNone,
  },
);

export const accountDetails = objectOf('The details of an account.', {
  address,
  kind: orNull(z.enum(accountKinds), 'null if the chain has no account at this address.'),
  moduleName: orNull(z.string(), 'Name of the module that owns the account, such as `gov`. null for all other accounts.'),
  denom: orNull(z.string(), 'The denom of the marker that owns the account. null for all other accounts.'),
  accountNumber: orNull(z.string(), 'null if there is no account.'),
  sequence: orNull(z.string(), 'The sequence that the next transaction must contain. null if there is no account.'),
  names: z.array(z.string()).describe('The first 20 names that are bound to the address.'),
  hasMoreNames: z.boolean(),
  accountData: z.string().describe('Free text that the account stores about itself. Empty if there is none.'),
});

const partyType = z.enum([...partyTypes, unrecognized]);

export const scopeDetails = objectOf('A scope, which represents a unique asset: its owners, its value owner and its value.', {
  id: z.string().describe('Bech32 address: `scope1…`.'),
  uuid: z.string(),
  denom: z.string().describe('The denom of the scope, `nft/scope1…`. The value owner holds it.'),
  specification: orNull(
    z.object({
      id: z.string().describe('Bech32 address: `scopespec1…`.'),
      name: z.string(),
      description: z.string(),
      websiteUrl: z.string(),
      iconUrl: z.string(),
    }),
    'null if the specification does not exist.',
  ),
  owners: z.array(z.object({ address, role: partyType, optional: z.boolean() })),
  dataAccess: z.array(address).describe('Accounts that may read the off-chain data of the scope.'),
  valueOwner: orNull(z.string(), 'Address of the value owner. null if there is none.'),
  requirePartyRollup: z.boolean(),
  price: priceOrNone,
  value: worthOrNone,
});

/** The schemas that have a name in the OpenAPI description. */
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

export async function amountOf(pin: Pin, coin: Coin): Promise<z.output<typeof amount>> {
  return { denom: coin.denom, amount: coin.amount, display: await displayOf(pin, coin) };
}

/** The price of one unit and the value of a coin, in a price denom. null if there is no net asset value in that denom. */
interface Worth {
  readonly price: z.output<typeof price> | null;
  readonly value: z.output<typeof worth> | null;
}

async function priceOf(pin: Pin, { netAssetValue: value }: Valuation): Promise<z.output<typeof price> | null> {
  const perUnit = pricePerUnit(value);
  if (perUnit === null) return null;
  return {
    denom: value.price.denom,
    perUnit,
    perDisplayUnit: await pricePerDisplayUnit(pin, value),
    updatedBlockHeight: value.updatedBlockHeight.toString(),
  };
}

export async function worthOf(pin: Pin, coin: Coin, priceDenom: string): Promise<Worth> {
  const valuation = await orIfAbsent(valuationOf(pin, coin, priceDenom), null);
  if (valuation === null) return { price: null, value: null };
  const { denom, amount: worthAmount, display } = valuation;
  return { price: await priceOf(pin, valuation), value: { denom, amount: worthAmount, display } };
}

/** Returns the time of a block at or below the pinned height. The time of the head needs no read. */
export async function blockTime(pin: Pin, height: bigint): Promise<string> {
  const head = pin.client.head.current();
  return head?.height === height ? head.time : (await pin.loaders(createBlockLoaders).block.load(height)).header.time;
}

/** Schemas by the names of their components in OpenAPI 3.0. They refer to each other as `#/components/schemas/…`. */
export function componentSchemas(schemasByName: Readonly<Record<string, z.ZodType>>): Readonly<Record<string, object>> {
  const names = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemasByName)) names.add(schema, { id });
  const { schemas } = z.toJSONSchema(names, {
    target: 'openapi-3.0',
    uri: (id) => `#/components/schemas/${id}`,
    override({ jsonSchema }) {
      // Python clients convert a date-time to an object before they match the pattern.
      if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
      // In OpenAPI 3.0.3, a nullable enum must list null among its values.
      if (jsonSchema.nullable === true && jsonSchema.enum !== undefined) jsonSchema.enum = [...jsonSchema.enum, null];
    },
  });
  return Object.fromEntries(Object.entries(schemas).map(([id, { $id: _, ...schema }]) => [id, schema]));
}

import { concat, toBase64 } from '../bytes.ts';
import { sha256 } from '../merkle.ts';
import { nameHash } from '../plans/attribute.ts';
import { bech32 } from '../plans/bech32.ts';
import { lengthPrefixed, textBytes } from '../plans/keyParts.ts';
import { UnplannedRequest } from '../plans/plan.ts';
import { decimalOf, printed } from '../plans/rules/decimal.ts';
import { bytesField, Message, uintField } from '../plans/wire.ts';
import { type ChainList, derivedPage, page, pageOf, pageRules, wholeList } from './pages.ts';
import {
  account,
  accounts,
  addressKey,
  allTexts,
  base64,
  decimal,
  decimalText,
  duration,
  flag,
  int,
  name,
  nameOf,
  nested,
  optionalAccount,
  optionalTime,
  percentText,
  text,
  texts,
  time,
  uint,
} from './print.ts';
import {
  accountOf,
  type Call,
  messagesOf,
  noMessage,
  ownField,
  type Result,
  type Rule,
  type Rules,
  type Source,
  source,
} from './rules.ts';
import type { Steps } from './steps.ts';

// The types of balances, accounts, attributes, names, markers, scopes, fee grants and delegations.

const bank = '/cosmos.bank.v1beta1.Query/';
const markers = '/provenance.marker.v1.Query/';
const metadata = '/provenance.metadata.v1.Query/';
const attributes = '/provenance.attribute.v1.Query/';
const staking = '/cosmos.staking.v1beta1.Query/';
const feegrant = '/cosmos.feegrant.v1beta1.Query/';

const addressOf = ({ on }: Call): string => String(on.own?.address);
const coinOf = (message: Message): Source => source('Coin', message);
const coinsIn = (message: Message, field: number): readonly Source[] => messagesOf(message, field).map(coinOf);
const coins = (field: number): Rule => ({ types: ['Coin'], value: ({ on }) => coinsIn(on.message, field) });
/** A coin that is in no stored message as such. */
const makeCoin = (denom: string, amount: string): Source =>
  coinOf(new Message(concat(bytesField(1, denom), bytesField(2, amount))));
const sizedKey = (address: string): Uint8Array => lengthPrefixed(addressKey(address));
const ofType =
  (type: string, field = 1) =>
  (response: Message): readonly Source[] =>
    messagesOf(response, field).map((message) => source(type, message));

/** Reads one message of a response, or null if something is absent. */
function* read(call: Call, type: string, path: string, field: number, ...request: readonly Uint8Array[]): Steps<Source | null> {
  const response = yield* call.ask(path, ...request);
  return response?.has(field) ? source(type, response.message(field)) : null;
}

// Balances.

const denomKey = ({ message }: Source): Uint8Array => textBytes(message.text(1));
const coinList = (method: string, name: string, address: string): ChainList => ({
  type: 'Coin',
  name: `${name}/${address}`,
  path: bank + method,
  request: bytesField(1, address),
  items: ofType('Coin'),
  keyOf: denomKey,
});
const supplyList: ChainList = {
  ...coinList('TotalSupply', 'totalSupply', ''),
  request: new Uint8Array(),
  pageField: 1,
};
const holders = (denom: string): ChainList => ({
  type: 'Holder',
  name: `holders/${denom}`,
  path: `${bank}DenomOwners`,
  request: bytesField(1, denom),
  items: ofType('Holder'),
  keyOf: ({ message }) => sizedKey(message.text(1)),
});
const supplyOf = (call: Call, denom: string) => read(call, 'Coin', `${bank}SupplyOf`, 1, bytesField(1, denom));
const denomMetadata = (call: Call, denom: string) =>
  read(call, 'DenomMetadata', `${bank}DenomMetadata`, 1, bytesField(1, denom));
const metadataOf = (denomOf: (call: Call) => string): Rule => ({
  types: ['DenomMetadata'],
  value: (call) => denomMetadata(call, denomOf(call)),
});
const ownDenom = ({ on }: Call): string => on.message.text(1);
const display: Rule = {
  types: ['DisplayAmount'],
  level: 'RECOMPUTED',
  rule: 'display unit',
  *value(call): Steps<Result> {
    // On chains with markers it counts thousandths of a dollar, without metadata.
    if (ownDenom(call) === 'usd') throw new UnplannedRequest('the unit of usd is in no store');
    const stored = yield* denomMetadata(call, ownDenom(call));
    const unit = messagesOf(stored?.message ?? noMessage, 2).find((one) => one.text(1) === stored?.message.text(4));
    if (stored === null || unit === undefined) return null;
    const { units, decimals } = decimalOf(call.on.message.text(2) || '0');
    const exponent = Number(unit.uint(2));
    const amount = decimalText(printed({ units, decimals: decimals + exponent }));
    const values = { amount, denom: unit.text(1), symbol: stored.message.text(6), exponent };
    return source('DisplayAmount', noMessage, { own: values, level: 'RECOMPUTED', rule: 'display unit' });
  },
};

// Accounts.

const baseTypes: Readonly<Record<string, readonly number[]>> = {
  '/cosmos.auth.v1beta1.BaseAccount': [],
  '/cosmos.auth.v1beta1.ModuleAccount': [1],
  '/provenance.marker.v1.MarkerAccount': [1],
  '/cosmos.vesting.v1beta1.BaseVestingAccount': [1],
  '/cosmos.vesting.v1beta1.ContinuousVestingAccount': [1, 1],
  '/cosmos.vesting.v1beta1.DelayedVestingAccount': [1, 1],
  '/cosmos.vesting.v1beta1.PeriodicVestingAccount': [1, 1],
  '/cosmos.vesting.v1beta1.PermanentLockedAccount': [1, 1],
};

/** The type of a stored account, its content, and its base; null if there is none. */
function* accountAt(call: Call): Steps<{ readonly type: string; readonly content: Message; readonly base: Message } | null> {
  const response = yield* call.ask('/cosmos.auth.v1beta1.Query/Account', bytesField(1, addressOf(call)));
  if (response === null) return null;
  const any = response.message(1);
  const [type, content] = [any.text(1), any.message(2)];
  const path = Object.hasOwn(baseTypes, type) ? baseTypes[type] : undefined;
  if (path === undefined) throw new UnplannedRequest(`the account is of type ${type}`);
  return { type, content, base: path.reduce((message, field) => message.message(field), content) };
}

const accountField = (
  value: (stored: { readonly type: string; readonly content: Message; readonly base: Message }) => Result,
  types?: readonly string[],
): Rule => ({
  ...(types && { types }),
  *value(call): Steps<Result> {
    const stored = yield* accountAt(call);
    return stored && value(stored);
  },
});

const isGroupPolicy = (key: Message): boolean =>
  key.text(1) === '/cosmos.auth.v1beta1.ModuleCredential' && key.message(2).text(1) === 'group';

const simpleKeys = ['/cosmos.crypto.secp256k1.PubKey', '/cosmos.crypto.ed25519.PubKey'];

// Attributes and names.

function attributeList(address: string, { name: exact = null, suffix = null }: Call['args']): ChainList {
  const byName = (method: string, start: string, value: unknown, hasPageKeys: boolean): ChainList => {
    const plain = String(value).trim().toLowerCase();
    return {
      ...attributeList(address, {}),
      name: `${start}/${address} ${plain}`,
      path: attributes + method,
      request: concat(bytesField(1, address), bytesField(2, plain)),
      pageField: 3,
      hasPageKeys,
    };
  };
  if (exact !== null && suffix !== null) throw new UnplannedRequest('attributes by name and suffix');
  if (exact !== null) return byName('Attribute', 'attribute', exact, false);
  if (suffix !== null) return byName('Scan', 'attributeScan', suffix, true);
  return {
    type: 'Attribute',
    name: `attributes/${address}`,
    path: `${attributes}Attributes`,
    request: bytesField(1, address),
    responseField: 3,
    items: ofType('Attribute', 2),
    keyOf: ({ message }) => concat(nameHash(message.text(1)), sha256(message.bytes(2))),
    pageKey: (key) => key,
    isFiltered: true,
  };
}
const attributePage = (addressIn: (call: Call) => string): Rule =>
  page('Attribute', (call) => attributeList(addressIn(call), call.args));

const attributeAccounts = (call: Call): ChainList => {
  const plain = call.text('name').trim().toLowerCase();
  return {
    type: 'Account',
    name: `attributeAccounts/${plain}`,
    path: `${attributes}AttributeAccounts`,
    request: bytesField(1, plain),
    pageField: 99,
    responseField: 99,
    items: (response) => allTexts(response, 1).map(accountOf),
    keyOf: ({ own }) => addressKey(String(own?.address)),
  };
};

const accountData = (addressIn: (call: Call) => string): Rule => ({
  *value(call): Steps<Result> {
    const response = yield* call.ask(`${attributes}AccountData`, bytesField(1, addressIn(call)));
    return response?.text(1) ?? null;
  },
});

const lossy = new TextDecoder('utf-8', { ignoreBOM: true });
const attributeTypes = 'UNSPECIFIED UUID JSON STRING URI INT FLOAT PROTO BYTES';
const attributeValue: Rule = {
  value({ on }) {
    const number = on.message.uint(3);
    const bytes = on.message.bytes(2);
    return number > 6n ? toBase64(bytes) : lossy.decode(bytes);
  },
};

const nameOfRow = ({ own }: Source): string => String(own?.name);
const names = (call: Call): ChainList => ({
  type: 'NameRecord',
  name: `names/${addressOf(call)}`,
  path: '/provenance.name.v1.Query/ReverseLookup',
  request: bytesField(1, addressOf(call)),
  items: (response) =>
    allTexts(response, 1).map((bound) =>
      source('NameRecord', noMessage, { own: { name: bound, account: accountOf(addressOf(call)) } }),
    ),
  keyOf: (record) => nameHash(nameOfRow(record)),
});
const binding = (call: Call, bound: string) => call.ask('/provenance.name.v1.Query/Resolve', bytesField(1, bound));

// Markers and prices.

function* markerAt(call: Call, denom: string): Steps<Source | null> {
  const response = yield* call.ask(`${markers}Marker`, bytesField(1, denom));
  return response && source('Marker', response.message(1).message(2));
}
const markerDenom = ({ on }: Call): string => on.message.text(5);
const allMarkers: ChainList = {
  type: 'Marker',
  name: 'markers/',
  path: `${markers}AllMarkers`,
  request: new Uint8Array(),
  items: (response) => messagesOf(response, 1).map((any) => source('Marker', any.message(2))),
  keyOf: ({ message }) => sizedKey(message.message(1).text(1)),
};
const accesses = 'UNSPECIFIED MINT BURN DEPOSIT WITHDRAW DELETE ADMIN TRANSFER FORCE_TRANSFER';

/** The net asset values of a marker or a scope, whose numbers are in other fields. */
const netAssetValues = (path: string, idOf: (call: Call) => string, volume: number, height: number): Rule => ({
  types: ['NetAssetValue'],
  *value(call): Steps<Result> {
    const response = yield* call.ask(path, bytesField(1, idOf(call)));
    return (
      response &&
      messagesOf(response, 1).map((message) =>
        source('NetAssetValue', message, {
          own: { volume: String(message.uint(volume)), updatedBlockHeight: String(message.uint(height)) },
        }),
      )
    );
  },
});

// Scopes.

const uuidText = (id: Uint8Array): string => {
  const digits = [...id.subarray(1, 17)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};
const metadataId = (field: number, prefix: string): Rule => ({ value: ({ on }) => bech32(prefix, on.message.bytes(field)) });
const metadataUuid: Rule = { value: ({ on }) => uuidText(on.message.bytes(1)) };
const withoutInfo = uintField(12, 1n);

function* scopeAt(call: Call, id: string): Steps<Source | null> {
  const response = yield* call.ask(`${metadata}Scope`, bytesField(1, id.toLowerCase()), withoutInfo);
  const scope = response?.message(1);
  return scope?.has(1) ? source('Scope', scope.message(1)) : null;
}
function* specificationAt(call: Call, id: string): Steps<Source | null> {
  const response = yield* call.ask(`${metadata}ScopeSpecification`, bytesField(1, id.toLowerCase()), withoutInfo);
  const specification = response?.message(1);
  return specification?.has(1) ? source('ScopeSpecification', specification.message(1)) : null;
}
const scopeId = ({ on }: Call): string => bech32('scope', on.message.bytes(1));
const allScopes: ChainList = {
  type: 'Scope',
  name: 'scopes/',
  path: `${metadata}ScopesAll`,
  request: withoutInfo,
  pageField: 99,
  responseField: 99,
  items: (response) => messagesOf(response, 1).flatMap((one) => (one.has(1) ? [source('Scope', one.message(1))] : [])),
  keyOf: ({ message }) => message.bytes(1).subarray(1, 17),
  pageKey: (key) => key,
};
const uuidKey = ({ own }: Source): Uint8Array =>
  Uint8Array.from(String(own?.uuid).replaceAll('-', '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));

/** A page of scopes that the chain lists by their UUIDs. */
const scopesOf = (method: string, start: string): Rule => ({
  types: ['ScopeConnection'],
  value(call) {
    const list: ChainList = {
      type: 'Scope',
      name: `${start}/${addressOf(call)}`,
      path: metadata + method,
      request: bytesField(1, addressOf(call)),
      pageField: 99,
      responseField: 99,
      items: (response) => allTexts(response, 1).map((uuid) => source('Scope', noMessage, { own: { uuid } })),
      keyOf: uuidKey,
    };
    return pageOf(call, list, function* (item) {
      const scope = yield* scopeAt(call, String(item.own?.uuid));
      if (scope === null) throw new UnplannedRequest('the chain lists a scope that does not exist');
      return scope;
    });
  },
});
const partyTypes =
  'UNSPECIFIED ORIGINATOR SERVICER INVESTOR CUSTODIAN OWNER AFFILIATE OMNIBUS PROVENANCE - CONTROLLER VALIDATOR GENERIC_1 GENERIC_2 GENERIC_3 GENERIC_4 GENERIC_5 GENERIC_6';
const packedNames = (field: number, start: string, list: string): Rule => ({
  value({ on }) {
    const numbers = on.message.all(field).flatMap((bytes) => [...bytes]);
    if (numbers.some((number) => number > 127)) throw new Error('a number is longer than one byte');
    return numbers.map((number) => nameOf(start, list, BigInt(number)));
  },
});

// Fee grants.

const allowanceTypes = ['BasicAllowance', 'PeriodicAllowance', 'AllowedMsgAllowance', 'OtherFeeAllowance'];
const allowanceOf = (any: Message): Source => {
  const type = allowanceTypes.find((one) => any.text(1) === `/cosmos.feegrant.v1beta1.${one}`) ?? 'OtherFeeAllowance';
  const values = { type: any.text(1), value: toBase64(any.bytes(2)) };
  return source(type, type === 'OtherFeeAllowance' ? noMessage : any.message(2), { own: values });
};
const grants = (call: Call, method: string, start: string, field: number, isFiltered: boolean): ChainList => ({
  type: 'FeeGrant',
  name: `${start}/${addressOf(call)}`,
  path: feegrant + method,
  request: bytesField(1, addressOf(call)),
  items: ofType('FeeGrant'),
  keyOf: ({ message }) => sizedKey(message.text(field)),
  isFiltered,
});

// Delegations.

const delegationKey = ({ message }: Source): Uint8Array => addressKey(message.message(1).text(2));
const delegations = (address: string): ChainList => ({
  type: 'Delegation',
  name: `delegations/${address}`,
  path: `${staking}DelegatorDelegations`,
  request: bytesField(1, address),
  items: ofType('Delegation'),
  keyOf: delegationKey,
});
function* bondCoin(call: Call, amount: string): Steps<Source> {
  const params = yield* call.ask(`${staking}Params`);
  return makeCoin(params?.message(1).text(5) ?? '', amount);
}
const staked = (field: number): Rule => ({
  types: ['Coin'],
  value: (call) => bondCoin(call, call.on.message.text(field) || '0'),
});

/** The rules of these types. */
export const stateRules: Readonly<Record<string, Rules>> = {
  Coin: {
    denom: text(1),
    amount: decimal(2),
    display,
    metadata: metadataOf(ownDenom),
    marker: {
      types: ['Marker'],
      value: (call) => (ownDenom(call).startsWith('nft/scope1') ? null : markerAt(call, ownDenom(call))),
    },
    scope: {
      types: ['Scope'],
      value: (call) => (ownDenom(call).startsWith('nft/scope1') ? scopeAt(call, ownDenom(call).slice(4)) : null),
    },
  },
  DisplayAmount: Object.fromEntries(
    ['amount', 'denom', 'symbol', 'exponent'].map((field) => [field, ownField(field, { level: 'RECOMPUTED' })]),
  ),
  DenomMetadata: {
    description: text(1),
    denomUnits: { types: ['DenomUnit'], value: ({ on }) => ofType('DenomUnit', 2)(on.message) },
    base: text(3),
    display: text(4),
    name: text(5),
    symbol: text(6),
    uri: text(7),
    uriHash: text(8),
  },
  DenomUnit: { denom: text(1), exponent: int(2), aliases: texts(3) },
  Holder: {
    account: account(1),
    balance: nested('Coin', 2),
    supplyPercent: {
      level: 'RECOMPUTED',
      rule: 'percentage',
      *value(call): Steps<Result> {
        const balance = call.on.message.message(2);
        const supply = yield* supplyOf(call, balance.text(1));
        return supply && percentText(balance.text(2) || '0', supply.message.text(2) || '0');
      },
    },
  },
  PublicKey: { type: ownField('type'), value: ownField('value') },
  Attribute: {
    name: text(1),
    value: attributeValue,
    valueBase64: base64(2),
    attributeType: name(3, 'ATTRIBUTE_TYPE_', attributeTypes),
    address: text(4),
    account: account(4),
    expirationDate: optionalTime(5),
    concreteType: text(6),
  },
  NameRecord: {
    name: ownField('name'),
    account: ownField('account', { types: ['Account'] }),
    restricted: {
      *value(call): Steps<Result> {
        const bound = yield* binding(call, nameOfRow(call.on));
        return bound?.flag(2) ?? null;
      },
    },
  },
  Marker: {
    denom: text(5),
    account: account(1, 1),
    manager: optionalAccount(2),
    accessControl: { types: ['AccessGrant'], value: ({ on }) => ofType('AccessGrant', 3)(on.message) },
    status: name(4, 'MARKER_STATUS_', 'UNSPECIFIED PROPOSED FINALIZED ACTIVE CANCELLED DESTROYED'),
    supply: { types: ['Coin'], value: (call) => makeCoin(markerDenom(call), call.on.message.text(6) || '0') },
    circulation: { types: ['Coin'], value: (call) => supplyOf(call, markerDenom(call)) },
    markerType: name(7, 'MARKER_TYPE_', 'UNSPECIFIED COIN RESTRICTED'),
    supplyFixed: flag(8),
    allowGovernanceControl: flag(9),
    allowForcedTransfer: flag(10),
    requiredAttributes: texts(11),
    requireDepositAccess: flag(12),
    metadata: metadataOf(markerDenom),
    escrow: {
      types: ['Coin'],
      *value(call): Steps<Result> {
        const response = yield* call.ask(`${markers}Escrow`, bytesField(1, markerDenom(call)));
        return response && coinsIn(response, 1);
      },
    },
    holders: page('Holder', (call) => holders(markerDenom(call))),
    netAssetValues: netAssetValues(`${markers}NetAssetValues`, markerDenom, 2, 3),
  },
  AccessGrant: { account: account(1), permissions: packedNames(2, 'ACCESS_', accesses) },
  NetAssetValue: { price: nested('Coin', 1), volume: ownField('volume'), updatedBlockHeight: ownField('updatedBlockHeight') },
  Scope: {
    id: metadataId(1, 'scope'),
    uuid: metadataUuid,
    specification: {
      types: ['ScopeSpecification'],
      value: (call) => (call.on.message.has(2) ? specificationAt(call, bech32('scopespec', call.on.message.bytes(2))) : null),
    },
    owners: { types: ['Party'], value: ({ on }) => ofType('Party', 3)(on.message) },
    dataAccess: accounts(4),
    valueOwner: optionalAccount(5),
    requirePartyRollup: flag(6),
    attributes: attributePage(scopeId),
    netAssetValues: netAssetValues(`${metadata}ScopeNetAssetValues`, scopeId, 3, 2),
  },
  Party: { account: account(1), role: name(2, 'PARTY_TYPE_', partyTypes), optional: flag(3) },
  ScopeSpecification: {
    id: metadataId(1, 'scopespec'),
    uuid: metadataUuid,
    name: text(2, 1),
    description: text(2, 3),
    websiteUrl: text(2, 4),
    iconUrl: text(2, 5),
    owners: accounts(3),
    partiesInvolved: packedNames(4, 'PARTY_TYPE_', partyTypes),
    contractSpecIds: { value: ({ on }) => on.message.all(5).map((id) => bech32('contractspec', id)) },
  },
  FeeGrant: {
    granter: account(1),
    grantee: account(2),
    allowance: { types: allowanceTypes, value: ({ on }) => allowanceOf(on.message.message(3)) },
  },
  BasicAllowance: { type: ownField('type'), spendLimit: coins(1), expiration: optionalTime(2) },
  PeriodicAllowance: {
    type: ownField('type'),
    basic: {
      types: ['BasicAllowance'],
      value: ({ on }) =>
        source('BasicAllowance', on.message.message(1), { own: { type: '/cosmos.feegrant.v1beta1.BasicAllowance' } }),
    },
    period: duration(2),
    periodSpendLimit: coins(3),
    periodCanSpend: coins(4),
    periodReset: time(5),
  },
  AllowedMsgAllowance: {
    type: ownField('type'),
    allowance: { types: allowanceTypes, value: ({ on }) => allowanceOf(on.message.message(1)) },
    allowedMessages: texts(2),
  },
  OtherFeeAllowance: { type: ownField('type'), value: ownField('value') },
  AccountStaking: {
    total: {
      types: ['Coin'],
      level: 'RECOMPUTED',
      rule: 'sum',
      *value(call): Steps<Result> {
        const list = yield* wholeList(call, delegations(addressOf(call)));
        const sum = list.reduce((total, { message }) => total + BigInt(message.message(2).text(2)), 0n);
        return { ...(yield* bondCoin(call, String(sum))), level: 'RECOMPUTED', rule: 'sum' };
      },
    },
    delegations: {
      types: ['DelegationConnection'],
      level: 'RECOMPUTED',
      rule: 'balance of a delegation',
      *value(call): Steps<Result> {
        const list = yield* wholeList(call, delegations(addressOf(call)));
        const sorted = list.toSorted((one, other) => (delegationText(one) < delegationText(other) ? -1 : 1));
        return derivedPage(call, 'Delegation', `delegations/${addressOf(call)}`, sorted, delegationKey, 'order');
      },
    },
    unbonding: {
      types: ['StakeMove'],
      *value(call): Steps<Result> {
        const request = [bytesField(1, addressOf(call)), concat(Uint8Array.of(0x12, 2), uintField(3, 100n))];
        const response = yield* call.ask(`${staking}DelegatorUnbondingDelegations`, ...request);
        return messagesOf(response ?? noMessage, 1).flatMap((row) =>
          messagesOf(row, 3).map((entry) => source('StakeMove', entry, { own: { operatorAddress: row.text(2) } })),
        );
      },
    },
  },
  Delegation: {
    delegator: account(1, 1),
    operatorAddress: text(1, 2),
    balance: {
      types: ['Coin'],
      level: 'RECOMPUTED',
      rule: 'balance of a delegation',
      value: ({ on }) => ({ ...coinOf(on.message.message(2)), level: 'RECOMPUTED', rule: 'balance of a delegation' }),
    },
  },
  StakeMove: {
    operatorAddress: ownField('operatorAddress'),
    creationHeight: uint(1),
    completionTime: time(2),
    initialBalance: staked(3),
    balance: staked(4),
  },
  ...pageRules('Coin'),
  ...pageRules('Holder'),
  ...pageRules('Attribute'),
  ...pageRules('NameRecord'),
  ...pageRules('Marker'),
  ...pageRules('Scope'),
  ...pageRules('FeeGrant'),
  ...pageRules('Delegation'),
};

const delegationText = (delegation: Source): string =>
  [...delegationKey(delegation)].map((byte) => String.fromCharCode(byte)).join('');

/** The fields of accounts. */
export const accountRules: Rules = {
  address: ownField('address'),
  kind: accountField(({ type, base }) => {
    if (type.includes('.vesting.')) return 'VESTING';
    if (type.endsWith('.ModuleAccount')) return 'MODULE';
    if (type.endsWith('.MarkerAccount')) return 'MARKER';
    return isGroupPolicy(base.message(2)) ? 'GROUP_POLICY' : 'BASE';
  }),
  moduleName: accountField(({ type, content }) => (type.endsWith('.ModuleAccount') ? content.text(2) : null)),
  accountNumber: accountField(({ base }) => String(base.uint(3))),
  sequence: accountField(({ base }) => String(base.uint(4))),
  publicKey: accountField(
    ({ base }) => {
      if (!base.has(2)) return null;
      const key = base.message(2);
      const bytes = simpleKeys.includes(key.text(1)) ? key.message(2).bytes(1) : key.bytes(2);
      return source('PublicKey', noMessage, { own: { type: key.text(1), value: toBase64(bytes) } });
    },
    ['PublicKey'],
  ),
  balances: page('Coin', (call) => coinList('AllBalances', 'balances', addressOf(call))),
  balance: {
    types: ['Coin'],
    value: (call) => read(call, 'Coin', `${bank}Balance`, 1, bytesField(1, addressOf(call)), bytesField(2, call.text('denom'))),
  },
  spendableBalances: {
    ...page('Coin', (call) => coinList('SpendableBalances', 'spendableBalances', addressOf(call))),
    level: 'RECOMPUTED',
    rule: 'balance less hold',
  },
  holds: {
    types: ['Coin'],
    *value(call): Steps<Result> {
      const response = yield* call.ask('/provenance.hold.v1.Query/GetHolds', bytesField(1, addressOf(call)));
      return response && coinsIn(response, 1);
    },
  },
  attributes: attributePage(addressOf),
  accountData: accountData(addressOf),
  names: page('NameRecord', names),
  marker: {
    types: ['Marker'],
    *value(call): Steps<Result> {
      const stored = yield* accountAt(call);
      return stored?.type.endsWith('.MarkerAccount') ? yield* markerAt(call, stored.content.text(5)) : null;
    },
  },
  scopes: scopesOf('Ownership', 'ownedScopes'),
  valueOwnedScopes: scopesOf('ValueOwnership', 'valueOwnedScopes'),
  feeGrantsReceived: page('FeeGrant', (call) => grants(call, 'Allowances', 'feeGrantsReceived', 1, false)),
  feeGrantsIssued: page('FeeGrant', (call) => grants(call, 'AllowancesByGranter', 'feeGrantsIssued', 2, true)),
  staking: {
    types: ['AccountStaking'],
    value: (call) => source('AccountStaking', noMessage, { own: { address: addressOf(call) } }),
  },
};

/** The root fields. */
export const stateQueryRules: Rules = {
  account: { types: ['Account'], value: (call) => accountOf(call.address('address')) },
  accountData: accountData((call) => call.address('account')),
  attribute: attributePage((call) => call.address('account')),
  attributes: attributePage((call) => call.address('account')),
  attributeScan: attributePage((call) => call.address('account')),
  attributeAccounts: page('Account', attributeAccounts),
  denomMetadata: metadataOf((call) => call.text('denom')),
  supplyOf: { types: ['Coin'], value: (call) => supplyOf(call, call.text('denom')) },
  totalSupply: page('Coin', () => supplyList),
  holders: page('Holder', (call) => holders(call.text('denom'))),
  marker: { types: ['Marker'], value: (call) => markerAt(call, call.text('denom')) },
  markers: page('Marker', () => allMarkers),
  name: {
    types: ['NameRecord'],
    *value(call): Steps<Result> {
      const bound = call.text('name').trim().toLowerCase();
      const record = yield* binding(call, bound);
      return record && source('NameRecord', noMessage, { own: { name: bound, account: accountOf(record.text(1)) } });
    },
  },
  scope: { types: ['Scope'], value: (call) => scopeAt(call, call.text('id')) },
  scopes: page('Scope', () => allScopes),
  scopeSpecification: { types: ['ScopeSpecification'], value: (call) => specificationAt(call, call.text('id')) },
  feeGrant: {
    types: ['FeeGrant'],
    value: (call) =>
      read(
        call,
        'FeeGrant',
        `${feegrant}Allowance`,
        1,
        bytesField(1, call.address('granter')),
        bytesField(2, call.address('grantee')),
      ),
  },
};

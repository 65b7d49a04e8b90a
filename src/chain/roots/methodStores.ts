import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { QueryAccountRequestSchema, QueryAccountResponseSchema } from '../../proto/cosmos/auth/v1beta1/query_pb.js';
import {
  QueryAttributeRequestSchema,
  QueryAttributesRequestSchema,
  QueryAttributesResponseSchema,
  QueryScanRequestSchema,
} from '../../proto/provenance/attribute/v1/query_pb.js';

// Printed by `npm run docs` from data/storesByMethod.json. docs/stores.md explains where the table comes from.

/** The name of a store in the table, or of the store of upgrades. */
export type StoreName =
  | 'acc'
  | 'attribute'
  | 'authz'
  | 'bank'
  | 'exchange'
  | 'feegrant'
  | 'flatfees'
  | 'gov'
  | 'group'
  | 'hold'
  | 'ledger'
  | 'marker'
  | 'metadata'
  | 'name'
  | 'nft'
  | 'quarantine'
  | 'registry'
  | 'sanction'
  | 'staking'
  | 'trigger'
  | 'upgrade'
  | 'wasm';

/**
 * When an answer is valid at a later height with the same roots.
 * - `always`: it depends on its stores alone.
 * - `withoutVesting`: only if the account has no vesting schedule.
 * - `withoutExpiry`: only while no attribute in it has expired.
 * - `never`: it depends on anything else, such as the block time or the configuration of the node.
 */
type Carry = 'always' | 'withoutVesting' | 'withoutExpiry' | 'never';

/** The stores that the answer of a query method is computed from. */
export interface MethodStores {
  readonly stores: readonly StoreName[];
  readonly carry: Carry;
}

/** The stores of each query method, by path. */
export const storesByMethod: Readonly<Record<string, MethodStores>> = {
  '/cosmos.group.v1.Query/GroupInfo': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/GroupMembers': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/GroupPoliciesByAdmin': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/GroupPoliciesByGroup': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/GroupPolicyInfo': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/Groups': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/GroupsByAdmin': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/GroupsByMember': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/Proposal': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/ProposalsByGroupPolicy': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/TallyResult': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/VoteByProposalVoter': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/VotesByProposal': { stores: ['group'], carry: 'always' },
  '/cosmos.group.v1.Query/VotesByVoter': { stores: ['group'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/AllBalances': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/Balance': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/DenomMetadata': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/DenomMetadataByQueryString': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/DenomOwners': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/DenomOwnersByQuery': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/DenomsMetadata': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/Params': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/SendEnabled': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/SpendableBalanceByDenom': { stores: ['acc', 'bank', 'hold'], carry: 'withoutVesting' },
  '/cosmos.bank.v1beta1.Query/SpendableBalances': { stores: ['acc', 'bank', 'hold'], carry: 'withoutVesting' },
  '/cosmos.bank.v1beta1.Query/SupplyOf': { stores: ['bank'], carry: 'always' },
  '/cosmos.bank.v1beta1.Query/TotalSupply': { stores: ['bank'], carry: 'always' },
  '/cosmos.auth.v1beta1.Query/Account': { stores: ['acc'], carry: 'always' },
  '/cosmos.auth.v1beta1.Query/AccountAddressByID': { stores: ['acc'], carry: 'always' },
  '/cosmos.auth.v1beta1.Query/AccountInfo': { stores: ['acc'], carry: 'always' },
  '/cosmos.auth.v1beta1.Query/Accounts': { stores: ['acc'], carry: 'always' },
  '/cosmos.auth.v1beta1.Query/AddressBytesToString': { stores: [], carry: 'never' },
  '/cosmos.auth.v1beta1.Query/AddressStringToBytes': { stores: [], carry: 'never' },
  '/cosmos.auth.v1beta1.Query/Bech32Prefix': { stores: [], carry: 'never' },
  '/cosmos.auth.v1beta1.Query/ModuleAccountByName': { stores: ['acc'], carry: 'always' },
  '/cosmos.auth.v1beta1.Query/ModuleAccounts': { stores: ['acc'], carry: 'always' },
  '/cosmos.auth.v1beta1.Query/Params': { stores: ['acc'], carry: 'always' },
  '/cosmos.feegrant.v1beta1.Query/Allowance': { stores: ['feegrant'], carry: 'always' },
  '/cosmos.feegrant.v1beta1.Query/Allowances': { stores: ['feegrant'], carry: 'always' },
  '/cosmos.feegrant.v1beta1.Query/AllowancesByGranter': { stores: ['feegrant'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/Delegation': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/DelegatorDelegations': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/DelegatorUnbondingDelegations': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/DelegatorValidator': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/DelegatorValidators': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/HistoricalInfo': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/Params': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/Pool': { stores: ['acc', 'bank', 'staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/Redelegations': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/UnbondingDelegation': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/Validator': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/ValidatorDelegations': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/ValidatorUnbondingDelegations': { stores: ['staking'], carry: 'always' },
  '/cosmos.staking.v1beta1.Query/Validators': { stores: ['staking'], carry: 'always' },
  '/cosmos.gov.v1.Query/Constitution': { stores: ['gov'], carry: 'always' },
  '/cosmos.gov.v1.Query/Deposit': { stores: ['gov'], carry: 'always' },
  '/cosmos.gov.v1.Query/Deposits': { stores: ['gov'], carry: 'always' },
  '/cosmos.gov.v1.Query/Params': { stores: ['gov'], carry: 'always' },
  '/cosmos.gov.v1.Query/Proposal': { stores: ['gov'], carry: 'always' },
  '/cosmos.gov.v1.Query/Proposals': { stores: ['gov'], carry: 'always' },
  '/cosmos.gov.v1.Query/TallyResult': { stores: ['acc', 'bank', 'gov', 'staking'], carry: 'always' },
  '/cosmos.gov.v1.Query/Vote': { stores: ['gov'], carry: 'always' },
  '/cosmos.gov.v1.Query/Votes': { stores: ['gov'], carry: 'always' },
  '/cosmos.authz.v1beta1.Query/GranteeGrants': { stores: ['authz'], carry: 'always' },
  '/cosmos.authz.v1beta1.Query/GranterGrants': { stores: ['authz'], carry: 'always' },
  '/cosmos.authz.v1beta1.Query/Grants': { stores: ['authz'], carry: 'always' },
  '/cosmos.upgrade.v1beta1.Query/AppliedPlan': { stores: ['upgrade'], carry: 'always' },
  '/cosmos.upgrade.v1beta1.Query/Authority': { stores: [], carry: 'never' },
  '/cosmos.upgrade.v1beta1.Query/CurrentPlan': { stores: ['upgrade'], carry: 'always' },
  '/cosmos.upgrade.v1beta1.Query/ModuleVersions': { stores: ['upgrade'], carry: 'always' },
  '/cosmos.upgrade.v1beta1.Query/UpgradedConsensusState': { stores: ['upgrade'], carry: 'always' },
  '/provenance.attribute.v1.Query/AccountData': { stores: ['attribute', 'name'], carry: 'always' },
  '/provenance.attribute.v1.Query/Attribute': { stores: ['attribute'], carry: 'withoutExpiry' },
  '/provenance.attribute.v1.Query/AttributeAccounts': { stores: ['attribute'], carry: 'always' },
  '/provenance.attribute.v1.Query/Attributes': { stores: ['attribute'], carry: 'withoutExpiry' },
  '/provenance.attribute.v1.Query/Params': { stores: ['attribute'], carry: 'always' },
  '/provenance.attribute.v1.Query/Scan': { stores: ['attribute'], carry: 'withoutExpiry' },
  '/provenance.name.v1.Query/Params': { stores: ['name'], carry: 'always' },
  '/provenance.name.v1.Query/Resolve': { stores: ['name'], carry: 'always' },
  '/provenance.name.v1.Query/ReverseLookup': { stores: ['name'], carry: 'always' },
  '/provenance.marker.v1.Query/Access': { stores: ['acc'], carry: 'always' },
  '/provenance.marker.v1.Query/AccountData': { stores: ['attribute', 'name'], carry: 'always' },
  '/provenance.marker.v1.Query/AllMarkers': { stores: ['acc', 'marker'], carry: 'always' },
  '/provenance.marker.v1.Query/DenomMetadata': { stores: ['bank'], carry: 'always' },
  '/provenance.marker.v1.Query/Escrow': { stores: ['acc', 'bank'], carry: 'always' },
  '/provenance.marker.v1.Query/Holding': { stores: ['acc', 'bank'], carry: 'always' },
  '/provenance.marker.v1.Query/Marker': { stores: ['acc'], carry: 'always' },
  '/provenance.marker.v1.Query/NetAssetValues': { stores: ['acc', 'marker'], carry: 'always' },
  '/provenance.marker.v1.Query/Params': { stores: ['marker'], carry: 'always' },
  '/provenance.marker.v1.Query/Supply': { stores: ['acc'], carry: 'always' },
  '/provenance.metadata.v1.Query/AccountData': { stores: ['attribute', 'name'], carry: 'always' },
  '/provenance.metadata.v1.Query/ContractSpecification': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/ContractSpecificationsAll': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/GetByAddr': { stores: ['bank', 'metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/OSAllLocators': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/OSLocator': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/OSLocatorParams': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/OSLocatorsByScope': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/OSLocatorsByURI': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/Ownership': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/Params': { stores: [], carry: 'never' },
  '/provenance.metadata.v1.Query/RecordSpecification': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/RecordSpecificationsAll': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/RecordSpecificationsForContractSpecification': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/Records': { stores: ['bank', 'metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/RecordsAll': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/Scope': { stores: ['bank', 'metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/ScopeNetAssetValues': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/ScopeSpecification': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/ScopeSpecificationsAll': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/ScopesAll': { stores: ['bank', 'metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/Sessions': { stores: ['bank', 'metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/SessionsAll': { stores: ['metadata'], carry: 'always' },
  '/provenance.metadata.v1.Query/ValueOwnership': { stores: ['bank'], carry: 'always' },
  '/provenance.hold.v1.Query/GetAllHolds': { stores: ['hold'], carry: 'always' },
  '/provenance.hold.v1.Query/GetHolds': { stores: ['hold'], carry: 'always' },
  '/provenance.flatfees.v1.Query/AllMsgFees': { stores: ['flatfees'], carry: 'always' },
  '/provenance.flatfees.v1.Query/CalculateTxFees': { stores: [], carry: 'never' },
  '/provenance.flatfees.v1.Query/MsgFee': { stores: ['flatfees'], carry: 'always' },
  '/provenance.flatfees.v1.Query/Params': { stores: ['flatfees'], carry: 'always' },
  '/provenance.msgfees.v1.Query/CalculateTxFees': { stores: [], carry: 'never' },
  '/provenance.exchange.v1.Query/CommitmentSettlementFeeCalc': { stores: ['exchange', 'marker', 'metadata'], carry: 'never' },
  '/provenance.exchange.v1.Query/GetAccountCommitments': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetAllCommitments': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetAllMarkets': { stores: ['acc', 'exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetAllOrders': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetAllPayments': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetAssetOrders': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetCommitment': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetMarket': { stores: ['acc', 'exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetMarketCommitments': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetMarketOrders': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetOrder': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetOrderByExternalID': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetOwnerOrders': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetPayment': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetPaymentsWithSource': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/GetPaymentsWithTarget': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/OrderFeeCalc': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/Params': { stores: ['exchange'], carry: 'never' },
  '/provenance.exchange.v1.Query/PaymentFeeCalc': { stores: ['exchange'], carry: 'always' },
  '/provenance.exchange.v1.Query/ValidateCreateMarket': { stores: ['acc', 'exchange', 'marker', 'metadata'], carry: 'never' },
  '/provenance.exchange.v1.Query/ValidateManageFees': { stores: ['exchange', 'marker', 'metadata'], carry: 'never' },
  '/provenance.exchange.v1.Query/ValidateMarket': { stores: ['exchange', 'marker', 'metadata'], carry: 'never' },
  '/provenance.trigger.v1.Query/TriggerByID': { stores: ['trigger'], carry: 'always' },
  '/provenance.trigger.v1.Query/Triggers': { stores: ['trigger'], carry: 'always' },
  '/cosmos.quarantine.v1beta1.Query/AutoResponses': { stores: ['quarantine'], carry: 'always' },
  '/cosmos.quarantine.v1beta1.Query/IsQuarantined': { stores: ['quarantine'], carry: 'always' },
  '/cosmos.quarantine.v1beta1.Query/QuarantinedFunds': { stores: ['quarantine'], carry: 'always' },
  '/cosmos.sanction.v1beta1.Query/IsSanctioned': { stores: ['sanction'], carry: 'always' },
  '/cosmos.sanction.v1beta1.Query/Params': { stores: ['sanction'], carry: 'always' },
  '/cosmos.sanction.v1beta1.Query/SanctionedAddresses': { stores: ['sanction'], carry: 'always' },
  '/cosmos.sanction.v1beta1.Query/TemporaryEntries': { stores: ['sanction'], carry: 'always' },
  '/provenance.registry.v1.Query/GetRegistries': { stores: ['registry'], carry: 'always' },
  '/provenance.registry.v1.Query/GetRegistry': { stores: ['registry'], carry: 'always' },
  '/provenance.registry.v1.Query/HasRole': { stores: ['registry'], carry: 'always' },
  '/provenance.ledger.v1.Query/Ledger': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerBalancesAsOf': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerClass': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerClassBucketTypes': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerClassEntryTypes': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerClassStatusTypes': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerClasses': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerEntries': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerEntry': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerSettlements': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/LedgerSettlementsByCorrelationID': { stores: ['ledger'], carry: 'always' },
  '/provenance.ledger.v1.Query/Ledgers': { stores: ['ledger'], carry: 'always' },
  '/provenance.asset.v1.Query/Asset': { stores: ['nft'], carry: 'always' },
  '/provenance.asset.v1.Query/AssetClass': { stores: ['nft'], carry: 'always' },
  '/provenance.asset.v1.Query/AssetClasses': { stores: ['nft'], carry: 'always' },
  '/provenance.asset.v1.Query/Assets': { stores: ['nft'], carry: 'always' },
  '/cosmos.nft.v1beta1.Query/Balance': { stores: ['nft'], carry: 'always' },
  '/cosmos.nft.v1beta1.Query/Class': { stores: ['nft'], carry: 'always' },
  '/cosmos.nft.v1beta1.Query/Classes': { stores: ['nft'], carry: 'always' },
  '/cosmos.nft.v1beta1.Query/NFT': { stores: ['nft'], carry: 'always' },
  '/cosmos.nft.v1beta1.Query/NFTs': { stores: ['nft'], carry: 'always' },
  '/cosmos.nft.v1beta1.Query/Owner': { stores: ['nft'], carry: 'always' },
  '/cosmos.nft.v1beta1.Query/Supply': { stores: ['nft'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/AllContractState': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/BuildAddress': { stores: [], carry: 'never' },
  '/cosmwasm.wasm.v1.Query/Code': { stores: ['wasm'], carry: 'never' },
  '/cosmwasm.wasm.v1.Query/CodeInfo': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/Codes': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/ContractHistory': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/ContractInfo': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/ContractsByCode': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/ContractsByCreator': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/Params': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/PinnedCodes': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/RawContractState': { stores: ['wasm'], carry: 'always' },
  '/cosmwasm.wasm.v1.Query/SmartContractState': { stores: ['bank', 'wasm'], carry: 'never' },
  '/cosmwasm.wasm.v1.Query/WasmLimitsConfig': { stores: [], carry: 'never' },
};

/** The stores of a method whose answers may be kept by the roots of these stores. */
export interface CarriedMethod {
  /** In alphabetical order. `upgrade` is always one of them, because an upgrade may change how the answer is computed. */
  readonly stores: readonly StoreName[];
  readonly carry: Exclude<Carry, 'never'>;
}

/** The methods whose answers may be kept by the roots of their stores. */
export interface MethodTable {
  /**
   * The stores of the query method at a path (`/cosmos.group.v1.Query/Proposal`). Undefined if its answers must be kept by height:
   * the method is not in the table, or its answers depend on anything but stores.
   */
  method(path: string): CarriedMethod | undefined;
  /** The stores of a read of one key of a store. Undefined for a store that the table does not contain. */
  storesOfKey(store: string): readonly StoreName[] | undefined;
}

/** Makes the table of these rows. The root of `upgrade` is added to each of them. */
export function createMethodTable(rows: Readonly<Record<string, MethodStores>>): MethodTable {
  const withUpgrade = (stores: readonly StoreName[]): readonly StoreName[] =>
    [...new Set<StoreName>([...stores, 'upgrade'])].sort();
  const methods: ReadonlyMap<string, CarriedMethod> = new Map(
    Object.entries(rows).flatMap(([path, { stores, carry }]): [string, CarriedMethod][] =>
      carry === 'never' ? [] : [[path, { stores: withUpgrade(stores), carry }]],
    ),
  );
  const keys: ReadonlyMap<string, readonly StoreName[]> = new Map(
    Object.values(rows).flatMap(({ stores }) =>
      stores.map((store): [string, readonly StoreName[]] => [store, withUpgrade([store])]),
    ),
  );
  return { method: (path) => methods.get(path), storesOfKey: (store) => keys.get(store) };
}

/**
 * The table of Provenance v1.29. Another chain may use the rows of the modules that it shares, if its application and its
 * version of the Cosmos SDK are known to match (docs/stores.md).
 */
export const provenanceMethods: MethodTable = createMethodTable(storesByMethod);

/** The method that returns an account. */
export const accountMethod = '/cosmos.auth.v1beta1.Query/Account';

/** The request of {@link accountMethod} for the account of a `withoutVesting` request. */
export function accountRequest(request: Uint8Array): Uint8Array {
  // The requests of all of these methods have the address in field 1. Their other fields have different types.
  const { address } = fromBinary(QueryAccountRequestSchema, request);
  return toBinary(QueryAccountRequestSchema, create(QueryAccountRequestSchema, { address }));
}

/**
 * Whether the answer of `/cosmos.auth.v1beta1.Query/Account` is an account with a vesting schedule. If so, its spendable balance
 * changes with the block time. Every type of the vesting module counts.
 */
export function isVestingAccount(response: Uint8Array): boolean {
  const { account } = fromBinary(QueryAccountResponseSchema, response);
  return account?.typeUrl.startsWith('/cosmos.vesting.') ?? false;
}

/** The requests of the methods whose answers leave out expired attributes. All have a page request. */
const attributeRequests = new Map(
  [QueryAttributeRequestSchema, QueryAttributesRequestSchema, QueryScanRequestSchema].map((schema) => [
    `/${schema.typeName.replace(/\.Query(\w+)Request$/, '.Query/$1')}`,
    schema,
  ]),
);

/**
 * The time of the first expiry in the answer of a `withoutExpiry` method, in nanoseconds since 1970. The answer is valid before
 * the first block with this time or a later one. Null if no attribute in it expires. Undefined if the answer may not be
 * carried, because it is one page of several, or the answer of another method.
 */
export function firstExpiry(path: string, request: Uint8Array, response: Uint8Array): bigint | null | undefined {
  const schema = attributeRequests.get(path);
  if (schema === undefined) return undefined;
  const page = fromBinary(schema, request).pagination;
  if (page !== undefined && (page.offset > 0n || page.key.length > 0)) return undefined;
  // The responses of the three methods have the same fields.
  const { attributes, pagination } = fromBinary(QueryAttributesResponseSchema, response);
  if (pagination !== undefined && pagination.nextKey.length > 0) return undefined;
  let first: bigint | null = null;
  for (const { expirationDate } of attributes) {
    if (expirationDate === undefined) continue;
    const time = expirationDate.seconds * 1_000_000_000n + BigInt(expirationDate.nanos);
    if (first === null || time < first) first = time;
  }
  return first;
}

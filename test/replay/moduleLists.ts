import { createHash } from 'node:crypto';
import * as bank from '../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import * as feegrant from '../../src/proto/cosmos/feegrant/v1beta1/query_pb.js';
import * as attribute from '../../src/proto/provenance/attribute/v1/query_pb.js';
import * as metadata from '../../src/proto/provenance/metadata/v1/query_pb.js';
import * as name from '../../src/proto/provenance/name/v1/query_pb.js';
import { addressBytes, listOf, type ReplayList } from './replayList.ts';

function hashed(name: string): Buffer {
  return createHash('sha256').update(name.split('.').toReversed().join('.')).digest();
}

/** Row key of attributes, as in recorded page keys: the hash of the name, then the hash of the value. */
function attributeRow(item: { readonly name: string; readonly value: Uint8Array }): Uint8Array {
  return Buffer.concat([hashed(item.name), createHash('sha256').update(item.value).digest()]);
}

/**
 * The lists of the other modules by method, paged as the chain does. Page keys of attributes are recorded. Page keys of
 * attributes of one name, accounts by attribute, names, balances and owned scopes are guesses; Stele never sends them.
 */
export const moduleLists: Readonly<Record<string, ReplayList>> = {
  '/provenance.attribute.v1.Query/Attributes': listOf({
    request: attribute.QueryAttributesRequestSchema,
    response: attribute.QueryAttributesResponseSchema,
    items: (response) => response.attributes,
    rowId: attributeRow,
  }),
  '/provenance.attribute.v1.Query/Attribute': listOf({
    request: attribute.QueryAttributeRequestSchema,
    response: attribute.QueryAttributeResponseSchema,
    items: (response) => response.attributes,
    rowId: attributeRow,
  }),
  '/provenance.attribute.v1.Query/Scan': listOf({
    request: attribute.QueryScanRequestSchema,
    response: attribute.QueryScanResponseSchema,
    items: (response) => response.attributes,
    rowId: attributeRow,
  }),
  '/provenance.attribute.v1.Query/AttributeAccounts': listOf({
    request: attribute.QueryAttributeAccountsRequestSchema,
    response: attribute.QueryAttributeAccountsResponseSchema,
    items: (response) => response.accounts,
    rowId: (address) => addressBytes(address),
  }),
  '/provenance.name.v1.Query/ReverseLookup': listOf({
    request: name.QueryReverseLookupRequestSchema,
    response: name.QueryReverseLookupResponseSchema,
    items: (response) => response.name,
    rowId: (each) => hashed(each),
  }),
  '/cosmos.bank.v1beta1.Query/AllBalances': listOf({
    request: bank.QueryAllBalancesRequestSchema,
    response: bank.QueryAllBalancesResponseSchema,
    items: (response) => response.balances,
    rowId: ({ denom }) => Buffer.from(denom),
  }),
  '/cosmos.bank.v1beta1.Query/SpendableBalances': listOf({
    request: bank.QuerySpendableBalancesRequestSchema,
    response: bank.QuerySpendableBalancesResponseSchema,
    items: (response) => response.balances,
    rowId: ({ denom }) => Buffer.from(denom),
  }),
  '/cosmos.bank.v1beta1.Query/DenomOwners': listOf({
    request: bank.QueryDenomOwnersRequestSchema,
    response: bank.QueryDenomOwnersResponseSchema,
    items: (response) => response.denomOwners,
    rowId: ({ address }) => addressBytes(address),
  }),
  '/provenance.metadata.v1.Query/Ownership': listOf({
    request: metadata.OwnershipRequestSchema,
    response: metadata.OwnershipResponseSchema,
    items: (response) => response.scopeUuids,
    rowId: (uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex'),
  }),
  '/provenance.metadata.v1.Query/ValueOwnership': listOf({
    request: metadata.ValueOwnershipRequestSchema,
    response: metadata.ValueOwnershipResponseSchema,
    items: (response) => response.scopeUuids,
    rowId: (uuid) => Buffer.from(uuid.replaceAll('-', ''), 'hex'),
  }),
  '/cosmos.feegrant.v1beta1.Query/Allowances': listOf({
    request: feegrant.QueryAllowancesRequestSchema,
    response: feegrant.QueryAllowancesResponseSchema,
    items: (response) => response.allowances,
    rowId: ({ granter }) => addressBytes(granter),
  }),
  '/cosmos.feegrant.v1beta1.Query/AllowancesByGranter': listOf({
    request: feegrant.QueryAllowancesByGranterRequestSchema,
    response: feegrant.QueryAllowancesByGranterResponseSchema,
    items: (response) => response.allowances,
    rowId: ({ grantee }) => addressBytes(grantee),
  }),
};

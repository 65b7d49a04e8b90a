import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import type { QueryRow } from '../recordings/recordings.ts';

/** A GraphQL operation for a row of queries.json, with the expected answer. */
export interface HoldingOperation {
  readonly document: string;
  readonly variables: Record<string, unknown>;
  readonly expected: JsonValue;
}

/** The decoded response of a row. Each test states the fields of its rows. */
// biome-ignore lint/suspicious/noExplicitAny: the path of a row determines its fields
type Decoded = any;

const coin = '{ denom amount }';
const grant = '{ account { address } permissions }';
const markerFields = `{ denom account { address } manager { address } accessControl ${grant} status supply ${coin} markerType supplyFixed allowGovernanceControl allowForcedTransfer requiredAttributes requireDepositAccess }`;
const scopeFields =
  '{ id uuid specification { id } owners { account { address } role optional } dataAccess { address } valueOwner { address } requirePartyRollup }';
const specificationFields =
  '{ id uuid name description websiteUrl iconUrl owners { address } partiesInvolved contractSpecIds }';
const metadataFields = '{ description denomUnits { denom exponent aliases } base display name symbol uri uriHash }';

const at = (address: string): JsonObject => ({ address });

function markerOf(marker: Decoded): JsonObject {
  return {
    denom: marker.denom,
    account: at(marker.base_account.address),
    manager: marker.manager === '' ? null : at(marker.manager),
    accessControl: marker.access_control.map(({ address, permissions }: Decoded) => ({ account: at(address), permissions })),
    status: marker.status,
    supply: { denom: marker.denom, amount: marker.supply },
    markerType: marker.marker_type,
    supplyFixed: marker.supply_fixed,
    allowGovernanceControl: marker.allow_governance_control,
    allowForcedTransfer: marker.allow_forced_transfer,
    requiredAttributes: marker.required_attributes,
    requireDepositAccess: false,
  };
}

function metadataOf({ denom_units: denomUnits, uri_hash: uriHash, ...rest }: Decoded): JsonObject {
  return { ...rest, denomUnits, uriHash };
}

function scopeOf({ scope, scope_id_info: ids, scope_spec_id_info: specification }: Decoded): JsonValue {
  if (scope === undefined) return null;
  return {
    id: ids.scope_addr,
    uuid: ids.scope_uuid,
    specification: { id: specification.scope_spec_addr },
    owners: scope.owners.map(({ address, role, optional }: Decoded) => ({ account: at(address), role, optional })),
    dataAccess: scope.data_access.map(at),
    valueOwner: scope.value_owner_address === '' ? null : at(scope.value_owner_address),
    requirePartyRollup: scope.require_party_rollup,
  };
}

/** Returns the page arguments of a row. */
function pageOf({ requestJson }: QueryRow): string {
  const { pagination } = requestJson as { pagination?: { limit?: string; offset?: string } };
  const offset = pagination?.offset === undefined ? '' : `, offset: ${pagination.offset}`;
  return `first: ${pagination?.limit ?? 100}${offset}`;
}

const attributeFields = 'nodes { name value valueBase64 attributeType address expirationDate concreteType }';

/** Returns attributes in the form of the GraphQL schema, with a total if the row has one. */
function attributesOf({ requestJson }: QueryRow, { attributes, pagination }: Decoded) {
  const { limit, countTotal } = Object(requestJson.pagination) as { limit?: string; countTotal?: boolean };
  const isCounted = limit === undefined || countTotal === true;
  const nodes = attributes.map((attribute: Decoded) => {
    const isRaw = /_(BYTES|PROTO)$/.test(attribute.attribute_type);
    return {
      name: attribute.name,
      value: isRaw ? attribute.value : Buffer.from(attribute.value, 'base64').toString(),
      valueBase64: attribute.value,
      attributeType: attribute.attribute_type,
      address: attribute.address,
      expirationDate: attribute.expiration_date ?? null,
      concreteType: attribute.concrete_type,
    };
  });
  return {
    fields: `{ ${attributeFields}${isCounted ? ' totalCount' : ''} }`,
    answer: { nodes, ...(isCounted && { totalCount: pagination.total }) },
  };
}

const values = (list: Decoded): JsonValue =>
  list.map((each: Decoded) => ({
    price: each.price,
    volume: each.volume,
    updatedBlockHeight: each.updated_block_height,
    source: null,
  }));
const valueFields = `{ price ${coin} volume updatedBlockHeight source }`;

const basicFields = `type spendLimit ${coin} expiration`;
const allowanceFields = `{ type ... on BasicAllowance { ${basicFields} } ... on PeriodicAllowance { basic { ${basicFields} } period periodSpendLimit ${coin} periodCanSpend ${coin} periodReset } ... on AllowedMsgAllowance { allowance { ... on BasicAllowance { ${basicFields} } } allowedMessages } }`;
const grantFields = `{ granter { address } grantee { address } allowance ${allowanceFields} }`;

function basicOf({ spend_limit: spendLimit, expiration = null }: Decoded): JsonObject {
  return { type: '/cosmos.feegrant.v1beta1.BasicAllowance', spendLimit, expiration };
}

function allowanceOf(allowance: Decoded): JsonObject {
  const type = allowance['@type'];
  if (type.endsWith('.BasicAllowance')) return basicOf(allowance);
  if (type.endsWith('.AllowedMsgAllowance'))
    return { type, allowance: allowanceOf(allowance.allowance), allowedMessages: allowance.allowed_messages };
  return {
    type,
    basic: basicOf(allowance.basic),
    period: allowance.period,
    periodSpendLimit: allowance.period_spend_limit,
    periodCanSpend: allowance.period_can_spend,
    periodReset: allowance.period_reset,
  };
}

function grantOf({ granter, grantee, allowance }: Decoded): JsonObject {
  return { granter: at(granter), grantee: at(grantee), allowance: allowanceOf(allowance) };
}

function grantsOf({ allowances, pagination }: Decoded): JsonObject {
  return { nodes: allowances.map(grantOf), totalCount: pagination.total };
}

type Make = (row: QueryRow, decoded: Decoded) => { readonly field: string; readonly answer: JsonValue } | undefined;

const makers: Readonly<Record<string, Make>> = {
  '/cosmos.bank.v1beta1.Query/Balance': ({ requestJson: { address, denom } }, { balance }) => ({
    field: `account(address: "${address}") { balance(denom: "${denom}") ${coin} }`,
    answer: { balance },
  }),
  '/cosmos.bank.v1beta1.Query/AllBalances': ({ requestJson: { address } }, { balances, pagination }) => ({
    field: `account(address: "${address}") { balances(first: 100) { nodes ${coin} totalCount } }`,
    answer: { balances: { nodes: balances, totalCount: pagination.total } },
  }),
  '/cosmos.bank.v1beta1.Query/SpendableBalances': ({ requestJson: { address } }, { balances, pagination }) => ({
    field: `account(address: "${address}") { spendableBalances(first: 100) { nodes ${coin} totalCount } }`,
    answer: { spendableBalances: { nodes: balances, totalCount: pagination.total } },
  }),
  '/cosmos.bank.v1beta1.Query/SupplyOf': ({ requestJson: { denom } }, { amount }) => ({
    field: `supplyOf(denom: "${denom}") ${coin}`,
    answer: amount,
  }),
  '/cosmos.bank.v1beta1.Query/TotalSupply': (row, { supply, pagination }) => ({
    field: `totalSupply(${pageOf(row)}) { nodes ${coin} pageInfo { hasNextPage } totalCount }`,
    answer: { nodes: supply, pageInfo: { hasNextPage: pagination.next_key !== '' }, totalCount: pagination.total },
  }),
  '/cosmos.bank.v1beta1.Query/DenomMetadata': ({ requestJson: { denom } }, decoded) => ({
    field: `denomMetadata(denom: "${denom}") ${metadataFields}`,
    answer: decoded === undefined ? null : metadataOf(decoded.metadata),
  }),
  '/cosmos.bank.v1beta1.Query/DenomOwners': (row, { denom_owners: owners, pagination }) => ({
    field: `holders(denom: "${row.requestJson.denom}", ${pageOf(row)}) { nodes { account { address } balance ${coin} } pageInfo { hasNextPage } totalCount }`,
    answer: {
      nodes: owners.map(({ address, balance }: Decoded) => ({ account: at(address), balance })),
      pageInfo: { hasNextPage: pagination.next_key !== '' },
      totalCount: pagination.total,
    },
  }),
  '/provenance.marker.v1.Query/Marker': ({ requestJson: { id } }, decoded) => ({
    field: `marker(denom: "${id}") ${markerFields}`,
    answer: decoded === undefined ? null : markerOf(decoded.marker),
  }),
  '/provenance.marker.v1.Query/Escrow': ({ requestJson: { id } }, decoded) => ({
    field: `marker(denom: "${id}") { escrow ${coin} }`,
    answer: decoded === undefined ? null : { escrow: decoded.escrow },
  }),
  '/provenance.marker.v1.Query/Access': ({ requestJson: { id } }, decoded) => ({
    field: `marker(denom: "${id}") { accessControl ${grant} }`,
    answer:
      decoded === undefined
        ? null
        : {
            accessControl: decoded.accounts.map(({ address, permissions }: Decoded) => ({ account: at(address), permissions })),
          },
  }),
  '/provenance.marker.v1.Query/Supply': ({ requestJson: { id } }, decoded) => ({
    field: `marker(denom: "${id}") { supply ${coin} }`,
    answer: decoded === undefined ? null : { supply: decoded.amount },
  }),
  '/provenance.marker.v1.Query/DenomMetadata': ({ requestJson: { denom } }, { metadata }) => ({
    field: `denomMetadata(denom: "${denom}") ${metadataFields}`,
    answer: metadataOf(metadata),
  }),
  '/provenance.marker.v1.Query/NetAssetValues': ({ requestJson: { id } }, decoded) => ({
    field: `marker(denom: "${id}") { netAssetValues ${valueFields} }`,
    answer: decoded === undefined ? null : { netAssetValues: values(decoded.net_asset_values) },
  }),
  '/provenance.marker.v1.Query/AllMarkers': (row, { markers, pagination }) =>
    row.name.includes('reverse')
      ? undefined
      : {
          field: `markers(${pageOf(row)}) { nodes ${markerFields} pageInfo { hasNextPage } totalCount }`,
          answer: {
            nodes: markers.map(markerOf),
            pageInfo: { hasNextPage: pagination.next_key !== '' },
            totalCount: pagination.total,
          },
        },
  '/provenance.metadata.v1.Query/Scope': ({ requestJson: { scopeId } }, decoded) => ({
    field: `scope(id: "${scopeId}") ${scopeFields}`,
    answer: decoded === undefined ? null : scopeOf(decoded.scope),
  }),
  '/provenance.metadata.v1.Query/ScopesAll': (row, { scopes, pagination }) => ({
    field: `scopes(${pageOf(row)}) { nodes ${scopeFields} pageInfo { hasNextPage } totalCount }`,
    answer: {
      nodes: scopes.map(scopeOf),
      pageInfo: { hasNextPage: pagination.next_key !== '' },
      totalCount: pagination.total,
    },
  }),
  '/provenance.metadata.v1.Query/ScopeNetAssetValues': ({ requestJson: { id } }, decoded) => ({
    field: `scope(id: "${id}") { netAssetValues ${valueFields} }`,
    answer: { netAssetValues: values(decoded.net_asset_values) },
  }),
  '/provenance.metadata.v1.Query/Ownership': ({ requestJson: { address } }, decoded) => ({
    field: `account(address: "${address}") { scopes(first: 100) { nodes { uuid } totalCount } }`,
    answer: {
      scopes: {
        nodes: decoded.scope_uuids.map((uuid: string) => ({ uuid })),
        totalCount: decoded.pagination.total,
      },
    },
  }),
  '/provenance.metadata.v1.Query/ValueOwnership': ({ requestJson: { address } }, decoded) => ({
    field: `account(address: "${address}") { valueOwnedScopes(first: 100) { nodes { uuid } totalCount } }`,
    answer: {
      valueOwnedScopes: {
        nodes: decoded.scope_uuids.map((uuid: string) => ({ uuid })),
        totalCount: String(decoded.scope_uuids.length),
      },
    },
  }),
  '/provenance.metadata.v1.Query/ScopeSpecification': ({ requestJson: { specificationId } }, decoded) => {
    const { specification, scope_spec_id_info: ids } = decoded.scope_specification;
    return {
      field: `scopeSpecification(id: "${specificationId}") ${specificationFields}`,
      answer: {
        id: ids.scope_spec_addr,
        uuid: ids.scope_spec_uuid,
        name: specification.description.name,
        description: specification.description.description,
        websiteUrl: specification.description.website_url,
        iconUrl: specification.description.icon_url,
        owners: specification.owner_addresses.map(at),
        partiesInvolved: specification.parties_involved,
        contractSpecIds: decoded.contract_specs.map(
          ({ contract_spec_id_info: { contract_spec_addr: address } }: Decoded) => address,
        ),
      },
    };
  },
  '/cosmos.feegrant.v1beta1.Query/Allowance': ({ requestJson: { granter, grantee } }, decoded) => ({
    field: `feeGrant(granter: "${granter}", grantee: "${grantee}") ${grantFields}`,
    answer: decoded === undefined ? null : grantOf(decoded.allowance),
  }),
  '/cosmos.feegrant.v1beta1.Query/Allowances': ({ requestJson: { grantee } }, decoded) => ({
    field: `account(address: "${grantee}") { feeGrantsReceived { nodes ${grantFields} totalCount } }`,
    answer: { feeGrantsReceived: grantsOf(decoded) },
  }),
  '/cosmos.feegrant.v1beta1.Query/AllowancesByGranter': ({ requestJson: { granter } }, decoded) => ({
    field: `account(address: "${granter}") { feeGrantsIssued { nodes ${grantFields} totalCount } }`,
    answer: { feeGrantsIssued: grantsOf(decoded) },
  }),
  '/provenance.hold.v1.Query/GetHolds': ({ requestJson: { address } }, { amount }) => ({
    field: `account(address: "${address}") { holds ${coin} }`,
    answer: { holds: amount },
  }),
  '/provenance.flatfees.v1.Query/MsgFee': ({ requestJson: { msgTypeUrl } }, { msg_fee: fee }) => ({
    field: `messageFee(type: "${msgTypeUrl}") { type cost ${coin} }`,
    answer: { type: fee.msg_type_url, cost: fee.cost },
  }),
  '/provenance.flatfees.v1.Query/Params': (_, { params }) => ({
    field: 'feeToken',
    answer: params.conversion_factor.converted_amount.denom,
  }),
  '/provenance.attribute.v1.Query/Attributes': (row, decoded) => {
    const { fields, answer } = attributesOf(row, decoded);
    return { field: `attributes(account: "${row.requestJson.account}", ${pageOf(row)}) ${fields}`, answer };
  },
  '/provenance.attribute.v1.Query/Attribute': (row, decoded) => {
    const { account, name } = row.requestJson;
    const { fields, answer } = attributesOf(row, decoded ?? { attributes: [], pagination: {} });
    return { field: `attribute(account: "${account}", name: "${name}", ${pageOf(row)}) ${fields}`, answer };
  },
  '/provenance.attribute.v1.Query/Scan': (row, decoded) => {
    const { account, suffix } = row.requestJson;
    const { fields, answer } = attributesOf(row, decoded ?? { attributes: [], pagination: {} });
    return { field: `attributeScan(account: "${account}", suffix: "${suffix}", ${pageOf(row)}) ${fields}`, answer };
  },
  '/provenance.attribute.v1.Query/AttributeAccounts': (row, { accounts, pagination }) => ({
    field: `attributeAccounts(name: "${row.requestJson.attributeName}") { nodes { address } totalCount }`,
    answer: { nodes: accounts.map(at), totalCount: pagination.total },
  }),
  '/provenance.attribute.v1.Query/AccountData': ({ requestJson: { account } }, { value }) => ({
    field: `accountData(account: "${account}")`,
    answer: value,
  }),
  '/provenance.name.v1.Query/Resolve': ({ requestJson: { name } }, decoded) => ({
    field: `name(name: "${name}") { account { address } restricted }`,
    answer: decoded === undefined ? null : { account: at(decoded.address), restricted: decoded.restricted },
  }),
  '/provenance.name.v1.Query/ReverseLookup': ({ requestJson: { address } }, { name, pagination }) => ({
    field: `account(address: "${address}") { names { nodes { name } totalCount } }`,
    answer: { names: { nodes: name.map((each: string) => ({ name: each })), totalCount: pagination.total } },
  }),
  '/cosmos.auth.v1beta1.Query/Account': ({ requestJson: { address } }, decoded) => {
    const base = decoded?.account.base_account ?? decoded?.account;
    return {
      field: `account(address: "${address}") { address accountNumber sequence publicKey { type } }`,
      answer: {
        address: base?.address,
        accountNumber: base?.account_number,
        sequence: base?.sequence,
        publicKey: base?.pub_key === undefined ? null : { type: base.pub_key['@type'] },
      },
    };
  },
};

/** Returns the operation of a row; undefined if no typed field corresponds to it. */
export function holdingOperation(row: QueryRow): HoldingOperation | undefined {
  const made = makers[row.path]?.(row, row.decoded);
  return made && { document: `{ answer: ${made.field} }`, variables: {}, expected: made.answer };
}

import { fromBinary } from '@bufbuild/protobuf';
import { Query } from '../../../../../../src/proto/provenance/metadata/v1/query_pb.js';
import { type Scope, ScopeSchema } from '../../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import { ScopeSpecificationSchema } from '../../../../../../src/proto/provenance/metadata/v1/specification_pb.js';
import { abciError, PlainError } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress } from '../../runtime/address.ts';
import { onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import {
  addressOfUuid,
  decodeMetadataAddress,
  encodeMetadataAddress,
  type MetadataKind,
  uuidOf,
} from '../../runtime/metadataAddress.ts';
import { bytesOf } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { readAccountData } from '../attribute/queries.ts';
import { balancePrefix, bankStore } from '../bank/state.ts';
import { pageOfCollection, pageUnder } from '../base/page.ts';
import { contractSpecIdInfo, scopeIdInfo, scopeSpecIdInfo } from './idInfo.ts';
import {
  findContractSpec,
  findScopeSpec,
  findStoredScope,
  metadataKeys,
  metadataStore,
  partyPrefix,
  scopeValuesOf,
  valueOwnerOf,
} from './state.ts';

function reasonOf(work: () => Uint8Array): Uint8Array | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof PlainError) return error.message;
    throw error;
  }
}

/** Decodes an id: an address or a UUID. The error for a scope is recorded; that for a specification is analogous. */
function parseId(kind: MetadataKind, what: string, text: string): Uint8Array {
  const byAddress = reasonOf(() => decodeMetadataAddress(kind, text));
  if (typeof byAddress !== 'string') return byAddress;
  const byUuid = reasonOf(() => addressOfUuid(kind, text));
  if (typeof byUuid !== 'string') return byUuid;
  throw abciError(
    'invalidRequest',
    `could not parse [${text}] into either a ${what} address (${byAddress}) or uuid (${byUuid})`,
  );
}

/** Returns a scope with its value owner. */
export function findScope(state: StoreView, scopeId: Uint8Array): Scope | undefined {
  const scope = findStoredScope(state, scopeId);
  const owner = scope === undefined ? undefined : valueOwnerOf(state, scopeId);
  if (scope !== undefined && owner !== undefined) scope.valueOwnerAddress = encodeAddress(owner);
  return scope;
}

function wrapScope(scopeId: Uint8Array, scope: Scope | undefined, bare: boolean) {
  const idInfo = bare ? {} : { scopeIdInfo: scopeIdInfo(scopeId) };
  if (scope === undefined) return idInfo;
  const spec = scope.specificationId.length > 0 && !bare ? { scopeSpecIdInfo: scopeSpecIdInfo(scope.specificationId) } : {};
  return { scope, ...idInfo, ...spec };
}

function echo<R extends { readonly includeRequest: boolean }>(request: R): { request?: R } {
  return request.includeRequest ? { request } : {};
}

/**
 * The implemented methods of `provenance.metadata.v1.Query`. The response for an absent scope contains no scope
 * (docs/chain.md, "Scopes and their value owners").
 */
export const metadataQueries: readonly QueryHandler[] = [
  onQuery(Query.method.params, (_, request) => ({ params: {}, ...echo(request) })),
  onQuery(Query.method.scope, (state, request) => {
    // Not recorded. The devnet has no sessions and records, so a scope cannot be found through them.
    if (request.scopeId === '') throw abciError('invalidRequest', 'empty request parameters');
    const scopeId = parseId('scope', 'scope', request.scopeId);
    return { scope: wrapScope(scopeId, findScope(state, scopeId), request.excludeIdInfo), ...echo(request) };
  }),
  onQuery(Query.method.scopesAll, (state, request) => {
    const { entries, pagination } = pageUnder(state, metadataStore, metadataKeys.scope, request.pagination);
    const scopes = entries.map(({ value }) => {
      const { scopeId } = fromBinary(ScopeSchema, value);
      return wrapScope(scopeId, findScope(state, scopeId), request.excludeIdInfo);
    });
    return { scopes, pagination, ...echo(request) };
  }),
  // Scopes of owners and of accounts with data access.
  onQuery(Query.method.ownership, (state, request) => {
    const prefix = partyPrefix(decodeAddress(request.address));
    const { entries, pagination } = pageUnder(state, metadataStore, prefix, request.pagination);
    return { scopeUuids: entries.map(({ key }) => uuidOf(bytesOf(key.slice(prefix.length)))), pagination, ...echo(request) };
  }),
  // By the denominations of scopes. Without a page request, there is no page response (recorded). With one, its content is
  // inferred.
  onQuery(Query.method.valueOwnership, (state, request) => {
    const prefix = `${balancePrefix(decodeAddress(request.address))}nft/`;
    const rest = prefix.length - 'nft/'.length;
    const scopeUuids = (keys: readonly string[]): string[] =>
      keys.map((key) => uuidOf(decodeMetadataAddress('scope', key.slice(rest + 'nft/'.length))));
    if (request.pagination === undefined) {
      return { scopeUuids: scopeUuids([...state.entries(bankStore, prefix)].map(({ key }) => key)), ...echo(request) };
    }
    const { entries, pagination } = pageOfCollection(state, bankStore, prefix, request.pagination);
    return { scopeUuids: scopeUuids(entries.map(({ key }) => key)), pagination, ...echo(request) };
  }),
  onQuery(Query.method.scopeSpecification, (state, request) => {
    const id = parseId('scopespec', 'scope spec', request.specificationId);
    const specification = findScopeSpec(state, id);
    const idInfo = request.excludeIdInfo ? {} : { scopeSpecIdInfo: scopeSpecIdInfo(id) };
    const contractIds = request.includeContractSpecs ? (specification?.contractSpecIds ?? []) : [];
    return {
      scopeSpecification: { ...(specification && { specification }), ...idInfo },
      contractSpecs: contractIds.flatMap((contractId) => {
        const contract = findContractSpec(state, contractId);
        const contractInfo = request.excludeIdInfo ? {} : { contractSpecIdInfo: contractSpecIdInfo(contractId) };
        return contract === undefined ? [] : [{ specification: contract, ...contractInfo }];
      }),
      ...echo(request),
    };
  }),
  onQuery(Query.method.scopeSpecificationsAll, (state, request) => {
    const { entries, pagination } = pageUnder(state, metadataStore, metadataKeys.scopeSpec, request.pagination);
    const scopeSpecifications = entries.map(({ value }) => {
      const specification = fromBinary(ScopeSpecificationSchema, value);
      return {
        specification,
        ...(!request.excludeIdInfo && { scopeSpecIdInfo: scopeSpecIdInfo(specification.specificationId) }),
      };
    });
    return { scopeSpecifications, pagination, ...echo(request) };
  }),
  onQuery(Query.method.accountData, (state, { metadataAddr }) => {
    // Not recorded.
    encodeMetadataAddress(metadataAddr);
    return { value: readAccountData(state, metadataAddr) };
  }),
  onQuery(Query.method.scopeNetAssetValues, (state, { id }) => ({
    netAssetValues: scopeValuesOf(state, parseId('scope', 'scope', id)),
  })),
];

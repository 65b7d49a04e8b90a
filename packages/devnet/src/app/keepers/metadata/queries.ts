import { create, fromBinary } from '@bufbuild/protobuf';
import { PageRequestSchema } from '../../../../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { Query } from '../../../../../../src/proto/provenance/metadata/v1/query_pb.js';
import { ScopeSchema } from '../../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import { ScopeSpecificationSchema } from '../../../../../../src/proto/provenance/metadata/v1/specification_pb.js';
import { abciError, refusing } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import { onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import {
  contractSpecIdOf,
  decodeMetadataAddress,
  encodeMetadataAddress,
  recordSpecIdOf,
  uuidOf,
} from '../../runtime/metadataAddress.ts';
import { bytesOf } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { readAccountData } from '../attribute/queries.ts';
import { balancePrefix, bankStore } from '../bank/state.ts';
import { pageOfCollection, pageUnder } from '../base/page.ts';
import { contractSpecIdInfo, recordSpecIdInfo, scopeSpecIdInfo } from './idInfo.ts';
import { findScope, parseId, wrapScope } from './lookups.ts';
import { placeOf, recordQueries, wrapRecord, wrapSession } from './recordQueries.ts';
import {
  findContractSpec,
  findRecordSpec,
  findScopeSpec,
  metadataKeys,
  metadataStore,
  partyPrefix,
  recordSpecsOf,
  recordsOf,
  scopeValuesOf,
  sessionsOf,
} from './state.ts';

function echo<R extends { readonly includeRequest: boolean }>(request: R): { request?: R } {
  return request.includeRequest ? { request } : {};
}

function contractSpecAnswer(state: StoreView, id: Uint8Array, bare: boolean) {
  const specification = findContractSpec(state, id);
  const info = bare && specification ? {} : { contractSpecIdInfo: contractSpecIdInfo(id) };
  return { ...(specification && { specification }), ...info };
}

function recordSpecAnswers(state: StoreView, contractSpecId: Uint8Array, bare: boolean) {
  return recordSpecsOf(state, contractSpecId).map((specification) => ({
    specification,
    ...(!bare && { recordSpecIdInfo: recordSpecIdInfo(specification.specificationId) }),
  }));
}

/** Decodes the id of a contract specification, which the address of one of its record specifications names, too. */
function parseContractSpecId(text: string): Uint8Array {
  if (text.startsWith('recspec1')) return contractSpecIdOf(decodeMetadataAddress('recspec', text));
  return parseId('contractspec', 'contract spec', text);
}

/**
 * The implemented methods of `provenance.metadata.v1.Query`. The response for an absent scope contains no scope
 * (docs/chain.md, "Scopes and their value owners").
 */
export const metadataQueries: readonly QueryHandler[] = [
  onQuery(Query.method.params, (_, request) => ({ params: {}, ...echo(request) })),
  onQuery(Query.method.scope, (state, request) => {
    const scopeId = placeOf({ ...request, sessionId: request.sessionAddr, name: '' }).scope;
    const bare = request.excludeIdInfo;
    return {
      scope: wrapScope(scopeId, findScope(state, scopeId), bare),
      ...(request.includeSessions && { sessions: sessionsOf(state, scopeId).map((each) => wrapSession(each, bare)) }),
      ...(request.includeRecords && { records: recordsOf(state, scopeId).map((each) => wrapRecord(each, bare)) }),
      ...echo(request),
    };
  }),
  onQuery(Query.method.scopesAll, (state, request) => {
    const limited = request.pagination ?? create(PageRequestSchema);
    // Without a limit, other lists have a total; this one has none (recorded).
    if (limited.limit === 0n) limited.limit = 100n;
    const { entries, pagination } = pageUnder(state, metadataStore, metadataKeys.scope, limited);
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
    const bare = request.excludeIdInfo;
    const idInfo = bare && specification ? {} : { scopeSpecIdInfo: scopeSpecIdInfo(id) };
    const contractIds = specification?.contractSpecIds ?? [];
    return {
      scopeSpecification: { ...(specification && { specification }), ...idInfo },
      ...(request.includeContractSpecs && {
        contractSpecs: contractIds.map((contractId) => contractSpecAnswer(state, contractId, bare)),
      }),
      ...(request.includeRecordSpecs && { recordSpecs: contractIds.flatMap((each) => recordSpecAnswers(state, each, bare)) }),
      ...echo(request),
    };
  }),
  onQuery(Query.method.contractSpecification, (state, request) => {
    const id = refusing(() => parseContractSpecId(request.specificationId));
    const bare = request.excludeIdInfo;
    return {
      contractSpecification: contractSpecAnswer(state, id, bare),
      ...(request.includeRecordSpecs && { recordSpecifications: recordSpecAnswers(state, id, bare) }),
      ...echo(request),
    };
  }),
  onQuery(Query.method.recordSpecification, (state, request) => {
    const { specificationId, name } = request;
    const isOwn = specificationId.startsWith('recspec1');
    if (!isOwn && name === '') {
      const what = specificationId.startsWith('contractspec1') ? 'contract spec address' : 'uuid';
      throw abciError('invalidRequest', `invalid input: a name is required when providing a ${what}: invalid request`);
    }
    const id = refusing(() =>
      isOwn ? decodeMetadataAddress('recspec', specificationId) : recordSpecIdOf(parseContractSpecId(specificationId), name),
    );
    const specification = findRecordSpec(state, id);
    const info = request.excludeIdInfo && specification ? {} : { recordSpecIdInfo: recordSpecIdInfo(id) };
    return { recordSpecification: { ...(specification && { specification }), ...info }, ...echo(request) };
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
  ...recordQueries,
];

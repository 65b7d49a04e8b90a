import { create, fromBinary, type JsonValue } from '@bufbuild/protobuf';
import { type PageRequest, PageRequestSchema } from '../../../../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { Query } from '../../../../../../src/proto/cosmwasm/wasm/v1/query_pb.js';
import {
  AccessType,
  CodeInfoSchema,
  ContractCodeHistoryEntrySchema,
} from '../../../../../../src/proto/cosmwasm/wasm/v1/types_pb.js';
import { abciError, StatusError } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress } from '../../runtime/address.ts';
import { onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import { bytesOf, keyOf, u64At } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { type Page, pageUnder } from '../base/page.ts';
import { queryPoints } from './points.ts';
import { ContractError, contractState } from './program.ts';
import {
  codePrefix,
  creatorPrefix,
  historyPrefix,
  indexedAddress,
  loadCode,
  loadContract,
  statePrefix,
  wasmKeys,
  wasmStore,
} from './state.ts';

/** The gas of a query of a contract (recorded: `3000000`). */
const queryGas = 3_000_000;

/** A page of entries. The lists of the module have no offsets and no counts (recorded). */
function pageOf(state: StoreView, prefix: string, request: PageRequest | undefined): Page {
  if (request !== undefined && (request.offset > 0n || request.countTotal)) {
    throw new StatusError('InvalidArgument', 'offset and count queries not supported');
  }
  const { key, limit = 0n, reverse } = request ?? {};
  const terms = { limit: limit || 100n, ...(key && { key }), ...(reverse && { reverse }) };
  return pageUnder(state, wasmStore, prefix, create(PageRequestSchema, terms));
}

/** The contracts of an index. */
function contractsUnder(state: StoreView, prefix: string, request: PageRequest | undefined) {
  const { entries, pagination } = pageOf(state, prefix, request);
  return { contracts: entries.map(({ key }) => encodeAddress(indexedAddress(key))), pagination };
}

/** Runs a query of a contract. The texts of its refusals are recorded. */
function answerOf(state: StoreView, address: string, queryData: Uint8Array): Uint8Array {
  let message: JsonValue;
  try {
    message = JSON.parse(Buffer.from(queryData).toString());
  } catch {
    throw new StatusError('InvalidArgument', 'invalid query data');
  }
  loadContract(state, address);
  try {
    return Buffer.from(JSON.stringify(queryPoints(contractState(state, address), spendGas, message)));
  } catch (error) {
    if (error instanceof ContractError) throw abciError('wasmQueryFailed', error.message);
    throw error;
  }
}

/** Ends a query that needs more gas than the limit. What was used is then the limit, as of the engine (recorded). */
function spendGas(gas: number): void {
  if (gas <= queryGas) return;
  const limit = `gasWanted: ${queryGas}, gasUsed: ${queryGas}`;
  throw abciError('outOfGas', `out of gas in location: Wasm engine function execution; ${limit}`);
}

/** The queries of the module, except those of the bytes of codes. */
export const wasmQueries: readonly QueryHandler[] = [
  onQuery(Query.method.contractInfo, (state, { address }) => ({ address, contractInfo: loadContract(state, address) })),
  onQuery(Query.method.contractHistory, (state, { address, pagination: request }) => {
    const { entries, pagination } = pageOf(state, historyPrefix(address), request);
    return { entries: entries.map(({ value }) => fromBinary(ContractCodeHistoryEntrySchema, value)), pagination };
  }),
  onQuery(Query.method.contractsByCode, (state, { codeId, pagination }) =>
    contractsUnder(state, codePrefix(codeId), pagination),
  ),
  onQuery(Query.method.contractsByCreator, (state, { creatorAddress, pagination: request }) => {
    const { contracts, pagination } = contractsUnder(state, creatorPrefix(creatorAddress), request);
    return { contractAddresses: contracts, pagination };
  }),
  onQuery(Query.method.allContractState, (state, { address, pagination: request }) => {
    const prefix = statePrefix(address);
    const { entries, pagination } = pageOf(state, prefix, request);
    loadContract(state, address);
    return { models: entries.map(({ key, value }) => ({ key: bytesOf(key.slice(prefix.length)), value })), pagination };
  }),
  onQuery(Query.method.rawContractState, (state, { address, queryData }) => {
    loadContract(state, address);
    return { data: state.get(wasmStore, statePrefix(address) + keyOf(queryData)) ?? new Uint8Array() };
  }),
  onQuery(Query.method.smartContractState, (state, { address, queryData }) => {
    decodeAddress(address);
    return { data: answerOf(state, address, queryData) };
  }),
  onQuery(Query.method.codeInfo, (state, { codeId }) => {
    if (codeId === 0n) throw abciError('wasmInvalid', 'code id');
    const { creator, codeHash: checksum, instantiateConfig: instantiatePermission } = loadCode(state, codeId);
    return { codeId, creator, checksum, ...(instantiatePermission && { instantiatePermission }) };
  }),
  onQuery(Query.method.codes, (state, { pagination: request }) => {
    const { entries, pagination } = pageOf(state, wasmKeys.code, request);
    const codeInfos = entries.map(({ key, value }) => {
      const { creator, codeHash: dataHash, instantiateConfig: instantiatePermission } = fromBinary(CodeInfoSchema, value);
      const codeId = u64At(key, wasmKeys.code.length);
      return { codeId, creator, dataHash, ...(instantiatePermission && { instantiatePermission }) };
    });
    return { codeInfos, pagination };
  }),
  onQuery(Query.method.params, () => ({
    params: {
      codeUploadAccess: { permission: AccessType.EVERYBODY },
      instantiateDefaultPermission: AccessType.EVERYBODY,
    },
  })),
];

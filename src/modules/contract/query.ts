import { isChainError } from '../../chain/base/errors.ts';
import type { StateAt } from '../../chain/state/state.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import { contractMessageJson } from '../../chain/wire/protoJson.ts';
import { Query } from '../../proto/cosmwasm/wasm/v1/query_pb.js';
import {
  AccessTypeSchema,
  ContractCodeHistoryOperationTypeSchema,
  type AbsoluteTxPosition as WirePosition,
} from '../../proto/cosmwasm/wasm/v1/types_pb.js';
import { hexOf, unrecognized } from '../../reads/input.ts';
import { checkScan, listOnce, type NamedList, stateList } from '../../reads/page.ts';
import { type Awaitable, lazyLoaders, type Pin, ReadOnce } from '../../reads/pin.ts';
import { stateRead, stateReadOrNull } from '../../reads/query.ts';

/** Where a contract was created or migrated. */
interface TxPosition {
  readonly height: bigint;
  /** The index of the transaction in its block. */
  readonly index: bigint;
}

/** A contract of `cosmwasm.wasm.v1`. */
export interface Contract {
  readonly address: string;
  readonly codeId: bigint;
  readonly creator: string;
  /** The account that can migrate the contract; null if nobody can. */
  readonly admin: string | null;
  readonly label: string;
  readonly created: TxPosition | null;
  readonly ibcPort: string | null;
}

/** Who can create contracts from a code. */
export const accessTypes = [
  'ACCESS_TYPE_UNSPECIFIED',
  'ACCESS_TYPE_NOBODY',
  'ACCESS_TYPE_EVERYBODY',
  'ACCESS_TYPE_ANY_OF_ADDRESSES',
] as const;

/** A code that contracts are created from. */
export interface ContractCode {
  readonly id: bigint;
  readonly creator: string;
  /** SHA-256 of the code, upper case hex. */
  readonly checksum: string;
  readonly permission: (typeof accessTypes)[number] | typeof unrecognized;
  readonly permitted: readonly string[];
}

/** What gave a contract its code. */
export const historyOperations = [
  'CONTRACT_CODE_HISTORY_OPERATION_TYPE_UNSPECIFIED',
  'CONTRACT_CODE_HISTORY_OPERATION_TYPE_INIT',
  'CONTRACT_CODE_HISTORY_OPERATION_TYPE_MIGRATE',
  'CONTRACT_CODE_HISTORY_OPERATION_TYPE_GENESIS',
] as const;

/** The creation or a migration of a contract. */
export interface HistoryEntry {
  /** Its place in the history, from 0. */
  readonly index: number;
  readonly operation: (typeof historyOperations)[number] | typeof unrecognized;
  readonly codeId: bigint;
  readonly updated: TxPosition | null;
  readonly message: Uint8Array;
}

/** An entry of the state of a contract. */
export interface StateEntry {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

function positionOf(position: WirePosition | undefined): TxPosition | null {
  return position === undefined ? null : { height: position.blockHeight, index: position.txIndex };
}

/** The logs for an absent contract and code: `address wasm1…: no such contract`, `code id 77: no such code` (recorded). */
const absentLog = /: no such (contract|code): unknown request$/;

/** The value of a read, or null if the chain says that there is no such contract or code. */
function orIfNone<T>(value: Awaitable<T | null>): Awaitable<T | null> {
  if (!(value instanceof Promise)) return value;
  return value.catch((error: unknown) => {
    if (isChainError(error, 'ABCI_QUERY_FAILED') && absentLog.test(error.facts.log)) return null;
    throw error;
  });
}

/** Reads a contract; null if the address has none. */
const readContract = stateReadOrNull({
  method: Query.method.contractInfo,
  request: (address: string) => ({ address }),
  value: ({ address, contractInfo: info }): Contract | null =>
    info === undefined
      ? null
      : {
          ...{ address, codeId: info.codeId, creator: info.creator, admin: info.admin || null, label: info.label },
          ...{ created: positionOf(info.created), ibcPort: info.ibcPortId || null },
        },
  absences: [],
});

/** Reads a code without its bytes; null if it does not exist. */
const readCode = stateReadOrNull({
  method: Query.method.codeInfo,
  request: (codeId: bigint) => ({ codeId }),
  value: ({ codeId, creator, checksum, instantiatePermission: access }): ContractCode => {
    const name = access && AccessTypeSchema.value[access.permission]?.name;
    return {
      ...{ id: codeId, creator, checksum: hexOf(checksum), permitted: access?.addresses ?? [] },
      permission: accessTypes.find((each) => each === name) ?? unrecognized,
    };
  },
  absences: [],
});

/** A part of the history of a contract, from a page key on. The chain refuses offsets and counts (recorded). */
const readHistoryPart = stateRead({
  method: Query.method.contractHistory,
  request: (address: string, key: Uint8Array) => ({ address, pagination: { key, limit: 100n } }),
  value: ({ entries, pagination }) => ({
    entries: entries.map(({ operation, codeId, updated, msg }): Omit<HistoryEntry, 'index'> => {
      const name = ContractCodeHistoryOperationTypeSchema.value[operation]?.name;
      return {
        operation: historyOperations.find((each) => each === name) ?? unrecognized,
        ...{ codeId, updated: positionOf(updated), message: msg },
      };
    }),
    next: pagination?.nextKey ?? new Uint8Array(),
  }),
});

/** The whole history of a contract, oldest first. A history of more than 5,000 entries is OPERATION_TOO_COMPLEX. */
async function readHistory(state: StateAt, address: string): Promise<readonly HistoryEntry[]> {
  const entries: Omit<HistoryEntry, 'index'>[] = [];
  let key: Uint8Array = new Uint8Array();
  do {
    const part = await readHistoryPart(state, address, key);
    entries.push(...part.entries);
    checkScan(entries.length, 'entries of the history of a contract');
    key = part.next;
  } while (key.length > 0);
  return entries.map((entry, index) => ({ ...entry, index }));
}

/** A part of the state of a contract, by key. The chain refuses offsets and counts (recorded). */
const readState = stateList({
  method: Query.method.allContractState,
  request: (address: string, pagination) => ({ address, pagination }),
  part: ({ models, pagination }) => [models.map(({ key, value }): StateEntry => ({ key, value })), pagination],
});

/** Reads one key of the state of a contract; empty if it has none. */
const readKey = stateRead({
  method: Query.method.rawContractState,
  request: (address: string, queryData: Uint8Array) => ({ address, queryData }),
  value: ({ data }): Uint8Array => data,
});

/** Runs a query of a contract, which each node ends at its gas limit. Its response is JSON; other bytes are their base64. */
const runQuery = stateRead({
  method: Query.method.smartContractState,
  request: (address: string, message: string) => ({ address, queryData: Buffer.from(message) }),
  value: ({ data }): JsonValue => contractMessageJson(data) ?? Buffer.from(data).toString('base64'),
});

/** The key under which a contract states its name and version, by the convention CW2. */
const infoKey = Buffer.from('contract_info');

interface ContractQuery {
  readonly address: string;
  /** The message in JSON. */
  readonly message: string;
}

export const createContractLoaders = lazyLoaders({
  contract: ({ state }) => new ReadOnce((address: string) => orIfNone(readContract(state, address))),
  code: ({ state }) => new ReadOnce((id: bigint) => orIfNone(readCode(state, id))),
  history: ({ state }) => new ReadOnce((address: string) => readHistory(state, address)),
  state: listOnce(readState),
  info: ({ state }) => new ReadOnce((address: string) => readKey(state, address, infoKey)),
  query: ({ state }) =>
    new ReadOnce(
      ({ address, message }: ContractQuery) => runQuery(state, address, message),
      ({ address, message }) => `${address} ${message}`,
    ),
});

/** The state of a contract, by key. Its page keys are the keys. */
export function stateListOf(pin: Pin, address: string): NamedList<StateEntry> {
  const { state } = pin.loaders(createContractLoaders);
  return {
    name: `contractState/${address}`,
    read: (page) => state.load({ of: address, page }),
    keyOf: ({ key }) => key,
    pageKey: (key) => key,
  };
}

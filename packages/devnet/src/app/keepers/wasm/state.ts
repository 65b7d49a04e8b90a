import { create, type DescMessage, fromBinary, type MessageInitShape, type MessageShape, toBinary } from '@bufbuild/protobuf';
import {
  type AbsoluteTxPosition,
  AbsoluteTxPositionSchema,
  type CodeInfo,
  CodeInfoSchema,
  ContractCodeHistoryEntrySchema,
  type ContractCodeHistoryOperationType,
  type ContractInfo,
  ContractInfoSchema,
} from '../../../../../../src/proto/cosmwasm/wasm/v1/types_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import { decodeAddress, derivedAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { bytesOf, keyOf, sizedKey, u64Key } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';

/** The store of the wasm module. */
export const wasmStore = 'wasm';

/** Key prefixes of wasmd. The parts of the index of a code after the prefix are recorded in page keys; the others are inferred. */
export const wasmKeys = {
  code: '\x01',
  contract: '\x02',
  state: '\x03',
  nextInstance: '\x04lastContractId',
  history: '\x05',
  byCode: '\x06',
  byCreator: '\x09',
} as const;

function find<D extends DescMessage>(state: StoreView, schema: D, key: string): MessageShape<D> | undefined {
  const stored = state.get(wasmStore, key);
  return stored === undefined ? undefined : fromBinary(schema, stored);
}

/** Stores a code under its id. */
export function writeCode(context: Context, id: bigint, code: MessageInitShape<typeof CodeInfoSchema>): void {
  context.set(wasmStore, wasmKeys.code + u64Key(id), toBinary(CodeInfoSchema, create(CodeInfoSchema, code)));
}

/** Returns a code. Throws code 28 if there is none. */
export function loadCode(state: StoreView, id: bigint): CodeInfo {
  const code = find(state, CodeInfoSchema, wasmKeys.code + u64Key(id));
  if (code === undefined) throw abciError('wasmNoCode', `code id ${id}`);
  return code;
}

/** Returns a contract. Throws code 22 if there is none. */
export function loadContract(state: StoreView, address: string): ContractInfo {
  const info = find(state, ContractInfoSchema, wasmKeys.contract + keyOf(decodeAddress(address)));
  if (info === undefined) throw abciError('wasmNoContract', `address ${address}`);
  return info;
}

/** Stores a contract under its address. */
export function writeContract(context: Context, address: string, info: ContractInfo): void {
  context.set(wasmStore, wasmKeys.contract + keyOf(decodeAddress(address)), toBinary(ContractInfoSchema, info));
}

/** Returns the address of the next contract of a code, and counts it. */
export function nextAddress(context: Context, codeId: bigint): Uint8Array {
  const stored = context.get(wasmStore, wasmKeys.nextInstance);
  const instance = stored === undefined ? 1n : BigInt(Buffer.from(stored).toString());
  context.set(wasmStore, wasmKeys.nextInstance, Buffer.from(String(instance + 1n)));
  return contractAddress(codeId, instance);
}

/** The address of a contract by its code and its number on the chain, from 1. Checked against a recorded contract. */
export function contractAddress(codeId: bigint, instance: bigint): Uint8Array {
  return derivedAddress('wasm', [bytesOf(u64Key(codeId) + u64Key(instance))]);
}

/** The place of the transaction that is executed. */
export function positionIn({ block }: Context): AbsoluteTxPosition {
  return create(AbsoluteTxPositionSchema, { blockHeight: block.height, txIndex: block.txIndex ?? 0n });
}

function positionKey({ blockHeight, txIndex }: AbsoluteTxPosition): string {
  return u64Key(blockHeight) + u64Key(txIndex);
}

/** The key prefix of the contracts of a code. */
export const codePrefix = (codeId: bigint): string => wasmKeys.byCode + u64Key(codeId);

/** The key prefix of the contracts of a creator. */
export const creatorPrefix = (creator: string): string => wasmKeys.byCreator + sizedKey(keyOf(decodeAddress(creator)));

/** The address in an entry of an index, which is its last 32 bytes. */
export const indexedAddress = (key: string): Uint8Array => bytesOf(key.slice(-32));

/** The key prefix of the history of a contract. */
export const historyPrefix = (address: string): string => wasmKeys.history + keyOf(decodeAddress(address));

/** Gives a contract its code: adds to its history, and moves it in the index of codes. */
export function recordCode(
  context: Context,
  address: string,
  operation: ContractCodeHistoryOperationType,
  { codeId, msg }: { readonly codeId: bigint; readonly msg: Uint8Array },
): void {
  const bytes = keyOf(decodeAddress(address));
  const prefix = historyPrefix(address);
  const updated = positionIn(context);
  const entries = [...context.entries(wasmStore, prefix)];
  const last = entries.at(-1);
  if (last !== undefined) {
    const { codeId: before, updated: since } = fromBinary(ContractCodeHistoryEntrySchema, last.value);
    if (since !== undefined) context.delete(wasmStore, codePrefix(before) + positionKey(since) + bytes);
  }
  const entry = create(ContractCodeHistoryEntrySchema, { operation, codeId, updated, msg });
  context.set(wasmStore, prefix + u64Key(BigInt(entries.length)), toBinary(ContractCodeHistoryEntrySchema, entry));
  context.set(wasmStore, codePrefix(codeId) + positionKey(updated) + bytes, new Uint8Array());
}

/** Adds a new contract to the index of creators. */
export function recordCreator(context: Context, creator: string, address: string): void {
  const key = creatorPrefix(creator) + positionKey(positionIn(context)) + keyOf(decodeAddress(address));
  context.set(wasmStore, key, new Uint8Array());
}

/** The key prefix of the state of a contract. */
export const statePrefix = (address: string): string => wasmKeys.state + keyOf(decodeAddress(address));

import { create, type JsonValue } from '@bufbuild/protobuf';
import type { Coin } from '../../../../../../src/proto/cosmos/base/v1beta1/coin_pb.js';
import {
  MsgClearAdminResponseSchema,
  MsgClearAdminSchema,
  MsgExecuteContractResponseSchema,
  MsgExecuteContractSchema,
  type MsgInstantiateContract,
  MsgInstantiateContractResponseSchema,
  MsgInstantiateContractSchema,
  type MsgMigrateContract,
  MsgMigrateContractResponseSchema,
  MsgMigrateContractSchema,
  MsgUpdateAdminResponseSchema,
  MsgUpdateAdminSchema,
} from '../../../../../../src/proto/cosmwasm/wasm/v1/tx_pb.js';
import {
  type ContractInfo,
  ContractInfoSchema,
  ContractCodeHistoryOperationType as Operation,
} from '../../../../../../src/proto/cosmwasm/wasm/v1/types_pb.js';
import { abciError } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress } from '../../runtime/address.ts';
import { parseCoins } from '../../runtime/coins.ts';
import type { Context } from '../../runtime/context.ts';
import { plainEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { sendCoins } from '../bank/state.ts';
import { createAccount } from '../base/auth.ts';
import { executePoints, instantiatePoints, pointsVersions, writeVersion } from './points.ts';
import { type Attributes, ContractError, contractWriter } from './program.ts';
import { loadCode, loadContract, nextAddress, positionIn, recordCode, recordCreator, writeContract } from './state.ts';

/** Longest label of a contract, in bytes. */
const longestLabel = 128;

/** The JSON of a message. Guess: the text for bytes that are not JSON. */
function jsonOf(bytes: Uint8Array): JsonValue {
  try {
    return JSON.parse(Buffer.from(bytes).toString());
  } catch {
    throw abciError('wasmInvalid', 'payload msg');
  }
}

/** Runs the program of a contract. Its error has the text of the module (recorded for executions). */
function running<T>(name: 'wasmExecuteFailed' | 'wasmInstantiateFailed', work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof ContractError) throw abciError(name, error.message);
    throw error;
  }
}

function pay(context: Context, from: string, to: Uint8Array, funds: readonly Coin[]): void {
  if (funds.length > 0) sendCoins(context, decodeAddress(from), to, parseCoins(funds));
}

/** Emits what a contract wrote, if it wrote anything. */
function emitWritten(context: Context, address: string, attributes: Attributes): void {
  if (attributes.length > 0) context.emit(plainEvent('wasm', [['_contract_address', address], ...attributes]));
}

const versionOf = (codeId: bigint): string => pointsVersions[Number(codeId) - 1] ?? '';

function instantiate(context: Context, message: MsgInstantiateContract) {
  const { sender, admin, codeId, label, msg, funds } = message;
  // Guess: the texts for labels.
  if (label === '') throw abciError('wasmEmpty', 'label');
  if (Buffer.byteLength(label) > longestLabel) throw abciError('wasmLimit', 'label cannot be longer than 128 characters');
  const content = jsonOf(msg);
  loadCode(context, codeId);
  const bytes = nextAddress(context, codeId);
  const address = encodeAddress(bytes);
  createAccount(context, bytes);
  pay(context, sender, bytes, funds);
  const state = contractWriter(context, address);
  const attributes = running('wasmInstantiateFailed', () => instantiatePoints(state, content));
  writeVersion(state, versionOf(codeId));
  const created = positionIn(context);
  writeContract(context, address, create(ContractInfoSchema, { codeId, creator: sender, admin, label, created }));
  recordCode(context, address, Operation.INIT, { codeId, msg });
  recordCreator(context, sender, address);
  context.emit(
    plainEvent('instantiate', [
      ['_contract_address', address],
      ['code_id', String(codeId)],
    ]),
  );
  emitWritten(context, address, attributes);
  return { address };
}

/** Returns a contract that `sender` administers. The text of the refusal of a migration is recorded. */
function loadOwn(context: Context, address: string, sender: string, what: string): ContractInfo {
  const info = loadContract(context, address);
  if (info.admin !== sender) throw abciError('unauthorized', `can not ${what}`);
  return info;
}

function migrate(context: Context, { sender, contract, codeId, msg }: MsgMigrateContract) {
  jsonOf(msg);
  const info = loadOwn(context, contract, sender, 'migrate');
  loadCode(context, codeId);
  writeVersion(contractWriter(context, contract), versionOf(codeId));
  writeContract(context, contract, { ...info, codeId });
  recordCode(context, contract, Operation.MIGRATE, { codeId, msg });
  context.emit(
    plainEvent('migrate', [
      ['code_id', String(codeId)],
      ['_contract_address', contract],
    ]),
  );
  return {};
}

function setAdmin(context: Context, sender: string, contract: string, admin: string) {
  const info = loadOwn(context, contract, sender, 'modify contract');
  writeContract(context, contract, { ...info, admin });
  context.emit(
    plainEvent('update_contract_admin', [
      ['_contract_address', contract],
      ['new_admin_address', admin],
    ]),
  );
  return {};
}

/** The messages of the module, except those that store code: the codes are in the genesis. */
export const wasmMessages: readonly MessageHandler[] = [
  onMessage(MsgInstantiateContractSchema, MsgInstantiateContractResponseSchema, ({ sender }) => [sender], instantiate),
  onMessage(
    MsgExecuteContractSchema,
    MsgExecuteContractResponseSchema,
    ({ sender }) => [sender],
    (context, { sender, contract, msg, funds }) => {
      const content = jsonOf(msg);
      loadContract(context, contract);
      pay(context, sender, decodeAddress(contract), funds);
      context.emit(plainEvent('execute', [['_contract_address', contract]]));
      const attributes = running('wasmExecuteFailed', () => executePoints(contractWriter(context, contract), sender, content));
      emitWritten(context, contract, attributes);
      return {};
    },
  ),
  onMessage(MsgMigrateContractSchema, MsgMigrateContractResponseSchema, ({ sender }) => [sender], migrate),
  onMessage(
    MsgUpdateAdminSchema,
    MsgUpdateAdminResponseSchema,
    ({ sender }) => [sender],
    (context, { sender, contract, newAdmin }) => {
      decodeAddress(newAdmin);
      return setAdmin(context, sender, contract, newAdmin);
    },
  ),
  onMessage(
    MsgClearAdminSchema,
    MsgClearAdminResponseSchema,
    ({ sender }) => [sender],
    (context, { sender, contract }) => setAdmin(context, sender, contract, ''),
  ),
];

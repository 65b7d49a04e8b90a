import { create, type DescMessage, fromBinary, type MessageShape, toBinary } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import {
  type BaseAccount,
  BaseAccountSchema,
  ModuleAccountSchema,
} from '../../../../../../src/proto/cosmos/auth/v1beta1/auth_pb.js';
import { Query } from '../../../../../../src/proto/cosmos/auth/v1beta1/query_pb.js';
import {
  type BaseVestingAccount,
  ContinuousVestingAccountSchema,
  DelayedVestingAccountSchema,
  PeriodicVestingAccountSchema,
} from '../../../../../../src/proto/cosmos/vesting/v1beta1/vesting_pb.js';
import { MarkerAccountSchema } from '../../../../../../src/proto/provenance/marker/v1/marker_pb.js';
import { StatusError } from '../../runtime/abciErrors.ts';
import { addressPrefix, decodeAddress, encodeAddress, moduleAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { createGasMeter } from '../../runtime/gas.ts';
import { type Keeper, onQuery, packAny } from '../../runtime/keeper.ts';
import { keyOf, u64Key } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { chainModules, moduleAt } from './modules.ts';

const store = 'acc';
const nextNumberKey = 'globalAccountNumber';

/** A type of account, with access to its base account. */
interface AccountKind {
  readonly typeUrl: string;
  readonly base: (value: Uint8Array) => BaseAccount | undefined;
  /** Returns the account with another base account. */
  readonly withBase: (value: Uint8Array, base: BaseAccount) => Any;
}

function accountKind<D extends DescMessage>(
  schema: D,
  base: (account: MessageShape<D>) => BaseAccount | undefined,
  put: (account: MessageShape<D>, base: BaseAccount) => void,
): AccountKind {
  return {
    typeUrl: `/${schema.typeName}`,
    base: (value) => base(fromBinary(schema, value)),
    withBase(value, changed) {
      const account = fromBinary(schema, value);
      put(account, changed);
      return packAny(schema, account);
    },
  };
}

const ownBase = <A extends { baseAccount?: BaseAccount | undefined }>(account: A): BaseAccount | undefined =>
  account.baseAccount;
const putOwnBase = <A extends { baseAccount?: BaseAccount | undefined }>(account: A, base: BaseAccount): void => {
  account.baseAccount = base;
};

interface VestingAccount {
  baseVestingAccount?: BaseVestingAccount | undefined;
}
const vestingBase = ({ baseVestingAccount }: VestingAccount): BaseAccount | undefined => baseVestingAccount?.baseAccount;
const putVestingBase = ({ baseVestingAccount }: VestingAccount, base: BaseAccount): void => {
  if (baseVestingAccount !== undefined) baseVestingAccount.baseAccount = base;
};

/** All types of accounts except the plain base account. */
const kinds = new Map(
  [
    accountKind(ModuleAccountSchema, ownBase, putOwnBase),
    accountKind(MarkerAccountSchema, ownBase, putOwnBase),
    accountKind(ContinuousVestingAccountSchema, vestingBase, putVestingBase),
    accountKind(DelayedVestingAccountSchema, vestingBase, putVestingBase),
    accountKind(PeriodicVestingAccountSchema, vestingBase, putVestingBase),
  ].map((kind) => [kind.typeUrl, kind]),
);

function accountKey(address: Uint8Array): string {
  return `\x01${keyOf(address)}`;
}

/** Returns the stored account at an address, of any type. undefined if there is none. */
export function readAnyAccount(state: StoreView, address: Uint8Array): Any | undefined {
  const stored = state.get(store, accountKey(address));
  return stored === undefined ? undefined : fromBinary(AnySchema, stored);
}

function baseOf(account: Any): BaseAccount | undefined {
  const kind = kinds.get(account.typeUrl);
  return kind === undefined ? fromBinary(BaseAccountSchema, account.value) : kind.base(account.value);
}

/** Returns the base account at an address. undefined if there is none. */
export function readAccount(state: StoreView, address: Uint8Array): BaseAccount | undefined {
  const account = readAnyAccount(state, address);
  return account === undefined ? undefined : baseOf(account);
}

/** Stores an account of any type. */
export function writeAnyAccount(context: Context, address: Uint8Array, account: Any): void {
  context.set(store, accountKey(address), toBinary(AnySchema, account));
}

/** Stores a base account under its address. The type of an existing account is kept. */
export function writeAccount(context: Context, account: BaseAccount): void {
  const address = decodeAddress(account.address);
  const before = readAnyAccount(context, address);
  const kind = before === undefined ? undefined : kinds.get(before.typeUrl);
  const plain = packAny(BaseAccountSchema, account);
  writeAnyAccount(context, address, before === undefined || kind === undefined ? plain : kind.withBase(before.value, account));
}

/**
 * Creates a base account with the next account number, without storing it. Only derived accounts have a `publicKey` at
 * creation.
 */
export function numberAccount(context: Context, address: Uint8Array, publicKey?: Any): BaseAccount {
  const stored = context.get(store, nextNumberKey);
  const accountNumber = stored === undefined ? 0n : BigInt(Buffer.from(stored).toString());
  context.set(store, nextNumberKey, Buffer.from(String(accountNumber + 1n)));
  const account = create(BaseAccountSchema, { address: encodeAddress(address), accountNumber });
  if (publicKey !== undefined) account.pubKey = publicKey;
  return account;
}

/** Creates an account: a module account at the address of a module, otherwise a base account. */
export function createAccount(context: Context, address: Uint8Array, publicKey?: Any): BaseAccount {
  const account = numberAccount(context, address, publicKey);
  const module = moduleAt(account.address);
  const any =
    module === undefined
      ? packAny(BaseAccountSchema, account)
      : packAny(
          ModuleAccountSchema,
          create(ModuleAccountSchema, { baseAccount: account, name: module.name, permissions: [...module.permissions] }),
        );
  writeAnyAccount(context, address, any);
  return account;
}

const noncePrefix = '\x5a';

/** The times of nonces in keys: 64-bit integers with the sign bit flipped, so that key order is the order of time. */
function nonceTime(time: bigint): string {
  return noncePrefix + u64Key(BigInt.asUintN(64, time) ^ (1n << 63n));
}

/**
 * Records that an account has sent an unordered transaction with this timeout, in nanoseconds since 1970. Returns false if it has done so before.
 * The gas for it is flat, so this reads and writes without a limit.
 */
export function useNonce(context: Context, address: Uint8Array, timeout: bigint): boolean {
  const free = context.fork(createGasMeter(undefined));
  const key = nonceTime(timeout) + keyOf(address);
  if (free.get(store, key) !== undefined) return false;
  free.set(store, key, new Uint8Array());
  context.merge(free);
  return true;
}

function requireAccount(state: StoreView, address: string): Any {
  if (address === '') throw new StatusError('InvalidArgument', 'Address cannot be empty');
  const account = readAnyAccount(state, decodeAddress(address));
  if (account === undefined) throw new StatusError('NotFound', `account ${address} not found`);
  return account;
}

/** Accounts: kinds, numbers, sequences, public keys, and the nonces of unordered transactions. */
export const authKeeper: Keeper = {
  messages: [],
  queries: [
    onQuery(Query.method.account, (state, { address }) => ({ account: requireAccount(state, address) })),
    onQuery(Query.method.accountInfo, (state, { address }) => {
      const info = baseOf(requireAccount(state, address));
      return info === undefined ? {} : { info };
    }),
    // Not recorded: returns existing module accounts by name. The real module creates missing ones.
    onQuery(Query.method.moduleAccounts, (state) => ({
      accounts: chainModules.flatMap(({ name }) => readAnyAccount(state, moduleAddress(name)) ?? []),
    })),
    onQuery(Query.method.moduleAccountByName, (state, { name }) => {
      const isKnown = chainModules.some((module) => module.name === name);
      const account = isKnown ? readAnyAccount(state, moduleAddress(name)) : undefined;
      // Not recorded.
      if (account === undefined) throw new StatusError('NotFound', `account ${name} not found`);
      return { account };
    }),
    onQuery(Query.method.bech32Prefix, () => ({ bech32Prefix: addressPrefix })),
    // The defaults of the Cosmos SDK; not recorded.
    onQuery(Query.method.params, () => ({
      params: {
        maxMemoCharacters: 256n,
        txSigLimit: 7n,
        txSizeCostPerByte: 10n,
        sigVerifyCostEd25519: 590n,
        sigVerifyCostSecp256k1: 1000n,
      },
    })),
  ],
  // Nonces leave the state in the first block after their timeout. At that time exactly, they are kept: this is a guess.
  beginBlock(context) {
    const end = nonceTime(context.block.time);
    const expired: string[] = [];
    for (const { key } of context.entries(store, noncePrefix)) {
      if (key.slice(0, end.length) >= end) break;
      expired.push(key);
    }
    for (const key of expired) context.delete(store, key);
  },
  initGenesis(context, { modules = [], sequences = [] }) {
    for (const name of modules) {
      const address = moduleAddress(name);
      if (readAccount(context, address) === undefined) createAccount(context, address);
    }
    for (const { address, sequence } of sequences) {
      const account = readAccount(context, decodeAddress(address));
      if (account !== undefined) writeAccount(context, { ...account, sequence });
    }
  },
};

import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { type Any, AnySchema } from '@bufbuild/protobuf/wkt';
import { type BaseAccount, BaseAccountSchema } from '../../../proto/cosmos/auth/v1beta1/auth_pb.js';
import { Query } from '../../../proto/cosmos/auth/v1beta1/query_pb.js';
import { StatusError } from '../abciErrors.ts';
import { decodeAddress, encodeAddress } from '../address.ts';
import { keyOf } from '../bytes.ts';
import type { Context } from '../context.ts';
import { type Keeper, onQuery, packAny } from '../keeper.ts';
import type { StoreView } from '../store.ts';

const store = 'acc';
const nextNumberKey = 'globalAccountNumber';

function accountKey(address: Uint8Array): string {
  return `\x01${keyOf(address)}`;
}

/** The account at this address; undefined when nothing was ever sent to it. */
export function readAccount(state: StoreView, address: Uint8Array): BaseAccount | undefined {
  const stored = state.get(store, accountKey(address));
  return stored === undefined ? undefined : fromBinary(BaseAccountSchema, fromBinary(AnySchema, stored).value);
}

/** Stores an account under its own address. */
export function writeAccount(context: Context, account: BaseAccount): void {
  const any = packAny(BaseAccountSchema, account);
  context.set(store, accountKey(decodeAddress(account.address)), toBinary(AnySchema, any));
}

/** Makes an account with the next account number. `publicKey` is known at once for derived accounts only. */
export function createAccount(context: Context, address: Uint8Array, publicKey?: Any): BaseAccount {
  const stored = context.get(store, nextNumberKey);
  const accountNumber = stored === undefined ? 0n : BigInt(Buffer.from(stored).toString());
  context.set(store, nextNumberKey, Buffer.from(String(accountNumber + 1n)));
  const account = create(BaseAccountSchema, { address: encodeAddress(address), accountNumber });
  if (publicKey !== undefined) account.pubKey = publicKey;
  writeAccount(context, account);
  return account;
}

/** Accounts: numbers, sequences and public keys. Every account is a BaseAccount. */
export const authKeeper: Keeper = {
  store,
  messages: [],
  queries: [
    onQuery(Query.method.account, (state, request) => {
      if (request.address === '') throw new StatusError('InvalidArgument', 'Address cannot be empty');
      const account = readAccount(state, decodeAddress(request.address));
      if (account === undefined) throw new StatusError('NotFound', `account ${request.address} not found`);
      return { account: packAny(BaseAccountSchema, account) };
    }),
  ],
};

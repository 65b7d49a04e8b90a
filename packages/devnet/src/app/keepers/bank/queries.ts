import { fromBinary } from '@bufbuild/protobuf';
import { MetadataSchema } from '../../../../../../src/proto/cosmos/bank/v1beta1/bank_pb.js';
import { Query } from '../../../../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import type { PageRequest } from '../../../../../../src/proto/cosmos/base/query/v1beta1/pagination_pb.js';
import { PlainError, StatusError } from '../../runtime/abciErrors.ts';
import { decodeAddress, encodeAddress } from '../../runtime/address.ts';
import { isDenom } from '../../runtime/coins.ts';
import { onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import { bytesOf } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { pageOfCollection } from '../base/page.ts';
import { readLocked } from './locked.ts';
import {
  amountOf,
  balancePrefix,
  bankKeys,
  bankStore,
  ownerPrefix,
  readBalance,
  readBalances,
  readMetadata,
  readSupply,
} from './state.ts';

function queryAddress(address: string): Uint8Array {
  try {
    return decodeAddress(address);
  } catch (error) {
    if (error instanceof PlainError) throw new StatusError('InvalidArgument', `invalid address: ${error.message}`);
    throw error;
  }
}

function balancePage(state: StoreView, address: string, request: PageRequest | undefined) {
  const prefix = balancePrefix(queryAddress(address));
  const { entries, pagination } = pageOfCollection(state, bankStore, prefix, request);
  const balances = entries.map(({ key, value }) => ({ denom: key.slice(prefix.length), amount: amountOf(value) }));
  return { balances, pagination };
}

function coin({ denom, amount }: { readonly denom: string; readonly amount: bigint }) {
  return { denom, amount: String(amount) };
}

/** Returns the spendable amount. 0 if more is locked than the balance. */
function spendable(state: StoreView, address: Uint8Array, denom: string, time: bigint): bigint {
  const free = readBalance(state, address, denom) - readLocked(state, address, denom, time);
  return free > 0n ? free : 0n;
}

/** Returns a page of the holders of a denomination, ordered by length and bytes of their address. */
export function ownersPage(state: StoreView, denom: string, request: PageRequest | undefined) {
  const prefix = ownerPrefix(denom);
  const { entries, pagination } = pageOfCollection(state, bankStore, prefix, request);
  const owners = entries.map(({ key }) => {
    const address = bytesOf(key.slice(prefix.length + 1));
    return { address: encodeAddress(address), balance: coin({ denom, amount: readBalance(state, address, denom) }) };
  });
  return { owners, pagination };
}

function denomOwners(state: StoreView, denom: string, request: PageRequest | undefined) {
  // Not recorded.
  if (!isDenom(denom)) throw new StatusError('InvalidArgument', `invalid denom: ${denom}`);
  const { owners, pagination } = ownersPage(state, denom, request);
  return { denomOwners: owners, pagination };
}

function metadataOf(state: StoreView, denom: string) {
  // Not recorded.
  if (denom === '') throw new StatusError('InvalidArgument', 'invalid denom');
  const metadata = readMetadata(state, denom);
  if (metadata === undefined) throw new StatusError('NotFound', `client metadata for denom ${denom}`);
  return { metadata };
}

/** All 13 methods of `cosmos.bank.v1beta1.Query`. */
export const bankQueries: readonly QueryHandler[] = [
  onQuery(Query.method.balance, (state, { address, denom }) => ({
    balance: coin({ denom, amount: readBalance(state, queryAddress(address), denom) }),
  })),
  onQuery(Query.method.allBalances, (state, { address, pagination: request }) => {
    const { balances, pagination } = balancePage(state, address, request);
    return { balances: balances.map(coin), pagination };
  }),
  // Fully locked coins are included with 0.
  onQuery(Query.method.spendableBalances, (state, { address, pagination: request }, time) => {
    const { balances, pagination } = balancePage(state, address, request);
    const bytes = decodeAddress(address);
    return {
      balances: balances.map(({ denom }) => coin({ denom, amount: spendable(state, bytes, denom, time) })),
      pagination,
    };
  }),
  onQuery(Query.method.spendableBalanceByDenom, (state, { address, denom }, time) => ({
    balance: coin({ denom, amount: spendable(state, queryAddress(address), denom, time) }),
  })),
  onQuery(Query.method.totalSupply, (state, { pagination: request }) => {
    const { entries, pagination } = pageOfCollection(state, bankStore, bankKeys.supply, request);
    return { supply: entries.map(({ key, value }) => coin({ denom: key.slice(1), amount: amountOf(value) })), pagination };
  }),
  onQuery(Query.method.supplyOf, (state, { denom }) => ({ amount: coin({ denom, amount: readSupply(state, denom) }) })),
  onQuery(Query.method.params, () => ({ params: { defaultSendEnabled: true } })),
  onQuery(Query.method.denomMetadata, (state, { denom }) => metadataOf(state, denom)),
  onQuery(Query.method.denomMetadataByQueryString, (state, { denom }) => metadataOf(state, denom)),
  onQuery(Query.method.denomsMetadata, (state, { pagination: request }) => {
    const { entries, pagination } = pageOfCollection(state, bankStore, bankKeys.metadata, request);
    return { metadatas: entries.map(({ value }) => fromBinary(MetadataSchema, value)), pagination };
  }),
  onQuery(Query.method.denomOwners, (state, { denom, pagination }) => denomOwners(state, denom, pagination)),
  onQuery(Query.method.denomOwnersByQuery, (state, { denom, pagination }) => denomOwners(state, denom, pagination)),
  // No denomination has its own send switch.
  onQuery(Query.method.sendEnabled, (_, { denoms }) => ({ sendEnabled: [], ...(denoms.length === 0 && { pagination: {} }) })),
];

/** Returns the balances of an account as coins. */
export function heldCoins(state: StoreView, address: Uint8Array) {
  return readBalances(state, address).map(coin);
}

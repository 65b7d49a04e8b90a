import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { QueryAccountRequestSchema, QueryAccountResponseSchema } from '../../proto/cosmos/auth/v1beta1/query_pb.js';
import {
  QueryAttributeRequestSchema,
  QueryAttributesRequestSchema,
  QueryAttributesResponseSchema,
  QueryScanRequestSchema,
} from '../../proto/provenance/attribute/v1/query_pb.js';
import { type Carry, type MethodStores, type StoreName, storesByMethod } from './gen/storesByMethod.ts';

/** The stores of a method whose answers may be kept by the roots of these stores. */
export interface CarriedMethod {
  /** In alphabetical order. `upgrade` is always one of them, because an upgrade may change how the answer is computed. */
  readonly stores: readonly StoreName[];
  readonly carry: Exclude<Carry, 'never'>;
}

/** The methods whose answers may be kept by the roots of their stores. */
export type MethodTable = ReturnType<typeof createMethodTable>;

/** Creates the table of these rows. The root of `upgrade` is added to each of them. */
export function createMethodTable(rows: Readonly<Record<string, MethodStores>>) {
  const withUpgrade = (stores: readonly StoreName[]): readonly StoreName[] =>
    [...new Set<StoreName>([...stores, 'upgrade'])].sort();
  const methods: ReadonlyMap<string, CarriedMethod> = new Map(
    Object.entries(rows).flatMap(([path, { stores, carry }]): [string, CarriedMethod][] =>
      carry === 'never' ? [] : [[path, { stores: withUpgrade(stores), carry }]],
    ),
  );
  const keys: ReadonlyMap<string, readonly StoreName[]> = new Map(
    Object.values(rows).flatMap(({ stores }) =>
      stores.map((store): [string, readonly StoreName[]] => [store, withUpgrade([store])]),
    ),
  );
  return {
    /**
     * The stores of the query method at a path (`/cosmos.group.v1.Query/Proposal`). Undefined if its answers must be kept by height:
     * the method is not in the table, or its answers depend on anything but stores.
     */
    method: (path: string): CarriedMethod | undefined => methods.get(path),
    /** The stores of a read of one key of a store. Undefined for a store that the table does not contain. */
    storesOfKey: (store: string): readonly StoreName[] | undefined => keys.get(store),
  };
}

/**
 * The table of Provenance v1.29. Another chain may use the rows of the modules that it shares, if its application and its
 * version of the Cosmos SDK are known to match (docs/stores.md).
 */
export const provenanceMethods: MethodTable = createMethodTable(storesByMethod);

/** The method that returns an account. */
export const accountMethod = '/cosmos.auth.v1beta1.Query/Account';

/** The request of {@link accountMethod} for the account of a `withoutVesting` request. */
export function accountRequest(request: Uint8Array): Uint8Array {
  // The requests of all of these methods have the address in field 1. Their other fields have different types.
  const { address } = fromBinary(QueryAccountRequestSchema, request);
  return toBinary(QueryAccountRequestSchema, create(QueryAccountRequestSchema, { address }));
}

/**
 * Whether the answer of `/cosmos.auth.v1beta1.Query/Account` is an account with a vesting schedule. If so, its spendable balance
 * changes with the block time. Every type of the vesting module counts.
 */
export function isVestingAccount(response: Uint8Array): boolean {
  const { account } = fromBinary(QueryAccountResponseSchema, response);
  return account?.typeUrl.startsWith('/cosmos.vesting.') ?? false;
}

/** The requests of the methods whose answers leave out expired attributes. All have a page request. */
const attributeRequests = new Map(
  [QueryAttributeRequestSchema, QueryAttributesRequestSchema, QueryScanRequestSchema].map((schema) => [
    `/${schema.typeName.replace(/\.Query(\w+)Request$/, '.Query/$1')}`,
    schema,
  ]),
);

/**
 * The time of the first expiry in the answer of a `withoutExpiry` method, in nanoseconds since 1970. The answer is valid before
 * the first block with this time or a later one. Null if no attribute in it expires. Undefined if the answer may not be
 * carried, because it is one page of several, or the answer of another method.
 */
export function firstExpiry(path: string, request: Uint8Array, response: Uint8Array): bigint | null | undefined {
  const schema = attributeRequests.get(path);
  if (schema === undefined) return undefined;
  const page = fromBinary(schema, request).pagination;
  if (page !== undefined && (page.offset > 0n || page.key.length > 0)) return undefined;
  // The responses of the three methods have the same fields.
  const { attributes, pagination } = fromBinary(QueryAttributesResponseSchema, response);
  if (pagination !== undefined && pagination.nextKey.length > 0) return undefined;
  let first: bigint | null = null;
  for (const { expirationDate } of attributes) {
    if (expirationDate === undefined) continue;
    const time = expirationDate.seconds * 1_000_000_000n + BigInt(expirationDate.nanos);
    if (first === null || time < first) first = time;
  }
  return first;
}

import SchemaBuilder, { InputObjectRef, InterfaceRef, ObjectRef, type UnionRef as PothosUnionRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Nanoseconds } from '../chain/base/time.ts';
import { pageDefault } from '../config/bounds.ts';
import { ErrorCode, errorTable } from '../config/errorCodes.ts';
import type { Limits } from '../config/limits/limits.ts';
import type { Awaitable, HeightPlace, Pinned } from '../reads/pin.ts';
import type { Viewer } from '../reads/viewer.ts';

/** The internal types of the scalars: `Input` is what resolvers receive, `Output` what they return. */
type Scalars = {
  /** Ids are text inside GraphQL; `idInput` parses them. */
  ID: { Input: string; Output: string };
  Int64: { Input: bigint; Output: bigint | HeightPlace };
  UInt64: { Input: bigint; Output: bigint };
  Decimal: { Input: string; Output: string };
  /** Nanoseconds since 1970, or the text of a node, unchanged. */
  DateTime: { Input: string; Output: Nanoseconds | string };
  Duration: { Input: string; Output: Nanoseconds };
  /** Upper case, without `0x`. */
  Hex: { Input: string; Output: string };
  /** Bytes, or the base64 text of a node. */
  Base64: { Input: Uint8Array; Output: Uint8Array | string };
  JSON: { Input: unknown; Output: unknown };
  /** A representation of an entity. */
  _Any: { Input: unknown; Output: unknown };
};

/** The context of an operation. It has no height: resolvers take the height from `pinOf(parent)`. */
export interface GraphQLContext {
  /** The caller. Subscribers with the same scopes share the events of a subscription, so there only the scopes are reliable. */
  readonly viewer: Viewer;
  /** Whether broadcastTxCommit is enabled. */
  readonly broadcastCommit: boolean;
  readonly limits: Limits;
  /** Warnings of the operation, returned in `extensions.warnings`. Subscriptions do not return them. */
  readonly warnings: Set<string>;
  /** A resolver that reads data without a height sets `immutable` to false, so that the answer is not cached. */
  readonly outcome: { immutable: boolean };
}

const contextUsers = new WeakSet<object>();

/**
 * Marks a resolver that reads the context or what its field selects. Compiled execution passes the third and fourth argument to no other resolver, and
 * keeps the JSON of a value whose resolvers used neither them nor the pin (CONTRIBUTING.md, "Write resolvers").
 */
export function usesContext<P, A, R>(
  resolve: (parent: P, args: A, context: GraphQLContext, info: GraphQLResolveInfo) => R,
): (parent: P, args: A, context: object, info: GraphQLResolveInfo) => R;
export function usesContext(resolve: object): object {
  contextUsers.add(resolve);
  return resolve;
}

/** Whether a resolver is marked by {@link usesContext}. */
export function isContextUser(resolve: object): boolean {
  return contextUsers.has(resolve);
}

/** The types that Pothos builds the schema with. */
interface SchemaTypes {
  Scalars: Scalars;
  /** Without members, so that only a resolver in {@link usesContext} can read the context. */
  Context: object;
  Root: Pinned<object>;
}

type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaTypes>;

/** For each key field, the function that finds the object with a value of that key at the height of the root; null if none exists. */
export type EntityKeys<T extends object> = Readonly<
  Record<string, (root: Pinned<object>, value: string, context: GraphQLContext) => Awaitable<Pinned<T> | null>>
>;

/** A type whose objects other subgraphs can reference. */
interface Entity {
  readonly ref: Ref<Pinned<object>>;
  /** Names of its key fields. */
  readonly keys: readonly string[];
  /**
   * Finds the object with these keys, at least one; null if none exists. Fails with BAD_USER_INPUT for a malformed key, and for
   * keys of different objects.
   */
  readonly find: (
    root: Pinned<object>,
    values: ReadonlyMap<string, string>,
    context: GraphQLContext,
  ) => Awaitable<Pinned<object> | null>;
}

/** The federation parts of the schema (Apollo Federation). */
interface Subgraph {
  /** Its entities, by name. */
  readonly entities: Map<string, Entity>;
  /** Federation directives by schema coordinate (`PageInfo`, `Query.at`), as text. */
  readonly directives: Map<string, string>;
}

/** A schema under construction. */
export type Builder = PothosSchemaTypes.SchemaBuilder<Types> & { readonly subgraph: Subgraph };

/** What the fields of an object type are made with, whose values have this shape. */
export type Fields<T> = PothosSchemaTypes.ObjectFieldBuilder<Types, T>;

/** A reference to an object type by its name, with the shape of its values. Any module can add fields to the type. */
export type Ref<T> = ObjectRef<Types, T>;

/** A reference to a union, with the shape of its values. */
export type UnionRef<T> = PothosUnionRef<Types, T>;

/** Makes the ref of an object type. The type itself is defined when a module passes the ref to the builder. */
export function createRef<T>(name: string): Ref<T> {
  return new ObjectRef<Types, T>(name);
}

/** Makes the ref of an interface type. */
export function createInterfaceRef<T>(name: string): InterfaceRef<Types, T> {
  return new InterfaceRef<Types, T>(name);
}

/** Makes the ref of an input type whose values have the shape `T`. */
export function createInputRef<T>(name: string): InputObjectRef<Types, T> {
  return new InputObjectRef<Types, T>(name);
}

/** Makes an empty schema. */
export function createBuilder(): Builder {
  const subgraph: Subgraph = { entities: new Map(), directives: new Map() };
  return Object.assign(new SchemaBuilder<SchemaTypes>({}), { subgraph });
}

/** The options of a field that is never null. */
export function nonNull<const T>(type: T, description: string) {
  return { type, nullable: false, description } as const;
}

/** The same for a list. */
export function nonNullList<T>(type: T, description: string): { type: [T]; nullable: false; description: string } {
  return { type: [type], nullable: false, description };
}

/** The arguments of a connection: `first`, `after`, `offset` and `reverse`. */
export function connectionArgs(builder: Builder) {
  return builder.args((t) => ({
    first: t.int({ defaultValue: pageDefault }),
    after: t.string(),
    offset: t.int(),
    reverse: t.boolean({ defaultValue: false }),
  }));
}

// Marks that modules put into `extensions` of a field or type. The engine in src/graphql reads them.

/**
 * Extensions of a field that has no height, or whose value at a height can still change: node status, mempools, searches, a
 * commit that is not canonical. An operation that selects such a field is not cached.
 */
export const liveField = { live: true } as const;

/**
 * Extensions of a field that GET requests must not select, because browsers and caches can repeat them: the field sends a
 * transaction or changes state of a node. (GET never executes mutations.)
 */
export const postOnlyField = { postOnly: true } as const;

/** Extensions of a field that, with the argument `suffix`, makes the chain read more items than it returns. It costs 5 times as much. */
export const scanField = { scan: true } as const;

/** What a field costs more than its objects, because it may read many rows of the archive: a point for each 500 rows that are read, or 50 that are returned. */
interface RowPrice {
  readonly points: number;
  /** The argument with the number that the points are multiplied by. */
  readonly times?: string;
  /** The argument without which nothing is added. */
  readonly onlyWith?: string;
}

/** Extensions of a field with a {@link RowPrice}. It is that of a group of 5,000 members. */
export function rowsField(rows: RowPrice): { readonly rows: RowPrice } {
  return { rows };
}

/** The price of {@link rowsField} in the extensions of a field; undefined if there is none. */
export function rowPriceOf({ rows }: Readonly<Record<string, unknown>>): RowPrice | undefined {
  if (typeof rows !== 'object' || rows === null || !('points' in rows) || typeof rows.points !== 'number') return undefined;
  const argument = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const times = argument('times' in rows ? rows.times : undefined);
  const onlyWith = argument('onlyWith' in rows ? rows.onlyWith : undefined);
  return { points: rows.points, ...(times && { times }), ...(onlyWith && { onlyWith }) };
}

/** Extensions of a field that sends a transaction: it needs the scope `broadcast` instead of `read`, and counts as a broadcast. */
export const broadcastField = { scope: 'broadcast' } as const;

/** Extensions of a field about webhooks: it needs the scope `webhooks` instead of `read` or `broadcast`. */
export const webhooksField = { scope: 'webhooks' } as const;

/** Extensions of a field that returns the schema: it needs the scope `introspect` instead of `read`. */
export const introspectField = { scope: 'introspect' } as const;

/**
 * Extensions of a field, or of a type for all its fields, that describes a sent transaction or its outcome. In the result of a
 * field that sends, a token with the scope `broadcast` alone may select it; all other fields there need the scope `read` too.
 */
export const readableWithBroadcast = { readableWithBroadcast: true } as const;

/** The functions that compiled execution may call in place of a resolver, by the resolver. */
const unreadByResolver = new WeakMap<object, (parent: unknown) => unknown>();

/**
 * Marks a resolver without arguments that compiled execution need not call. `unread` returns the value of the field with `Unread` values in place of
 * pinned ones, or undefined if the resolver must be called.
 */
export function orUnread<R extends object>(resolve: R, unread: (parent: unknown) => unknown): R {
  unreadByResolver.set(resolve, unread);
  return resolve;
}

/** The function that {@link orUnread} set for a resolver; undefined if there is none. */
export function unreadOf(resolve: object): ((parent: unknown) => unknown) | undefined {
  return unreadByResolver.get(resolve);
}

/** The values of an enum: each name with its optional description. */
type EnumValues<N extends string> = Readonly<Record<N, { readonly description?: string }>>;

/** Makes the values of an enum from the names that the chain uses. */
export function enumValues<N extends string>(
  names: readonly N[],
  descriptions?: Readonly<Partial<Record<N, string>>>,
): EnumValues<N> {
  const entries = names.map((name) => {
    const description = descriptions?.[name];
    return [name, description === undefined ? {} : { description }];
  });
  // Object.fromEntries loses the names in its type.
  return Object.fromEntries(entries) as EnumValues<N>;
}

/** The description of each code: when it occurs, and in brackets the further fields of `extensions`. */
function describe(code: keyof typeof ErrorCode): { readonly description: string } {
  const { when, facts = [] } = errorTable[code];
  return { description: facts.length === 0 ? when : `${when} [${facts.join(', ')}]` };
}

/** Adds the enum of error codes. */
export function addErrorCode(builder: Builder): void {
  const descriptions = Object.fromEntries(Object.values(ErrorCode).map((code) => [code, describe(code)]));
  builder.enumType(ErrorCode, {
    name: 'ErrorCode',
    description: 'The values of `extensions.code`. More may be added. Names in brackets are further fields of `extensions`.',
    values: descriptions,
  });
}

/** A public key: `type` as on the wire (`tendermint/PubKeyEd25519`), `value` in base64. */
export interface PublicKey {
  readonly type: string;
  readonly value: string;
}

/** The public key of a validator or an account. */
export const PublicKeyRef = createRef<PublicKey>('PublicKey');

/** Adds `PublicKey`. */
export function addPublicKey(builder: Builder): void {
  builder.objectType(PublicKeyRef, {
    description: 'A public key.',
    fields: (t) => ({
      type: t.exposeString('type', {
        nullable: false,
        description: 'As on the wire: `/cosmos.crypto.secp256k1.PubKey`, `tendermint/PubKeyEd25519`, …',
      }),
      value: t.expose('value', {
        type: 'Base64',
        nullable: false,
        description: 'The bytes of the key; for a composite key (multisig, module credential), its protobuf bytes.',
      }),
    }),
  });
}

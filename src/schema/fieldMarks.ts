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

/**
 * Extensions of a field that, with the argument `suffix`, makes the chain read more items than it returns. It costs 5 times as
 * much.
 */
export const scanField = { scan: true } as const;

/** What a field costs more than its objects, because it may read many rows of the archive: a point for each 500 rows that are read, or 50 that are returned. */
export interface RowPrice {
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

/**
 * Extensions of a field that sends a transaction: it needs the scope `broadcast` instead of `read`, and counts as a broadcast.
 */
export const broadcastField = { scope: 'broadcast' } as const;

/** Extensions of a field that returns the schema: it needs the scope `introspect` instead of `read`. */
export const introspectField = { scope: 'introspect' } as const;

/**
 * Extensions of a field, or of a type for all its fields, that describes a sent transaction or its outcome. In the result of a
 * field that sends, a token with the scope `broadcast` alone may select it; all other fields there need the scope `read` too.
 */
export const readableWithBroadcast = { readableWithBroadcast: true } as const;

/**
 * Extensions of a field without arguments that compiled execution may read without its resolver. `unread` returns the value of the field with
 * `Unread` values in place of pinned ones, or undefined if the resolver must be called.
 */
export function unreadField(unread: (parent: unknown) => unknown): { readonly unread: (parent: unknown) => unknown } {
  return { unread };
}

/** The function of {@link unreadField} in the extensions of a field; undefined if there is none. */
export function unreadOf({ unread }: Readonly<Record<string, unknown>>): ((parent: unknown) => unknown) | undefined {
  return typeof unread === 'function' ? (parent) => unread(parent) : undefined;
}

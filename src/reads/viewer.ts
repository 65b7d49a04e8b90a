/**
 * The scopes of a token, sorted: `broadcast` sends and simulates transactions, `introspect` reads the schema, `read` reads the
 * chain, `simulate` simulates transactions.
 */
export const knownScopes = ['broadcast', 'introspect', 'read', 'simulate'] as const;

/** One of {@link knownScopes}. */
export type Scope = (typeof knownScopes)[number];

/** The caller, as its token describes it. */
export interface Viewer {
  readonly subject: string;
  readonly clientId: string;
  /** In the order of {@link knownScopes}. Unknown scopes of the token are left out. */
  readonly scopes: readonly Scope[];
  /** When the token expires, in ms since 1970; Infinity without a token. */
  readonly expiresAt: number;
  /** Whether the token belongs to a public client, so that anybody can have one. */
  readonly isPublic?: boolean;
}

/** A viewer and the lifetime of its token. */
export interface Session {
  readonly viewer: Viewer;
  /** Calls `callback` once, when the token expires or its key is revoked. Returns a function that cancels the call. */
  onEnd(callback: () => void): () => void;
}

/** Whether a caller may simulate plain transactions on the nodes that serve reads. */
export function maySimulate({ scopes }: Pick<Viewer, 'scopes'>): boolean {
  return scopes.includes('broadcast') || scopes.includes('simulate');
}

/** The known scopes among these names, in order. */
export function scopesAmong(names: readonly string[]): Scope[] {
  return knownScopes.filter((scope) => names.includes(scope));
}

/** One function for all callers, because each stream keeps it. */
const nothing = (): void => undefined;

/** The session of all callers if authentication is off: it has every scope and does not end. */
export const openSession: Session = {
  viewer: { subject: '', clientId: '', scopes: knownScopes, expiresAt: Number.POSITIVE_INFINITY },
  onEnd: () => nothing,
};

/**
 * The scopes of a token, sorted: `broadcast` sends and simulates transactions, `introspect` reads the schema, `read` reads the
 * chain, `simulate` simulates transactions, `webhooks` manages the webhooks of its subject.
 */
export const knownScopes = ['broadcast', 'introspect', 'read', 'simulate', 'webhooks'] as const;

/** One of {@link knownScopes}. */
export type Scope = (typeof knownScopes)[number];

/**
 * Stands among the scopes of a caller without a token. Answers and streams are shared by callers with equal scopes, so those of callers without a
 * token, who may do less, are their own.
 */
const anonymous = 'anonymous';

/** The caller, as its token describes it. */
export interface Viewer {
  readonly subject: string;
  readonly clientId: string;
  /** In the order of {@link knownScopes}. Unknown scopes of the token are left out. Without a token, `anonymous` is the last. */
  readonly scopes: readonly (Scope | typeof anonymous)[];
  /** When the token expires, in ms since 1970; Infinity without a token. */
  readonly expiresAt: number;
  /** Whether the token belongs to a public client, so that anybody can have one. */
  readonly isPublic?: boolean;
  /** Whether the caller has no token: `--public` allows what it does. */
  readonly isAnonymous?: boolean;
}

/** A viewer and the lifetime of its token. */
export interface Session {
  readonly viewer: Viewer;
  /** Calls `callback` once, when the token expires or its key is revoked. Returns a function that cancels the call. */
  onEnd(callback: () => void): () => void;
}

/** Whether a caller may simulate plain transactions on the nodes that serve reads. null for a caller without a token, who may simulate nothing anywhere. */
export function maySimulate({ scopes, isAnonymous }: Pick<Viewer, 'scopes' | 'isAnonymous'>): boolean | null {
  if (isAnonymous === true) return null;
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

/** Creates the session of all callers without a token, with these scopes. It does not end. Each address has limits of its own. */
export function anonymousSession(scopes: readonly Scope[]): Session {
  const ownScopes = [...scopesAmong(scopes), anonymous] as const;
  return {
    viewer: { subject: '', clientId: '', scopes: ownScopes, expiresAt: Number.POSITIVE_INFINITY, isAnonymous: true },
    onEnd: () => nothing,
  };
}

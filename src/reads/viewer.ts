/** What a token can allow, sorted: `read` asks, `broadcast` sends transactions, `introspect` reads the schema. */
export const knownScopes = ['broadcast', 'introspect', 'read'] as const;

/** One of {@link knownScopes}. */
export type Scope = (typeof knownScopes)[number];

/** Who asks, as the token says. */
export interface Viewer {
  readonly subject: string;
  readonly clientId: string;
  /** In the order of {@link knownScopes}; others that the token names are left out. */
  readonly scopes: readonly Scope[];
  /** When the token ends, ms since 1970; Infinity where there is none. */
  readonly expiresAt: number;
}

/** A viewer for as long as its token lasts. */
export interface Session {
  readonly viewer: Viewer;
  /**
   * Calls `tell` once, when nothing more may be told to this viewer: the token has ended, or its key was revoked. Returns the way
   * to stop waiting.
   */
  whenOver(tell: () => void): () => void;
}

/** The scopes among these names, in order. */
export function scopesAmong(names: readonly string[]): Scope[] {
  return knownScopes.filter((scope) => names.includes(scope));
}

/** The session of everybody where no token is asked for: it may do everything and does not end. */
export const openSession: Session = {
  viewer: { subject: '', clientId: '', scopes: knownScopes, expiresAt: Number.POSITIVE_INFINITY },
  whenOver: () => () => undefined,
};

/** The session of somebody without a token: it may do nothing. */
export const noSession: Session = { ...openSession, viewer: { ...openSession.viewer, scopes: [] } };

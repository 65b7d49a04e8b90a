/** What an operator sees of the keys. */
export interface KeyStats {
  /** Keys in use. */
  readonly keys: number;
  /** ms since they were last known to be current; undefined when they never were. */
  readonly age: number | undefined;
  /** Whether the last attempt to get them failed: then those of before go on for up to a day. */
  readonly stale: boolean;
  /** Times that they were fetched, failed ones included. */
  readonly fetches: number;
}

/** What an operator sees of it. */
export interface AuthStats {
  readonly keys: KeyStats;
  /** Signatures checked. */
  readonly verifications: number;
  /** Requests and sockets refused, by reason. */
  readonly refusals: Readonly<Record<'noToken' | 'invalidToken' | 'expiredToken' | 'twoTokens' | 'noKeys', number>>;
}

/** What an operator sees of it. */
export interface NodeEventStats {
  readonly subscribers: number;
  /** Queries that are not the same in the node's normal form. */
  readonly queries: number;
  /** Queries evaluated on a block since the start, each query and block once; not where the block has no event of the query's kind. */
  readonly evaluations: number;
  /** Subscribers ended since the start because they read too slowly. */
  readonly tooSlow: number;
}

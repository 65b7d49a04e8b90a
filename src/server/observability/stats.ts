/** Statistics of the keys that verify tokens. */
export interface KeyStats {
  /** Number of keys in use. */
  readonly keys: number;
  /** Time since the keys were last loaded or confirmed, in ms. undefined if they never were. */
  readonly age: number | undefined;
  /** Whether the last attempt to load them failed. The cached keys then stay valid for up to 24 hours. */
  readonly stale: boolean;
  /** Number of fetches, including failed ones. */
  readonly fetches: number;
}

/** Statistics of authentication. */
export interface AuthStats {
  readonly keys: KeyStats;
  /** Number of signatures checked. */
  readonly verifications: number;
  /** Number of refused requests and sockets, by reason. */
  readonly refusals: Readonly<Record<'noToken' | 'invalidToken' | 'expiredToken' | 'twoTokens' | 'noKeys', number>>;
}

/** Statistics of the subscriptions on sockets of the node RPC. */
export interface NodeEventStats {
  readonly subscribers: number;
  /** Number of queries that differ in the node's normal form. */
  readonly queries: number;
  /** Number of evaluations of a query on a block since the start. Blocks without events of the query's kind are not counted. */
  readonly evaluations: number;
  /** Number of subscribers ended since the start because they read too slowly. */
  readonly tooSlow: number;
}

/** Items of a page when `first` is absent. */
export const pageDefault = 20;

/** What a page may be, as the server is told. */
export interface Bounds {
  /** Most items of a page. */
  readonly pageMax: number;
  /** Largest `offset`: the chain walks over what an offset skips. */
  readonly offsetMax: number;
}

/** The bounds where nothing else is said. */
export const defaultBounds: Bounds = { pageMax: 100, offsetMax: 25_000 };

/** Longest cursor, in characters. */
export const cursorMax = 1024;

/** Longest page key that a caller may send on to the chain, in bytes. */
export const pageKeyMax = 1024;

/** Items of one upstream read where a whole list is walked. */
export const scanPage = 200;

/** Most items of one whole list that a derived field walks over; beyond it, OPERATION_TOO_COMPLEX. */
export const scanMax = 5_000;

/** Largest transaction that a node takes, in bytes (chain.md 1.3). */
export const maxTxBytes = 1_048_576;

/** Longest query of events that a node takes, in bytes (chain.md 1.2). */
export const maxEventQueryBytes = 512;

/** What a node is measured by. */
export interface NodeBounds {
  /** Further than this behind the best node, in blocks or in ms of block time, it is not read from where another one is. */
  readonly lagBlocks: number;
  readonly lagTime: number;
  /** Further behind than this it is down. */
  readonly downBlocks: number;
  /** Failures in a row that eject a node, and that make the last one DOWN. */
  readonly failures: number;
}

/** The usual bounds (reliability.md 1). */
export const defaultNodeBounds: NodeBounds = { lagBlocks: 3, lagTime: 15_000, downBlocks: 100, failures: 5 };

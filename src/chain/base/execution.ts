/** An event of a transaction or block, as the node prints it. */
export interface Event {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string; readonly index: boolean }[];
}

/** The result of executing or checking a transaction. `code` is 0 on success. `data` is base64; null if there is none. */
export interface TxExec {
  readonly code: number;
  readonly codespace: string;
  readonly log: string;
  readonly info: string;
  readonly data: string | null;
  readonly gasWanted: bigint;
  readonly gasUsed: bigint;
  readonly events: readonly Event[];
}

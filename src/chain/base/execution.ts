/** An event of a transaction or block, as on the wire. */
export interface Event {
  readonly type: string;
  readonly attributes: readonly { readonly key: string; readonly value: string; readonly index: boolean }[];
}

/** What executing a transaction gave. `code` is 0 when it succeeded. `data` is base64; null when there is none. */
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

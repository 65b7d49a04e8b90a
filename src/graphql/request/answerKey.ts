/** What must be equal for two requests to share an answer. */
export interface AnswerKey {
  /** The chain, and how often its head was rewound. */
  readonly chain: string;
  readonly height: bigint;
  /** The scopes of the viewer, sorted. */
  readonly scopes: readonly string[];
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly accept: string;
  readonly contentType: string;
  readonly body: Buffer | string | undefined;
}

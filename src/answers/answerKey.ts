/** A request without the height that it is read at. */
export interface RequestParts {
  /** The scopes of the viewer, sorted. */
  readonly scopes: readonly string[];
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly accept: string;
  readonly contentType: string;
  readonly body: Buffer | string | undefined;
}

/** What must be equal for two requests to share an answer. */
export interface AnswerKey extends RequestParts {
  /** The chain, and how often its head was rewound. */
  readonly chain: string;
  readonly height: bigint;
}

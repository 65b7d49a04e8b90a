/**
 * A GraphQL document: a string, or a `TypedDocumentString` of the client preset of GraphQL Code Generator (`documentMode: 'string'`), from which
 * the types of the result and of the variables are inferred.
 */
export interface TypedDocument<Result, Variables> {
  toString(): string;
  /** Holds the types. It has no value. */
  readonly __apiType?: ((variables: Variables) => Result) | undefined;
}

/** The arguments after the document. The variables can be left out if none of them is required. */
export type RestOf<Variables, Options> =
  Record<never, never> extends Variables
    ? [variables?: Variables, options?: Options]
    : [variables: Variables, options?: Options];

/** A height of a block. As a string in results. */
export type HeightInput = string | number | bigint;

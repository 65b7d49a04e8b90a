import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';

/** A document as the client preset of GraphQL Code Generator writes it with `documentMode: 'string'`. */
export class TypedDocumentString<Result, Variables> extends String implements DocumentTypeDecoration<Result, Variables> {
  declare __apiType?: NonNullable<DocumentTypeDecoration<Result, Variables>['__apiType']>;
  readonly #text: string;

  constructor(text: string) {
    super(text);
    this.#text = text;
  }

  override toString(): string & DocumentTypeDecoration<Result, Variables> {
    return this.#text;
  }
}

/** An operation that the playground offers as an example. */
export interface PlaygroundExample {
  readonly name: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** What it is for; can be empty. */
  readonly comment: string;
  /** The operation with its fragments. */
  readonly query: string;
  /** Values of the required variables. They exist on the embedded chain. Empty texts are for the reader to fill in. */
  readonly variables: Readonly<Record<string, unknown>>;
}

import type { JsonObject } from './json.ts';

/** What the application said to a query that it refused: the cause of the error that this is. */
export class AbciRefusal extends Error {
  override readonly name = 'AbciRefusal';
  /** Member `response` of the result, as the node printed it. */
  readonly response: JsonObject;

  constructor(response: JsonObject) {
    super('The application refused the read.');
    this.response = response;
  }
}

import { isChainError } from '../../../src/chain/base/errors.ts';
import { type HttpOptions, type HttpTransport, http } from '../../../src/chain/transports/http.ts';
import type { JsonValue } from '../../../src/chain/wire/json.ts';
import { createStubNode, type StubNode } from '../stubNode.ts';

/** Nodes and transports that are closed together. */
export interface HttpSetup {
  /** Starts a stub and makes a transport to it. */
  setUp(facts?: Partial<StubNode>, options?: HttpOptions): Promise<{ node: StubNode; transport: HttpTransport }>;
  /** Notes something else to close. */
  closeLater(...each: readonly { close(): Promise<void> }[]): void;
  /** Closes everything since the last call. */
  close(): Promise<void>;
}

/** Makes the setup of a file of tests. */
export function createHttpSetup(): HttpSetup {
  const closing: { close(): Promise<void> }[] = [];

  async function setUp(
    facts: Partial<StubNode> = {},
    options: HttpOptions = {},
  ): Promise<{ node: StubNode; transport: HttpTransport }> {
    const node = await createStubNode(facts);
    const transport = http(node.url, options);
    closing.push(node, transport);
    return { node, transport };
  }

  return {
    setUp,
    closeLater: (...each) => void closing.push(...each),
    async close() {
      for (const each of closing.splice(0).reverse()) await each.close();
    },
  };
}

export const asIs = (result: JsonValue): JsonValue => result;

/** Calls `echo`, which returns its params. */
export const echo = (transport: HttpTransport, n: number): Promise<JsonValue> =>
  transport.call('echo', { n: String(n) }, { decode: asIs });

/** The code and facts of the error that a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<{ code: string; facts: unknown; message: string }> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isChainError(error)) throw new Error(`not a ChainError: ${String(error)}`, { cause: error });
  return { code: error.code, facts: error.facts, message: error.message };
}

import type { ServerResponse } from 'node:http';
import { isChainError } from '../../../../src/chain/base/errors.ts';
import { type FallbackOptions, type FallbackTransport, fallback } from '../../../../src/chain/transports/fallback.ts';
import { type HttpOptions, http } from '../../../../src/chain/transports/http.ts';
import type { JsonValue } from '../../../../src/chain/wire/json.ts';
import { createStubNode, type StubNode } from '../../stubNode.ts';

/** Nodes and transports that are closed together. */
export interface FallbackSetup {
  /** Starts a stub for each of these facts. */
  nodes(...facts: (Partial<StubNode> & { port?: number })[]): Promise<StubNode[]>;
  /** Makes a transport over these nodes. `each` are the options of the transport to one node. */
  over(stubs: readonly StubNode[], options?: FallbackOptions, each?: HttpOptions): FallbackTransport;
  /** Closes everything since the last call. */
  close(): Promise<void>;
}

/** Makes the setup of a file of tests. */
export function createFallbackSetup(): FallbackSetup {
  const closing: { close(): Promise<void> }[] = [];

  async function nodes(...facts: (Partial<StubNode> & { port?: number })[]): Promise<StubNode[]> {
    const made = await Promise.all(facts.map((fact) => createStubNode(fact)));
    closing.push(...made);
    return made;
  }

  function over(stubs: readonly StubNode[], options: FallbackOptions = {}, each: HttpOptions = {}): FallbackTransport {
    const transport = fallback(
      stubs.map((stub) => http(stub.url, each)),
      options,
    );
    closing.push(transport);
    return transport;
  }

  return {
    nodes,
    over,
    async close() {
      for (const each of closing.splice(0).reverse()) await each.close();
    },
  };
}

export const asIs = (result: JsonValue): JsonValue => result;

/** Calls `echo`, which returns its params. */
export const echo = (transport: FallbackTransport, n: number | string = 1, signal?: AbortSignal): Promise<JsonValue> =>
  transport.call('echo', { n: String(n) }, { decode: asIs, ...(signal && { signal }) });

/** The code of the ChainError that a promise rejects with. */
export async function code(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isChainError(error)) throw new Error(`not a ChainError: ${String(error)}`, { cause: error });
  return error.code;
}

/** Makes a fault: every HTTP response is this one. */
export function misbehaving(answer: (response: ServerResponse) => unknown): (node: StubNode) => void {
  return (node) => {
    node.misbehave = (_request, response) => {
      answer(response);
      return true;
    };
  };
}

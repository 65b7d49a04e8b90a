import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { readBytes, recording } from '../recordings/recording.ts';

/** A call of a node's RPC and its outcome. */
export interface RecordedCall {
  readonly method: string;
  readonly params: JsonObject;
  readonly result?: JsonValue;
  readonly error?: JsonValue;
}

interface CallsRecording {
  readonly head: string;
  readonly calls: readonly RecordedCall[];
  readonly rest: readonly {
    readonly path: string;
    readonly height: string;
    readonly status: number;
    readonly body: JsonValue;
  }[];
}

/** A node that returns the recorded responses to calls. It has no socket, so its head stays where it was recorded. */
export interface CallsNode {
  readonly url: string;
  readonly head: string;
  /** The calls so far, by the path of the query or the method. */
  readonly calls: string[];
  /** The calls that are not recorded, which fail. */
  readonly unrecorded: string[];
  /** Replaces the response to a query with a path and request in hex; undefined if it does not. */
  instead: ((path: string, data: string) => JsonObject | undefined) | undefined;
  /** What the node's REST returned for a path at a height. */
  rest(path: string, height?: string): JsonValue;
  close(): Promise<void>;
}

const keyOf = ({ method, params }: Pick<RecordedCall, 'method' | 'params'>): string =>
  JSON.stringify([method, Object.entries(params ?? {}).sort()]);

const descriptorsPath = '/cosmos.reflection.v1.ReflectionService/FileDescriptors';

/** The descriptors of the chain that a recording of calls is from. */
const descriptorFiles = {
  account: 'wasmd-descriptors.binpb',
  contracts: 'wasmd-descriptors.binpb',
  exchange: 'descriptors.binpb',
  records: 'descriptors.binpb',
} as const;

/** Starts a node that returns the responses in a recording of calls. Its head is the one that was recorded first, unless `head` is another height of the recording. */
export async function createCallsNode(
  name: keyof typeof descriptorFiles,
  { head: laterHead }: { readonly head?: string } = {},
): Promise<CallsNode> {
  const { head: firstHead, calls, rest } = recording<CallsRecording>(name);
  const head = laterHead ?? firstHead;
  const byKey = new Map(calls.map((call) => [keyOf(call), call]));
  const descriptors = Buffer.from(readBytes(descriptorFiles[name])).toString('base64');

  function outcome(call: RecordedCall): JsonObject {
    const { path, data } = call.params ?? {};
    if (path === descriptorsPath) return { result: { response: { code: 0, value: descriptors, height: '0', index: '0' } } };
    node.calls.push(typeof path === 'string' ? path : call.method);
    const other = node.instead?.(String(path), String(data));
    if (other !== undefined) return other;
    const recorded = byKey.get(keyOf(call));
    if (recorded === undefined) {
      node.unrecorded.push(keyOf(call));
      return { error: { code: -32603, message: 'Internal error', data: 'not recorded' } };
    }
    if (call.method === 'status')
      return { result: JSON.parse(JSON.stringify(recorded.result).replaceAll(`"${firstHead}"`, `"${head}"`)) };
    return recorded.error === undefined ? { result: recorded.result ?? null } : { error: recorded.error };
  }

  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk as Uint8Array);
    const text = Buffer.concat(chunks).toString();
    if (text === '') {
      response.writeHead(404).end();
      return;
    }
    const answer = (call: RecordedCall & { readonly id: JsonValue }): JsonObject => ({
      ...{ jsonrpc: '2.0', id: call.id },
      ...outcome(call),
    });
    const body = JSON.parse(text);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const node: CallsNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    head,
    calls: [],
    unrecorded: [],
    instead: undefined,
    rest(path, height = head) {
      const row = rest.find((each) => each.path === path && each.height === height);
      if (row === undefined) throw new Error(`${path} at ${height} is not recorded`);
      return row.body;
    },
    async close() {
      await new Promise((resolve) => {
        server.close(resolve);
        server.closeAllConnections();
      });
    },
  };
  return node;
}

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../../src/chain/wire/json.ts';
import { readBytes, recording } from '../recordings/recording.ts';
import { some } from '../support/atRandom.ts';
import { type Stack, startStack } from '../support/stack.ts';

interface Call {
  readonly method: string;
  readonly params: JsonObject;
  readonly result?: JsonValue;
  readonly error?: JsonValue;
}

interface Recording {
  readonly head: string;
  readonly calls: readonly Call[];
  readonly rest: readonly { readonly path: string; readonly height: string; readonly status: number; readonly body: string }[];
  readonly comet: readonly { readonly method: string; readonly height: string; readonly result: JsonValue }[];
}

/** The calls and responses of wasmd, a chain without groups, markers and attributes (test/recordings/README.md). */
const { head, calls, rest, comet } = recording<Recording>('wasmd');

const keyOf = ({ method, params }: Pick<Call, 'method' | 'params'>): string =>
  JSON.stringify([method, Object.entries(params ?? {}).sort()]);

const byKey = new Map(calls.map((call) => [keyOf(call), call]));
const descriptorsPath = '/cosmos.reflection.v1.ReflectionService/FileDescriptors';
const descriptors = Buffer.from(readBytes('wasmd-descriptors.binpb')).toString('base64');

/** The recorded response to one call. */
function answer(call: Call & { readonly id: JsonValue }): JsonObject {
  const { result, error } = byKey.get(keyOf(call)) ?? {
    error: { code: -32603, message: 'Internal error', data: 'not recorded' },
  };
  if (error !== undefined) return { jsonrpc: '2.0', id: call.id, error };
  if (call.params.path !== descriptorsPath) return { jsonrpc: '2.0', id: call.id, result: result ?? null };
  return { jsonrpc: '2.0', id: call.id, result: { response: { code: 0, value: descriptors, height: '0', index: '0' } } };
}

const node = createServer(async (request, response) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  const text = Buffer.concat(chunks).toString();
  const body = text === '' ? undefined : JSON.parse(text);
  response.setHeader('content-type', 'application/json');
  // Its head is read from `status`: the recording has no socket.
  if (body === undefined) response.writeHead(404).end();
  else response.end(JSON.stringify(Array.isArray(body) ? body.map(answer) : answer(body)));
});

let stele: Stack;

beforeAll(async () => {
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve));
  stele = await startStack([`http://127.0.0.1:${(node.address() as AddressInfo).port}`], {
    server: { admin: { host: '127.0.0.1', port: 0 } },
  });
  await stele.client.head.ready();
}, 30_000);

afterAll(async () => {
  await stele.close();
  node.closeAllConnections();
  await new Promise((resolve) => node.close(resolve));
});

async function get(path: string, height?: string): Promise<{ readonly status: number; readonly text: string }> {
  const response = await fetch(`${stele.server.url}${path}`, {
    headers: height === undefined ? {} : { 'x-cosmos-block-height': height },
  });
  return { status: response.status, text: await response.text() };
}

it.each(some(rest, 3))('REST responds as the node did: $path at $height', async ({ path, height, status, body }) => {
  const response = await get(`/rest${path}`, height);
  expect({ status: response.status, body: JSON.parse(response.text) }).toEqual({ status, body: JSON.parse(body) });
});

it.each(comet)('the node RPC responds as the node did: $method at $height', async ({ method, height, result }) => {
  const { status, text } = await get(`/comet/${method}?height=${height}`);
  expect(status).toBe(200);
  expect(JSON.parse(text).result).toEqual(result);
});

it('reads accounts, balances and modules at the head', async () => {
  const { body } = await stele.ask(`{
    head { height chainId }
    account(address: "wasm18s5lynnmx37hq4wlrw9gdn68sg2uxp5r23gln4") { sequence balances(first: 3) { nodes { denom amount } } }
    supplyOf(denom: "stake") { amount }
    module(method: "cosmwasm.wasm.v1.Query/Codes", request: {})
  }`);
  expect(body.errors).toBeUndefined();
  expect(body.data).toMatchObject({
    head: { height: head, chainId: 'wasm-1' },
    account: {
      sequence: '13',
      balances: {
        nodes: [
          { denom: 'stake', amount: '999998903651' },
          { denom: 'ucosm', amount: '1000000005' },
        ],
      },
    },
    supplyOf: { amount: '3000066054099' },
    module: { codeInfos: [{ codeId: '1' }] },
  });
});

it('keeps answers by height, and says so to operators, because no table of stores holds for the application', async () => {
  const probe = async (): Promise<unknown> => (await fetch(`${stele.server.adminUrl}/readyz`)).json();
  await expect.poll(probe).toMatchObject({ ready: true, roots: 'NO_TABLE' });
  expect(stele.client.roots.status()).toEqual({ state: 'NO_TABLE', application: 'WasmApp 0.61.14', table: undefined });
});

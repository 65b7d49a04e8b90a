import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, expect, it } from 'vitest';
import { createSimulationNode, type SimulationNode } from '../../../src/chain/simulation/simulations.ts';
import type { JsonObject, JsonValue } from '../../../src/chain/wire/json.ts';
import { readRecording, type SimulationRow } from '../../recordings/recordings.ts';

const rows = readRecording('simulations');

function rowOf(name: string): SimulationRow {
  const row = rows.find((each) => each.name === name);
  if (row === undefined) throw new Error(`no row ${name}`);
  return row;
}

let server: Server;
let node: SimulationNode;

afterEach(async () => {
  await node.close();
  server.close();
});

/** Serves the recorded REST responses by their request. */
async function start(path = ''): Promise<string[]> {
  const asked: string[] = [];
  const respond = async (request: IncomingMessage): Promise<{ status: number; headers?: object; body: unknown }> => {
    asked.push(`${request.method} ${request.url}`);
    if (request.url === `${path}/cosmos/base/tendermint/v1beta1/node_info`)
      return { status: 200, body: { default_node_info: { network: 'testing' } } };
    const sent: { readonly tx_bytes?: string } = JSON.parse((await text(request)) || '{}');
    const row = rows.find(
      ({ request: { rest, body } }) => rest === `POST ${request.url?.slice(path.length)}` && body?.tx_bytes === sent.tx_bytes,
    );
    if (row?.response?.status === undefined)
      return { status: 501, body: { code: 12, message: 'Not Implemented', details: [] } };
    return { status: row.response.status, headers: row.response.headers ?? {}, body: row.response.body };
  };
  server = createServer(async (request, response) => {
    const { status, headers, body } = await respond(request);
    response.writeHead(status, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  node = createSimulationNode({
    url: `http://user:secret@127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    chainId: () => 'testing',
    ...{ timeout: 5_000, connectTimeout: 1_000, maxAnswerBytes: 1_000_000 },
  });
  return asked;
}

const call = (params: JsonObject): Promise<JsonValue> => node.call('abci_query', params, { decode: (result) => result });

it.each(['', '/api'])('the REST API at %j answers as the RPC of the same node does, byte for byte', async (path) => {
  const asked = await start(path);
  const overRpc = rowOf('A2 unordered, 2 signers, no keys, empty signatures, no fee, gas 0');
  expect(await call({ ...overRpc.request.params })).toEqual({
    response: { ...overRpc.response?.response, height: expect.stringMatching(/^\d+$/) },
  });
  await call({ ...overRpc.request.params });
  // Which API it is, is found out once.
  const simulate = `POST ${path}/cosmos/tx/v1beta1/simulate`;
  expect(asked).toEqual([`POST ${path || '/'}`, `GET ${path}/cosmos/base/tendermint/v1beta1/node_info`, simulate, simulate]);
});

it('a refusal has the code and the log of the RPC', async () => {
  await start();
  const { request, response } = rowOf('A2 ordered, sequences 0 (acc1 has more)');
  expect(await call({ ...request.params })).toEqual({ response: { ...response?.response, height: expect.any(String) } });
});

it('a path without a REST route is refused', async () => {
  const asked = await start();
  const { request } = rowOf('A9 good');
  await expect(call({ ...request.params })).rejects.toMatchObject({ code: 'SIMULATION_DISABLED', facts: { reason: 'PATH' } });
  expect(asked).toHaveLength(2);
});

it('an address that is neither is refused, without the address in the message', async () => {
  await start();
  server.removeAllListeners('request');
  server.on('request', (_, response) => response.writeHead(404).end('<html>'));
  const { request } = rowOf('A9 good');
  const error = await call({ ...request.params }).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'NODE_INVALID_RESPONSE' });
  expect(String(error)).not.toMatch(/127\.0\.0\.1|secret/);
});

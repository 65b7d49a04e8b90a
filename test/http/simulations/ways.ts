import { once } from 'node:events';
import { create, toBinary } from '@bufbuild/protobuf';
import { ABCIQueryRequest } from 'cosmjs-types/cosmos/base/tendermint/v1beta1/query';
import { SimulateRequest } from 'cosmjs-types/cosmos/tx/v1beta1/service';
import { WebSocket } from 'ws';
import { QueryCalculateTxFeesRequestSchema } from '../../../src/proto/provenance/flatfees/v1/query_pb.js';
import { overEvents, overWebSocket } from '../../support/listeners.ts';
import { send } from '../../support/wire.ts';

/** What a way in answered: the error code or text, or nothing if the transaction was simulated. */
export type WayIn = (url: string, token: string, tx: Uint8Array) => Promise<{ readonly status: number; readonly text: string }>;

const simulate = (tx: Uint8Array): Uint8Array => SimulateRequest.encode(SimulateRequest.fromPartial({ txBytes: tx })).finish();
const fees = (tx: Uint8Array): Uint8Array =>
  toBinary(QueryCalculateTxFeesRequestSchema, create(QueryCalculateTxFeesRequestSchema, { txBytes: tx }));
const nested = (tx: Uint8Array): Uint8Array =>
  ABCIQueryRequest.encode(ABCIQueryRequest.fromPartial({ path: '/app/simulate', data: tx })).finish();

const simulatePath = '/cosmos.tx.v1beta1.Service/Simulate';
const feesPath = '/provenance.flatfees.v1.Query/CalculateTxFees';
const oldFeesPath = '/provenance.msgfees.v1.Query/CalculateTxFees';
const nestedPath = '/cosmos.base.tendermint.v1beta1.Service/ABCIQuery';
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

/** An empty token stands for none. */
const bearer = (token: string): Record<string, string> => (token === '' ? {} : { authorization: `Bearer ${token}` });

async function http(url: string, token: string, body?: unknown): Promise<{ status: number; text: string }> {
  const headers = { ...bearer(token), 'content-type': 'application/json', accept: 'application/json' };
  const answer = await send(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: answer.body };
}

const graphql =
  (query: (tx: Uint8Array) => string): WayIn =>
  (url, token, tx) =>
    http(`${url}/graphql`, token, { query: query(tx) });

const stream =
  (open: typeof overEvents, directive: '' | '@live'): WayIn =>
  async (url, token, tx) => {
    const listener = await open(url, `query ${directive} { calculateTxFees(tx: "0x${hex(tx)}") { estimatedGas } }`, {}, token);
    const ended = listener.ended.then((ending) => JSON.stringify(ending));
    const text = await Promise.race([
      listener.count(1).then(
        () => JSON.stringify(listener.answers[0]),
        () => ended,
      ),
      ended,
    ]);
    await listener.leave();
    return { status: 200, text };
  };

const rpcCall = (path: string, data: Uint8Array): unknown => ({
  ...{ jsonrpc: '2.0', id: 1, method: 'abci_query' },
  params: { path, data: hex(data) },
});

const rpcWays = (root: '' | '/comet', path: string, data: (tx: Uint8Array) => Uint8Array): Record<string, WayIn> => {
  const name = `${root === '' ? 'the root' : root} ${path}`;
  return {
    [`${name}, POST`]: (url, token, tx) => http(`${url}${root || '/'}`, token, rpcCall(path, data(tx))),
    [`${name}, batch`]: (url, token, tx) =>
      http(`${url}${root || '/'}`, token, [rpcCall(path, data(tx)), { jsonrpc: '2.0', id: 2, method: 'health', params: {} }]),
    [`${name}, URI`]: (url, token, tx) => http(`${url}${root}/abci_query?path="${path}"&data=0x${hex(data(tx))}`, token),
    [`${name}, WebSocket`]: async (url, token, tx) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}${root}/websocket`, {
        headers: bearer(token),
      });
      await once(socket, 'open');
      socket.send(JSON.stringify(rpcCall(path, data(tx))));
      const [frame] = await once(socket, 'message');
      socket.terminate();
      return { status: 200, text: String(frame) };
    },
  };
};

/** Every way in to a simulation, by name. */
export const ways: Readonly<Record<string, WayIn>> = {
  calculateTxFees: graphql((tx) => `{ calculateTxFees(tx: "0x${hex(tx)}") { estimatedGas } }`),
  'calculateTxFees, GET': (url, token, tx) =>
    http(`${url}/graphql?query=${encodeURIComponent(`{ calculateTxFees(tx: "0x${hex(tx)}") { estimatedGas } }`)}`, token),
  'calculateTxFees over WebSocket': stream(overWebSocket, ''),
  'calculateTxFees @live over server-sent events': stream(overEvents, '@live'),
  'module(CalculateTxFees)': graphql((tx) => `{ module(method: "${feesPath}", request: { txBytes: "${base64(tx)}" }) }`),
  'module(msgfees CalculateTxFees)': graphql(
    (tx) => `{ module(method: "${oldFeesPath}", request: { txBytes: "${base64(tx)}" }) }`,
  ),
  'module(ABCIQuery)': graphql(
    (tx) => `{ module(method: "${nestedPath}", request: { path: "/app/simulate", data: "${base64(tx)}" }) }`,
  ),
  'at(height) { module(CalculateTxFees) }': graphql(
    (tx) => `{ head { height } at(height: "1") { module(method: "${feesPath}", request: { txBytes: "${base64(tx)}" }) } }`,
  ),
  'abciQuery(Simulate)': graphql((tx) => `{ abciQuery(path: "${simulatePath}", data: "0x${hex(simulate(tx))}") { code log } }`),
  'abciQuery(CalculateTxFees)': graphql((tx) => `{ abciQuery(path: "${feesPath}", data: "0x${hex(fees(tx))}") { code log } }`),
  'abciQuery(ABCIQuery)': graphql((tx) => `{ abciQuery(path: "${nestedPath}", data: "0x${hex(nested(tx))}") { code log } }`),
  ...Object.fromEntries(
    ['', '/rest'].flatMap((base): [string, WayIn][] => [
      [
        `${base}/cosmos/tx/v1beta1/simulate`,
        (url, token, tx) => http(`${url}${base}/cosmos/tx/v1beta1/simulate`, token, { tx_bytes: base64(tx) }),
      ],
      [
        `${base}/provenance/tx/v1/calculate_flat_fee`,
        (url, token, tx) => http(`${url}${base}/provenance/tx/v1/calculate_flat_fee`, token, { tx_bytes: base64(tx) }),
      ],
      [
        `${base}/cosmos/base/tendermint/v1beta1/abci_query`,
        (url, token, tx) =>
          http(
            `${url}${base}/cosmos/base/tendermint/v1beta1/abci_query?path=/app/simulate&data=${encodeURIComponent(base64(tx))}`,
            token,
          ),
      ],
    ]),
  ),
  ...Object.assign(
    {},
    ...(['', '/comet'] as const).flatMap((root) => [
      rpcWays(root, simulatePath, simulate),
      rpcWays(root, feesPath, fees),
      rpcWays(root, oldFeesPath, fees),
      rpcWays(root, nestedPath, nested),
      ...(root === '' ? [] : ['/app/simulate', 'app/simulate', '/app/simulate/x']).map((path) =>
        rpcWays(root, path, (tx) => tx),
      ),
    ]),
  ),
};

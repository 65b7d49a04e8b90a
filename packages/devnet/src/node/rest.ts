import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { create, type DescMethodUnary, fromBinary, toBinary, toJson } from '@bufbuild/protobuf';
import { Service } from '../../../../src/proto/cosmos/tx/v1beta1/service_pb.js';
import { Query } from '../../../../src/proto/provenance/flatfees/v1/query_pb.js';
import { isEndless } from './appLock.ts';
import type { CountersInUse } from './faults/counters.ts';
import { readNode } from './state/nodeReader.ts';
import type { NodeView } from './state/view.ts';

/** The paths that simulate. */
const routes: Readonly<Record<string, DescMethodUnary>> = {
  '/cosmos/tx/v1beta1/simulate': Service.method.simulate,
  '/provenance/tx/v1/calculate_flat_fee': Query.method.calculateTxFees,
};

/**
 * The part of a node's REST API that simulates. It has the format of grpc-gateway (recorded: A2), without the types of the responses
 * of messages. A simulation of a contract that loops never answers, and stops nothing else (A31).
 */
export function createRestListener(view: NodeView, note: CountersInUse['note']): RequestListener {
  return async (request, response) => {
    const path = request.url ?? '';
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    if (path === '/cosmos/base/tendermint/v1beta1/node_info')
      return send(200, { default_node_info: { network: view.chainId }, application_version: {} });
    const notImplemented = (): void => send(501, { code: 12, message: 'Not Implemented', details: [] });
    const method = routes[path];
    if (method === undefined) return notImplemented();
    const { tx_bytes: givenTx, gas_adjustment: gasAdjustment = 0 } = JSON.parse(await text(request));
    const data = toBinary(method.input, create(method.input, { txBytes: Buffer.from(givenTx, 'base64'), gasAdjustment }));
    const query = `/${method.parent.typeName}/${method.name}`;
    note({ method: query, params: undefined, via: 'uri', batch: 0 });
    if (isEndless(query, data)) return;
    const result = view.application.query({
      ...{ path: query, data, height: 0n, prove: false },
      ...{ latestHeight: view.height, earliestHeight: view.earliestState, node: readNode(view) },
    });
    if (result.log.startsWith('unknown query path')) return notImplemented();
    response.setHeader('Grpc-Metadata-X-Cosmos-Block-Height', String(result.height));
    if (result.code !== 0) {
      const message = result.log.replace(/^rpc error: code = \w+ desc = /, '').replace(/: unknown request$/, '');
      return send(500, { code: 2, message, details: [] });
    }
    const answer = fromBinary(method.output, result.value ?? new Uint8Array());
    if ('result' in answer) Object.assign(Object(answer.result), { msgResponses: [] });
    send(200, toJson(method.output, answer, { alwaysEmitImplicit: true, useProtoFieldName: true }));
  };
}

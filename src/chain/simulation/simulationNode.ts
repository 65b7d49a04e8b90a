import { type DescMethodUnary, fromBinary, fromJson, type JsonValue as ProtoJson, toBinary } from '@bufbuild/protobuf';
import { Pool } from 'undici';
import { TxMsgDataSchema } from '../../proto/cosmos/base/abci/v1beta1/abci_pb.js';
import { Service } from '../../proto/cosmos/tx/v1beta1/service_pb.js';
import { Query } from '../../proto/provenance/flatfees/v1/query_pb.js';
import { ChainError, isChainError } from '../base/errors.ts';
import { http } from '../transports/http.ts';
import { connectionError } from '../transports/nodeReplies.ts';
import { type NodeHandle, parseNodeUrl } from '../transports/transport.ts';
import { asObject, type JsonObject, type JsonValue, malformed, objectAt, textAt } from '../wire/json.ts';
import { txsOf } from './execution.ts';

/** A node for simulations alone. */
export interface SimulationNode extends NodeHandle {
  close(): Promise<void>;
}

/** What {@link createSimulationNode} needs. Times in milliseconds. */
export interface SimulationNodeOptions {
  /** The URL of its RPC or of its REST API, with credentials if it needs them. */
  readonly url: string;
  /** The chain that it must belong to; undefined while that is not known. */
  readonly chainId: () => string | undefined;
  readonly timeout: number;
  readonly connectTimeout: number;
  readonly maxAnswerBytes: number;
}

/** Its name in errors, logs and metrics. */
export const simulationAlias = 'simulation-node';

/** A method that simulates and has a REST route. */
interface RestRoute {
  /** The path of its `abci_query`, and that of its POST. */
  readonly query: string;
  readonly path: string;
  readonly service: DescMethodUnary;
  /** What is sent beside the transaction. */
  body(request: Uint8Array): JsonObject;
  /** The response in protobuf. */
  encode(json: ProtoJson): Uint8Array;
}

const leniently = { ignoreUnknownFields: true };

const restRoutes: readonly RestRoute[] = [
  {
    ...{ query: queryPath(Service.method.simulate), service: Service.method.simulate, path: '/cosmos/tx/v1beta1/simulate' },
    body: () => ({}),
    encode(json) {
      const { simulate } = Service.method;
      const { result, ...rest } = Object(json);
      const { msg_responses: _, ...plain } = Object(result);
      const message = fromJson(simulate.output, { ...rest, result: plain }, leniently);
      // The responses of the messages are in the data, too, and there as they are.
      if (message.result !== undefined)
        message.result.msgResponses = fromBinary(TxMsgDataSchema, message.result.data).msgResponses;
      return toBinary(simulate.output, message);
    },
  },
  {
    ...{ query: queryPath(Query.method.calculateTxFees), service: Query.method.calculateTxFees },
    path: '/provenance/tx/v1/calculate_flat_fee',
    body: (request) => ({ gas_adjustment: fromBinary(Query.method.calculateTxFees.input, request).gasAdjustment }),
    encode: (json) =>
      toBinary(Query.method.calculateTxFees.output, fromJson(Query.method.calculateTxFees.output, json, leniently)),
  },
];

function queryPath({ parent, name }: DescMethodUnary): string {
  return `/${parent.typeName}/${name}`;
}

/**
 * Makes the connection to the simulation node. Whether the URL is that of an RPC or of a REST API is found out with the first call.
 * Over REST, the answer is converted to that of `abci_query` (both are recorded). REST has no `/app/simulate`: SIMULATION_DISABLED.
 */
export function createSimulationNode(options: SimulationNodeOptions): SimulationNode {
  const { url, timeout, connectTimeout, maxAnswerBytes } = options;
  const address = parseNodeUrl(url);
  const rpc = http(url, { alias: simulationAlias, timeout, connectTimeout, maxAnswerBytes, connections: 2 });
  const pool = new Pool(address.origin, {
    connections: 2,
    connect: { timeout: connectTimeout },
    maxResponseSize: maxAnswerBytes,
  });
  const base = address.path.replace(/\/+$/, '');
  /** Which API it is. Read again after a failure, because the process behind the address may have changed. */
  let kind: Promise<'RPC' | 'REST'> | undefined;

  async function request(
    method: 'GET' | 'POST',
    path: string,
    signal: AbortSignal | undefined,
    body?: JsonObject,
  ): Promise<{ readonly status: number; readonly height: string | undefined; readonly json: JsonValue }> {
    try {
      const response = await pool.request({
        ...{ method, path: base + path, signal, headersTimeout: timeout, bodyTimeout: timeout },
        headers: { ...address.headers, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      const height = response.headers['grpc-metadata-x-cosmos-block-height'];
      const json = JSON.parse(await response.body.text()) as JsonValue;
      return { status: response.statusCode, height: typeof height === 'string' ? height : undefined, json };
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (error instanceof SyntaxError) throw malformed('no JSON');
      throw connectionError(error, timeout);
    }
  }

  async function findKind(): Promise<'RPC' | 'REST'> {
    const found = await networkOfRpc();
    const id = found ?? (await networkOfRest());
    const expected = options.chainId();
    if (expected !== undefined && id !== expected)
      throw new ChainError('NODE_INVALID_RESPONSE', `${simulationAlias} belongs to another chain than ${expected}.`, {});
    return found === undefined ? 'REST' : 'RPC';
  }

  /** The chain id by the RPC; undefined if the address has none. */
  async function networkOfRpc(): Promise<string | undefined> {
    const decode = (result: JsonValue): string => textAt(objectAt(asObject(result, 'status'), 'node_info'), 'network');
    return rpc.call('status', {}, { decode }).catch((error: unknown) => {
      if (isChainError(error, 'NODE_INVALID_RESPONSE')) return undefined;
      throw error;
    });
  }

  async function networkOfRest(): Promise<string> {
    const { status, json } = await request('GET', '/cosmos/base/tendermint/v1beta1/node_info', undefined);
    if (status !== 200) throw malformed('neither an RPC nor a REST API');
    return textAt(objectAt(asObject(json, 'node_info'), 'default_node_info'), 'network');
  }

  async function overRest({ path, data, height }: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    const route = restRoutes.find(({ query }) => path === query);
    if (route === undefined)
      throw new ChainError('SIMULATION_DISABLED', 'The simulation node serves this path over RPC only.', { reason: 'PATH' });
    const sent = Buffer.from(typeof data === 'string' ? data : '', 'hex');
    const [tx = new Uint8Array()] = txsOf(route.service.parent.typeName, route.service.name, sent) ?? [];
    const body = { ...route.body(sent), tx_bytes: Buffer.from(tx).toString('base64') };
    const answer = await request('POST', route.path, signal, body);
    // A node ignores the height of a simulation, and returns it.
    const at = typeof height === 'string' && height !== '0' ? height : (answer.height ?? '0');
    const empty = { log: '', info: '', index: '0', key: null, value: null, proofOps: null, codespace: '' };
    if (answer.status !== 200) return { response: { ...empty, ...refusalOf(answer.json), height: at } };
    try {
      const json: unknown = answer.json;
      const value = Buffer.from(route.encode(json as ProtoJson)).toString('base64');
      return { response: { ...empty, code: 0, value, height: at } };
    } catch (error) {
      throw new ChainError('NODE_INVALID_RESPONSE', "The simulation node's answer could not be decoded.", {}, error);
    }
  }

  return {
    alias: simulationAlias,
    async call(method, params, call) {
      kind ??= findKind();
      try {
        if ((await kind) === 'RPC') return await rpc.call(method, params, call);
        return call.decode(await overRest(params, call.signal));
      } catch (error) {
        if (!isChainError(error, 'ABCI_QUERY_FAILED')) kind = undefined;
        throw error;
      }
    },
    async close() {
      await Promise.all([rpc.close(), pool.destroy()]);
    },
  };
}

/** The failure of a REST answer, as `abci_query` reports it: a registered error with its own code, else one of the service. */
function refusalOf(json: JsonValue): JsonObject {
  const message = textAt(asObject(json, 'error'), 'message');
  const [, codespace, code, text, rest] = /^codespace (\w+) code (\d+): ([^:]+): ([\s\S]*)$/.exec(message) ?? [];
  if (codespace !== undefined && code !== undefined) return { code: Number(code), codespace, log: `${rest}: ${text}` };
  return { code: 6, codespace: 'sdk', log: `rpc error: code = Unknown desc = ${message}: unknown request` };
}

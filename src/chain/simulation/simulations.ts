import {
  create,
  type DescMethodUnary,
  fromBinary,
  fromJson,
  type JsonValue as ProtoJson,
  type Registry,
  toBinary,
} from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { Pool } from 'undici';
import { TxMsgDataSchema } from '../../proto/cosmos/base/abci/v1beta1/abci_pb.js';
import { Query } from '../../proto/cosmos/group/v1/query_pb.js';
import { Service } from '../../proto/cosmos/tx/v1beta1/service_pb.js';
import { Query as FlatFeesQuery } from '../../proto/provenance/flatfees/v1/query_pb.js';
import { ChainError, isChainError } from '../base/errors.ts';
import { abortable, monotonicNow } from '../base/time.ts';
import type { StateAt } from '../state/state.ts';
import { connectionError, http, noNodeError, timeoutError } from '../transports/http.ts';
import {
  type CallOptions,
  handlesOf,
  type NodeHandle,
  parseNodeUrl,
  type Transport,
  withCalls,
} from '../transports/transport.ts';
import { asObject, intAt, type JsonObject, type JsonValue, malformed, objectAt, textAt } from '../wire/json.ts';
import { executionOfCall, type NotPlain, txsOf, whyNotPlain } from './execution.ts';

/** A node for simulations alone. */
export interface SimulationNode extends NodeHandle {
  close(): Promise<void>;
}

/** Its name in errors, logs and metrics. */
const simulationAlias = 'simulation-node';

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
    ...{ query: queryPath(FlatFeesQuery.method.calculateTxFees), service: FlatFeesQuery.method.calculateTxFees },
    path: '/provenance/tx/v1/calculate_flat_fee',
    body: (request) => ({ gas_adjustment: fromBinary(FlatFeesQuery.method.calculateTxFees.input, request).gasAdjustment }),
    encode: (json) =>
      toBinary(
        FlatFeesQuery.method.calculateTxFees.output,
        fromJson(FlatFeesQuery.method.calculateTxFees.output, json, leniently),
      ),
  },
];

function queryPath({ parent, name }: DescMethodUnary): string {
  return `/${parent.typeName}/${name}`;
}

/**
 * Creates the connection to the simulation node. Times are in ms. Whether the URL is that of an RPC or of a REST API is found out with the first call.
 * Over REST, the answer is converted to that of `abci_query` (both are recorded). REST has no `/app/simulate`: SIMULATION_DISABLED.
 */
export function createSimulationNode(options: {
  /** The URL of its RPC or of its REST API, with credentials if it needs them. */
  readonly url: string;
  /** The chain that it must belong to; undefined while that is not known. */
  readonly chainId: () => string | undefined;
  readonly timeout: number;
  readonly connectTimeout: number;
  readonly maxAnswerBytes: number;
}): SimulationNode {
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
    const decode = (result: JsonValue): string => textAt(objectAt(asObject(result, 'status'), 'node_info'), 'network');
    // The chain id by the RPC; undefined if the address has none.
    const rpcChain = await rpc.call('status', {}, { decode }).catch((error: unknown) => {
      if (isChainError(error, 'NODE_INVALID_RESPONSE')) return undefined;
      throw error;
    });
    const chainId = rpcChain ?? (await chainOverRest());
    const expected = options.chainId();
    if (expected !== undefined && chainId !== expected)
      throw new ChainError('NODE_INVALID_RESPONSE', `${simulationAlias} belongs to another chain than ${expected}.`, {});
    return rpcChain === undefined ? 'REST' : 'RPC';
  }

  async function chainOverRest(): Promise<string> {
    const { status, json } = await request('GET', '/cosmos/base/tendermint/v1beta1/node_info', undefined);
    if (status !== 200) throw malformed('neither an RPC nor a REST API');
    return textAt(objectAt(asObject(json, 'node_info'), 'default_node_info'), 'network');
  }

  async function overRest({ path, data, height }: JsonObject, signal: AbortSignal | undefined): Promise<JsonObject> {
    const route = restRoutes.find(({ query }) => path === query);
    if (route === undefined)
      throw new ChainError('SIMULATION_DISABLED', 'The simulation node serves this path over RPC only.', { reason: 'PATH' });
    const bytes = Buffer.from(typeof data === 'string' ? data : '', 'hex');
    const [tx = new Uint8Array()] = txsOf(route.service.parent.typeName, route.service.name, bytes) ?? [];
    const body = { ...route.body(bytes), tx_bytes: Buffer.from(tx).toString('base64') };
    const reply = await request('POST', route.path, signal, body);
    // A node ignores the height of a simulation, and returns it.
    const simulatedAt = typeof height === 'string' && height !== '0' ? height : (reply.height ?? '0');
    const empty = { log: '', info: '', index: '0', key: null, value: null, proofOps: null, codespace: '' };
    if (reply.status !== 200) return { response: { ...empty, ...refusalOf(reply.json), height: simulatedAt } };
    try {
      const json: unknown = reply.json;
      const value = Buffer.from(route.encode(json as ProtoJson)).toString('base64');
      return { response: { ...empty, code: 0, value, height: simulatedAt } };
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

/** Which simulations the nodes execute, and for how long. Times in milliseconds; see the limits `simulation.…`. */
export interface SimulationRules {
  /** A node that carries nothing else. It executes every simulation. Default: none. */
  readonly node?: SimulationNode | undefined;
  /** Whether all nodes execute every simulation, because nobody else depends on them. Default false. */
  readonly everywhere?: boolean;
  /** Most bytes of a plain transaction: 65,536. */
  readonly bytes?: number;
  /** Most messages of a plain transaction: 100. */
  readonly messages?: number;
  /** The longest simulation, and the longest wait for the one before it: 2,000. */
  readonly deadline?: number;
  /** How long a node is left alone after a simulation that did not end: 60,000. */
  readonly pause?: number;
  /** Percent of the time of a node that serves reads: 25. */
  readonly share?: number;
  /** Called when a node does not end a simulation. */
  readonly onHang?: ((alias: string) => void) | undefined;
}

/** What simulations have done to the nodes of this process. */
export interface SimulationStats {
  /** Simulations by outcome. */
  readonly outcomes: Readonly<Record<SimulationOutcome, number>>;
  /** Aliases of the nodes that are left alone now. */
  readonly paused: readonly string[];
}

/** DONE: the node answered. DISABLED: no node may. BUSY: no node was free in time. TIMEOUT: it did not end. FAILED: the call failed. */
type SimulationOutcome = 'DONE' | 'DISABLED' | 'BUSY' | 'TIMEOUT' | 'FAILED';

/** The messages of a group proposal; undefined if there is none. */
async function proposalMessages(state: Pick<StateAt, 'query'>, proposalId: bigint): Promise<readonly Any[] | undefined> {
  const { input, output, parent, name } = Query.method.proposal;
  try {
    const request = toBinary(input, create(input, { proposalId }));
    return fromBinary(output, await state.query(`/${parent.typeName}/${name}`, request)).proposal?.messages;
  } catch (error) {
    if (isChainError(error, 'ABCI_QUERY_FAILED')) return undefined;
    throw error;
  }
}

/**
 * The reply of a simulation for a caller that named a known height. A node simulates on its newest state, and returns the height of
 * the query if it has it (recorded). One that is a block behind would refuse it, so the height is not sent.
 */
function atHeight(reply: JsonValue, height: bigint): JsonValue {
  const response = objectAt(asObject(reply, 'abci_query'), 'response');
  return intAt(response, 'code') === 0 ? { response: { ...response, height: height.toString() } } : reply;
}

/** What a node does with simulations. */
interface Lane {
  readonly node: NodeHandle;
  isBusy: boolean;
  pausedUntil: number;
}

const texts: Readonly<Record<NotPlain['reason'], string>> = {
  NO_SCOPE: 'Simulating needs a token with the scope `broadcast` or `simulate`.',
  TOO_LARGE: 'The transaction is too large to be simulated here.',
  TOO_MANY_MESSAGES: 'The transaction has too many messages to be simulated here.',
  CONTRACT: 'The transaction executes a contract, or may do so, and is not simulated here.',
  UNKNOWN_TYPE: 'The transaction has a type or a field that is not known, and is not simulated here.',
  MALFORMED: 'The bytes are no transaction that can be read.',
  UNKNOWN_PROPOSAL: 'The transaction executes a group proposal that the newest block does not have, and is not simulated here.',
  PATH: 'This path is not known to only read.',
};

/** The error for a simulation that no node may execute. */
function disabled({ reason, type, max }: NotPlain): ChainError<'SIMULATION_DISABLED'> {
  const helps = reason !== 'PATH' && reason !== 'MALFORMED';
  const message = !helps ? texts[reason] : `${texts[reason]} The operator can set --simulation-node for it.`;
  return new ChainError('SIMULATION_DISABLED', message, {
    reason,
    ...(type !== undefined && { type }),
    ...(max !== undefined && { max }),
  });
}

/** The error if no node is free. Nothing was sent. `retryAfter` in ms. */
function notFree(why: string, retryAfter: number): ChainError<'NODE_UNREACHABLE'> {
  return new ChainError('NODE_UNREACHABLE', why, { sent: false, retryAfter: Math.ceil(retryAfter) });
}

/**
 * Creates the transport whose calls simulate only what is allowed. All other calls pass unchanged.
 *
 * A simulation has no gas limit, and holds the one lock of a node if it comes by `abci_query`: a contract that loops stops the
 * node until it is killed (docs/security.md, "Simulations"). So a plain transaction (see {@link whyNotPlain}) of a caller that
 * `maySimulate` goes to the simulation node, or to any other; everything else goes to the simulation node only, and is
 * SIMULATION_DISABLED without one. A node simulates one transaction at a time, also after a caller has left, because nothing ends
 * a simulation, and for a share of its time only. A node that does not end one in time is left alone for a while, and serves no
 * reads if another node is left.
 */
export function createSimulationGuard(
  transport: Transport,
  chain: {
    /** The chain's types. */
    registry(signal: AbortSignal | undefined): Promise<Registry>;
    /** The state at the newest block. */
    newest(signal: AbortSignal | undefined): Pick<StateAt, 'query'>;
  },
  rules: SimulationRules = {},
) {
  const {
    node,
    everywhere = false,
    bytes = 65_536,
    messages = 100,
    deadline = 2_000,
    pause: rest = 60_000,
    share = 25,
  } = rules;
  const outcomes: Record<SimulationOutcome, number> = { DONE: 0, DISABLED: 0, BUSY: 0, TIMEOUT: 0, FAILED: 0 };
  const lanes = new Map<string, Lane>();
  const waiting = new Set<() => void>();

  function laneOf(handle: NodeHandle): Lane {
    const lane = lanes.get(handle.alias) ?? { node: handle, isBusy: false, pausedUntil: 0 };
    lanes.set(handle.alias, lane);
    return lane;
  }

  const isPaused = ({ pausedUntil }: Lane): boolean => pausedUntil > monotonicNow();

  /** Takes the first node that is free. Waits for one until the deadline. */
  async function freeLane(candidates: readonly Lane[], signal: AbortSignal | undefined): Promise<Lane> {
    const until = monotonicNow() + deadline;
    for (;;) {
      const usable = candidates.filter((lane) => !isPaused(lane));
      const lane = usable.find(({ isBusy }) => !isBusy);
      if (lane !== undefined) {
        lane.isBusy = true;
        return lane;
      }
      const left = until - monotonicNow();
      if (usable.length === 0) {
        const names = candidates.map((each) => each.node.alias).join(', ');
        const end = Math.min(...candidates.map(({ pausedUntil }) => pausedUntil));
        throw notFree(`No simulation for now: ${names} did not end one and is left alone.`, end - monotonicNow());
      }
      if (left <= 0) throw notFree('The nodes are busy with other simulations.', deadline);
      // Until a simulation has ended.
      let timer: NodeJS.Timeout | undefined;
      const isReleased = new Promise<void>((resolve) => {
        waiting.add(resolve);
        timer = setTimeout(resolve, left);
      });
      await abortable(isReleased, signal).finally(() => clearTimeout(timer));
    }
  }

  /** Simulates on a node that was taken. It is busy until the simulation ends or the deadline has passed, whether or not the caller waits. */
  async function runOn<T>(
    lane: Lane,
    method: string,
    params: JsonObject,
    { decode, span, height }: CallOptions<T>,
  ): Promise<T> {
    const startedAt = performance.now();
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(timeoutError(deadline)), deadline);
    try {
      const latest = height === undefined ? params : { ...params, height: '0' };
      const result = await lane.node.call(method, latest, {
        ...{ signal: late.signal, span },
        decode: (reply) => decode(height === undefined ? reply : atHeight(reply, height)),
      });
      outcomes.DONE += 1;
      return result;
    } catch (error) {
      const isLate = late.signal.aborted || isChainError(error, 'NODE_TIMEOUT');
      outcomes[isLate ? 'TIMEOUT' : isChainError(error, 'ABCI_QUERY_FAILED') ? 'DONE' : 'FAILED'] += 1;
      if (isLate) {
        lane.pausedUntil = monotonicNow() + rest;
        lane.node.eject?.(rest);
        rules.onHang?.(lane.node.alias);
      }
      throw error;
    } finally {
      clearTimeout(timer);
      // Reads have the rest of the time of a node that serves them.
      const isShared = lane.node !== node && !everywhere;
      if (isShared) setTimeout(free, (performance.now() - startedAt) * (100 / share - 1), lane).unref();
      else free(lane);
    }
  }

  function free(lane: Lane): void {
    lane.isBusy = false;
    for (const wake of waiting) wake();
    waiting.clear();
  }

  /**
   * The nodes that may execute these transactions and were not tried, in the order of choice. Throws SIMULATION_DISABLED if there
   * is none for this caller.
   */
  async function candidatesFor(
    txs: readonly Uint8Array[] | undefined,
    options: CallOptions<unknown>,
    tried: ReadonlySet<Lane>,
  ): Promise<readonly Lane[]> {
    if (options.maySimulate === null) {
      outcomes.DISABLED += 1;
      throw disabled({ reason: 'NO_SCOPE' });
    }
    const reserved = node && laneOf(node);
    if (reserved !== undefined && !tried.has(reserved) && !reserved.isBusy && !isPaused(reserved)) return [reserved];
    const why = everywhere ? undefined : await whyNot(txs, options);
    if (why !== undefined && reserved === undefined) {
      outcomes.DISABLED += 1;
      throw disabled(why);
    }
    const others = why === undefined ? (await handlesOf(transport)).map(laneOf) : [];
    return [...(reserved === undefined ? [] : [reserved]), ...others].filter((lane) => !tried.has(lane));
  }

  async function whyNot(
    txs: readonly Uint8Array[] | undefined,
    { maySimulate = false, signal }: CallOptions<unknown>,
  ): Promise<NotPlain | undefined> {
    if (!maySimulate) return { reason: 'NO_SCOPE' };
    if (txs === undefined) return { reason: 'MALFORMED' };
    if (txs.length === 0) return undefined;
    const registry = await chain.registry(signal);
    for (const tx of txs) {
      const proposal = (id: bigint) => proposalMessages(chain.newest(signal), id);
      const why = await whyNotPlain(tx, { bytes, messages, registry, proposal });
      if (why !== undefined) return why;
    }
    return undefined;
  }

  async function simulate<T>(
    txs: readonly Uint8Array[] | undefined,
    method: string,
    params: JsonObject,
    options: CallOptions<T>,
  ): Promise<T> {
    const { signal } = options;
    const tried = new Set<Lane>();
    let failure: unknown;
    for (;;) {
      const candidates = await candidatesFor(txs, options, tried);
      if (candidates.length === 0) throw failure ?? noNodeError();
      const lane = await freeLane(candidates, signal).catch((error: unknown) => {
        if (isChainError(error, 'NODE_UNREACHABLE')) outcomes.BUSY += 1;
        throw error;
      });
      try {
        return await abortable(runOn(lane, method, params, options), signal);
      } catch (error) {
        // The next node, if this one cannot have received it.
        if (!isChainError(error, 'NODE_UNREACHABLE') || error.facts.sent !== false) throw error;
        tried.add(lane);
        failure = error;
      }
    }
  }

  function guarded(call: Transport['call'], isOneNode: boolean): Transport['call'] {
    return async (method, params, options) => {
      const execution = executionOfCall(method, params);
      if (execution === undefined) return call(method, params, options);
      if (execution.kind === 'SIMULATION' && !isOneNode) return simulate(execution.txs, method, params, options);
      outcomes.DISABLED += 1;
      throw disabled({ reason: 'PATH' });
    };
  }

  return {
    transport: {
      ...withCalls(transport, guarded),
      async close() {
        await Promise.all([transport.close(), node?.close()]);
      },
    },
    stats: (): SimulationStats => ({
      outcomes: { ...outcomes },
      paused: [...lanes.values()].filter(isPaused).map((lane) => lane.node.alias),
    }),
  };
}

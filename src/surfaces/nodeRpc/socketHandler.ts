import type { RequestRecord } from '../../answers/caller.ts';
import { jsonBoundsOf } from '../../answers/errors.ts';
import { type EventCondition, EventQueryError, formatEventQuery, parseEventQuery } from '../../chain/events/eventQuery.ts';
import { isRpcMethod, socketMethods } from '../../chain/rpc/methods.ts';
import { parseFrame, type RequestId, type RpcRequest } from '../../chain/rpc/requests.ts';
import { internalError, RpcError, serverError } from '../../chain/rpc/rpcErrors.ts';
import { stringify } from '../../chain/wire/goText.ts';
import type { JsonBounds } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { Lifetime } from '../../server/lifetime.ts';
import { limitReachedResponse, rateLimitResponse } from '../../server/messages/errors.ts';
import { clientAddress } from '../../server/messages/requestHeaders.ts';
import type { Faults } from '../../server/observability/faults.ts';
import type { Requests } from '../../server/observability/requestLog.ts';
import type { ClientLimits } from '../../server/rateLimits/clientLimits.ts';
import { callerOf, type Rates } from '../../server/rateLimits/rates.ts';
import type { Turns } from '../../server/rateLimits/turns.ts';
import type { SocketHandler } from '../../server/router.ts';
import {
  type AcceptedSocket,
  type Admission,
  type ClientMessage,
  ClientSocket,
  createSocketRules,
  largestCopied,
} from '../../server/sockets/clientSocket.ts';
import { createOpenSockets } from '../../server/sockets/openSockets.ts';
import { priceOf } from './call.ts';
import { codeOf, type Dialect, errorShapeOf, forbidden, rpcErrorOf } from './dialects.ts';
import { type CallAnswer, type Dispatch, failedCall } from './dispatch.ts';
import type { NodeEvent, NodeEvents } from './nodeEvents.ts';

interface Subscription {
  readonly key: string;
  /** The id of the request. Its events have the same. */
  readonly id: RequestId;
  /** The text before and after the part of an event that all subscribers share. */
  readonly head: string;
  readonly tail: string;
  /** Number and size in bytes of the events that wait for the socket. */
  waiting: number;
  bytes: number;
  stop(): void;
}

interface SubscriptionOptions {
  readonly caller: ClientLimits;
  readonly dialect: Dialect;
  readonly events: NodeEvents;
  readonly limits: Limits;
}

/** Placeholder of the event in the encoded result. JSON never contains it unescaped. */
const eventPlace = '\0';

function parse(query: string): readonly EventCondition[] {
  try {
    return parseEventQuery(query);
  } catch (error) {
    if (error instanceof EventQueryError) throw internalError(`failed to parse query: ${error.message}`);
    throw error;
  }
}

/**
 * The subscriptions of one socket, and their events that wait until the socket can send them. Methods throw an `RpcError` with the
 * node's text (docs/chain.md, "Subscriptions on a socket").
 */
class SocketSubscriptions {
  readonly #client: ClientSocket;
  readonly #options: SubscriptionOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  #queue: { readonly subscription: Subscription; readonly event: NodeEvent }[] = [];
  #isFlushing = false;

  constructor(client: ClientSocket, options: SubscriptionOptions) {
    this.#client = client;
    this.#options = options;
  }

  get count(): number {
    return this.#subscriptions.size;
  }

  /** Subscribes to a query. Its events follow all data sent in the same turn of the event loop. */
  subscribe(id: RequestId, query: string): void {
    const max = this.#options.limits['rpc.subscriptions'];
    if (this.#subscriptions.size >= max) throw internalError(`max_subscriptions_per_client ${max} reached`);
    if (Buffer.byteLength(query) > this.#options.limits['request.events']) throw internalError('maximum query length exceeded');
    const conditions = parse(query);
    const key = formatEventQuery(conditions);
    if (this.#subscriptions.has(key)) throw internalError('already subscribed');
    const stream = this.#options.caller.openStream();
    if (!('end' in stream)) throw internalError(`max_subscription_clients ${stream.max} reached`);
    const topic = this.#options.caller.listen(`query ${key}`, 1);
    if (!('end' in topic)) {
      stream.end();
      throw rpcErrorOf(limitReachedResponse(topic));
    }
    const result = this.#options.dialect.encodeResult(id, `{"query":${stringify(query)},${eventPlace}}`);
    const [head = '', tail = ''] = result.split(eventPlace);
    const stop = this.#options.events.subscribe(conditions, {
      caller: this.#options.caller,
      // A fault here must not keep the event from other sockets.
      event: (event) => this.#client.contain(() => this.#offer(subscription, event)),
      cancel: (reason) => this.#cancel(subscription, reason),
    });
    const subscription: Subscription = {
      ...{ key, id, head, tail, waiting: 0, bytes: 0 },
      stop() {
        stop();
        topic.end();
        stream.end();
      },
    };
    this.#subscriptions.set(key, subscription);
  }

  unsubscribe(query: string): void {
    const subscription = this.#subscriptions.get(formatEventQuery(parse(query)));
    if (subscription === undefined) throw internalError('subscription not found');
    this.#end(subscription);
  }

  unsubscribeAll(): void {
    if (this.#subscriptions.size === 0) throw internalError('subscription not found');
    this.drop();
  }

  cancel(reason: string): void {
    for (const subscription of [...this.#subscriptions.values()]) this.#cancel(subscription, reason);
  }

  /** Ends the subscriptions with waiting events as too slow, and closes the socket. */
  shed(): void {
    for (const subscription of [...this.#subscriptions.values()]) if (subscription.waiting > 0) this.#endAsSlow(subscription);
    this.#client.close(1008, 'slow client');
  }

  /** Ends all subscriptions without sending anything. */
  drop(): void {
    for (const subscription of [...this.#subscriptions.values()]) this.#end(subscription);
  }

  /** Resolves when no event waits and the socket has sent its data, or when the socket is closed. */
  async drained(): Promise<void> {
    const { socket, duplex } = this.#client;
    while (this.#client.isOpen() && (duplex.writableNeedDrain || this.#queue.length > 0)) {
      await new Promise<void>((resolve) => {
        const done = (): void => {
          duplex.off('drain', done);
          socket.off('close', done);
          resolve();
        };
        duplex.once('drain', done);
        socket.once('close', done);
      });
    }
  }

  #end(subscription: Subscription): void {
    if (this.#isRunning(subscription)) this.#subscriptions.delete(subscription.key);
    subscription.stop();
    const unsent = this.#queue.filter((queued) => queued.subscription === subscription);
    if (unsent.length === 0) return;
    this.#queue = this.#queue.filter((queued) => queued.subscription !== subscription);
    for (const { event } of unsent) this.#client.backlog()?.unqueue(event, event.json().length);
  }

  #cancel(subscription: Subscription, reason: string): void {
    this.#end(subscription);
    const error = serverError(`subscription was canceled (reason: ${reason})`);
    this.#client.send(this.#options.dialect.encodeFailure(subscription.id, error));
  }

  #endAsSlow(subscription: Subscription): void {
    this.#options.events.noteSlow();
    this.#cancel(subscription, 'slow client');
  }

  #isRunning(subscription: Subscription): boolean {
    return this.#subscriptions.get(subscription.key) === subscription;
  }

  /** Sends an event, or queues it. Closes the socket if too many events of the subscription wait. A single one may, whatever its size. */
  #offer(subscription: Subscription, event: NodeEvent): void {
    if (!this.#client.isOpen()) return;
    if (this.#queue.length === 0 && !this.#client.duplex.writableNeedDrain) {
      this.#send(subscription, event);
      return;
    }
    const { length } = event.json();
    subscription.waiting += 1;
    subscription.bytes += length;
    this.#queue.push({ subscription, event });
    this.#flushOnceDrained();
    this.#client.backlog()?.queue(event, length);
    const { waiting, bytes } = subscription;
    const isWithin =
      waiting <= this.#options.limits['subscription.events'] && bytes <= this.#options.limits['subscription.bytes'];
    // The backlog may have ended the subscription.
    if (waiting === 1 || isWithin || !this.#isRunning(subscription)) return;
    this.#endAsSlow(subscription);
    this.#client.close(1008, 'slow client');
  }

  #send({ head, tail }: Subscription, event: NodeEvent): void {
    const json = event.json();
    this.#client.sendShared(head, json, tail);
    this.#client.countUnread(json.length <= largestCopied ? {} : event, json.length);
  }

  #flushOnceDrained(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#client.duplex.once('drain', () => this.#client.contain(() => this.#flush()));
  }

  #flush(): void {
    this.#isFlushing = false;
    const { duplex } = this.#client;
    while (this.#client.isOpen() && !duplex.writableNeedDrain) {
      const next = this.#queue.shift();
      if (next === undefined) return;
      const { subscription, event } = next;
      const { length } = event.json();
      subscription.waiting -= 1;
      subscription.bytes -= length;
      this.#client.backlog()?.unqueue(event, length);
      this.#send(subscription, event);
    }
    if (this.#client.isOpen() && this.#queue.length > 0) this.#flushOnceDrained();
  }
}

interface RpcSockets {
  readonly dialect: Dialect;
  readonly dispatch: Dispatch;
  readonly events: NodeEvents;
  readonly requests: Requests;
  readonly limits: Limits;
  readonly jsonBounds: JsonBounds;
  readonly report: (error: unknown, requestId: string) => void;
  readonly rules: ReturnType<typeof createSocketRules>;
}

type IdentifiedRequest = RpcRequest & { readonly id: RequestId };

/**
 * Serves JSON-RPC on a socket as a node does (docs/chain.md, "WebSocket of a node"). Calls are executed one after another, and
 * events arrive between their responses. {@link ClientSocket} says what ends it.
 */
class RpcSocket extends ClientSocket {
  readonly #shared: RpcSockets;
  readonly #admission: Admission;
  readonly #subscriptions: SocketSubscriptions;
  #calls = 0;
  #lifetime: Lifetime | undefined;

  constructor(accepted: AcceptedSocket, admission: Admission, shared: RpcSockets) {
    super(accepted, shared.rules);
    this.#shared = shared;
    this.#admission = admission;
    this.#subscriptions = new SocketSubscriptions(this, { ...shared, caller: admission.caller });
    this.admit(admission);
  }

  protected isAnswering(): boolean {
    return this.isWorking();
  }

  protected isActive(): boolean {
    return this.isWorking() || this.#subscriptions.count > 0;
  }

  protected expire(): void {
    this.close(1008, 'The token has expired');
  }

  override shed(): void {
    this.#subscriptions.shed();
  }

  /** Cancels the subscriptions as a stopping node does. */
  override retire(): void {
    this.isRetired = true;
    this.#subscriptions.cancel('CometBFT exited');
    super.retire();
  }

  override close(code: number, reason: string): void {
    this.#subscriptions.drop();
    super.close(code, reason);
  }

  override closed(): void {
    super.closed();
    this.#subscriptions.drop();
    this.#lifetime?.cancel();
  }

  protected async handle({ bytes }: ClientMessage): Promise<void> {
    const answer = await this.#answer(bytes);
    if (answer !== undefined) this.send(answer);
    // The next call is executed when the client has read the responses.
    this.isUnread = true;
    await this.#subscriptions.drained();
    this.isUnread = false;
    this.noteActivity();
  }

  /** Returns the response to a frame. undefined for a notification, which is not executed, as on a node. */
  async #answer(frame: Buffer): Promise<string | undefined> {
    const { dialect, requests } = this.#shared;
    const request = this.#parse(frame);
    if (request instanceof RpcError) return dialect.encodeFailure(undefined, request);
    const { id, method } = request;
    if (id === undefined) return undefined;
    this.#calls += 1;
    const { record, end } = requests.operation(`${this.id}-${this.#calls}`, this.#admission.session.viewer, dialect.surface);
    if (isRpcMethod(method) || Object.hasOwn(socketMethods, method)) record.operation = method;
    const answer = await this.#run({ ...request, id }, record);
    record.code = codeOf(answer);
    end();
    return answer.text;
  }

  #parse(frame: Buffer): RpcRequest | RpcError {
    const startedAt = performance.now();
    try {
      return parseFrame(frame, this.#shared.jsonBounds);
    } catch (error) {
      if (error instanceof RpcError) return error;
      throw error;
    } finally {
      this.#admission.caller.spend(performance.now() - startedAt);
    }
  }

  async #run(request: IdentifiedRequest, record: RequestRecord): Promise<Pick<CallAnswer, 'text' | 'error' | 'kind'>> {
    const { dialect, dispatch, limits, report } = this.#shared;
    const { session, caller } = this.#admission;
    const { id, method } = request;
    const fail = (error: unknown): CallAnswer =>
      failedCall(dialect, { id, via: 'socket' }, error, (unexpected) => report(unexpected, this.id));
    if (this.isRetired) return fail(internalError('The server is shutting down.'));
    const slot = caller.enter();
    if (!('end' in slot)) return fail(rpcErrorOf(rateLimitResponse(slot)));
    try {
      const { points, broadcasts } = priceOf([method]);
      const refusal = await caller.take(points, broadcasts);
      if (refusal !== undefined) return fail(rpcErrorOf(rateLimitResponse(refusal)));
      record.cost = points;
      if (Object.hasOwn(socketMethods, method)) {
        this.#subscribe(request);
        return { text: dialect.encodeResult(id, '{}'), error: undefined, kind: undefined };
      }
      this.#lifetime = new Lifetime({ milliseconds: limits['request.deadline'], scope: record.span });
      const context = { viewer: session.viewer, requestId: record.id, lifetime: this.#lifetime };
      return await dispatch.answer(dialect, request, context, 'socket');
    } catch (error) {
      return fail(error);
    } finally {
      this.#lifetime?.end();
      this.#lifetime = undefined;
      slot.end();
    }
  }

  #subscribe({ id, method, params }: IdentifiedRequest): void {
    const query = this.#shared.dialect.readParams(socketMethods[method] ?? [], params).text('query');
    const { scopes } = this.#admission.session.viewer;
    if (!scopes.includes('read')) throw forbidden('A token with the scope `read` is required.');
    if (method === 'subscribe') this.#subscriptions.subscribe(id, query);
    else if (method === 'unsubscribe') this.#subscriptions.unsubscribe(query);
    else this.#subscriptions.unsubscribeAll();
  }
}

/** Creates the handler of the node RPC over WebSocket, for one path and dialect. Handlers can share `events`. */
export function createSocketHandler(
  options: Omit<RpcSockets, 'jsonBounds' | 'rules'> & {
    readonly path: string;
    readonly rates: Rates;
    readonly turns: Turns;
    /** Records errors of this server outside of calls. */
    readonly faults: Faults;
  },
): SocketHandler {
  const { path, dialect, rates, limits } = options;
  const shared = { ...options, jsonBounds: jsonBoundsOf(limits), rules: createSocketRules('rpc', options) };
  const shape = errorShapeOf(dialect);
  const sockets = createOpenSockets({ maxPayload: limits['rpc.message'], perMessageDeflate: false, shape });
  return {
    ...sockets,
    shape,
    path,
    async upgrade(request, duplex, head, authenticate) {
      const session = await authenticate();
      if (session === undefined) return;
      const caller = callerOf(rates, clientAddress(request), session);
      sockets.accept(request, duplex, head, (accepted) => {
        const slot = caller.connect();
        if ('end' in slot) return new RpcSocket(accepted, { session, caller, slot }, shared);
        accepted.socket.close(1008, `Too many connections: at most ${slot.max}`);
        return undefined;
      });
    },
  };
}

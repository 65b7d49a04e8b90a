import type { RequestRecord } from '../../answers/caller.ts';
import { jsonBoundsOf } from '../../answers/errors.ts';
import { isRpcMethod, socketMethods } from '../../chain/rpc/methods.ts';
import { parseFrame, type RequestId, type RpcRequest } from '../../chain/rpc/requests.ts';
import { internalError, RpcError } from '../../chain/rpc/rpcErrors.ts';
import type { JsonBounds } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { Lifetime } from '../../server/lifetime.ts';
import { rateLimitResponse } from '../../server/messages/errors.ts';
import { clientAddress } from '../../server/messages/requestHeaders.ts';
import type { Faults } from '../../server/observability/faults.ts';
import type { Requests } from '../../server/observability/requestLog.ts';
import { callerOf, type Rates } from '../../server/rateLimits/rates.ts';
import type { Turns } from '../../server/rateLimits/turns.ts';
import type { SocketHandler } from '../../server/router.ts';
import {
  type AcceptedSocket,
  type Admission,
  type ClientMessage,
  ClientSocket,
  createSocketRules,
} from '../../server/sockets/clientSocket.ts';
import { createOpenSockets } from '../../server/sockets/openSockets.ts';
import { priceOf } from './call.ts';
import { type Dialect, errorShapeOf } from './dialects.ts';
import { type CallAnswer, type Dispatch, failedCall } from './dispatch.ts';
import { codeOf, forbidden, rpcErrorOf } from './failures.ts';
import type { NodeEvents } from './nodeEvents.ts';
import { SocketSubscriptions } from './socketSubscriptions.ts';

/** What the sockets of one path share. */
interface RpcSockets {
  readonly dialect: Dialect;
  readonly dispatch: Dispatch;
  readonly events: NodeEvents;
  readonly requests: Requests;
  readonly limits: Limits;
  readonly jsonBounds: JsonBounds;
  /** Logs errors that are masked in responses. */
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
  /** Limits the reads of the running call. */
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
      this.#lifetime = new Lifetime(limits['request.deadline'], undefined, record.span);
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

  /** Executes `subscribe`, `unsubscribe` or `unsubscribe_all`. Throws the error of the call. */
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

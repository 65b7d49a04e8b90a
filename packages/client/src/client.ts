import { type Connection, createConnection } from './connection.ts';
import type { HeightInput, RestOf, TypedDocument } from './documents.ts';
import type { SteleError } from './errors.ts';
import { type SteleEvent, type SubscribeOptions, subscribeTo } from './events.ts';
import { type HistoryRange, type HistoryStep, historySteps, placeText } from './history.ts';
import { createHttp } from './http.ts';
import { type LiveOptions, liveResults } from './live.ts';
import { membersOf } from './members.ts';
import { type Result, resultOf } from './result.ts';
import { withRetries } from './retry.ts';
import { createSocket } from './socket.ts';
import { type SubmitOptions, submitSteps, type TransactionUpdate } from './submit.ts';
import { createTokens, type TokenInput } from './tokens.ts';
import { createVerification, type Verifier, type VerifyInput } from './verify.ts';

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** The URL of `/graphql`, `http` or `https`. In a page it can be relative to the page. */
  readonly url: string;
  /**
   * The bearer token, or the function that requests one. The function is called again shortly before the token expires, and when the server refuses it.
   * A stream with a token that is a text ends when the token expires. Leave it out if a proxy adds the token.
   */
  readonly token?: TokenInput | undefined;
  /** The constructor of WebSockets, for Node.js before 22, which has none: `WebSocket` of the package `ws`. */
  readonly webSocket?: unknown;
  /**
   * Loads the verifier of answers when the first one is verified: `() => import('@stele/verify')`. Only queries with `verify` need it.
   */
  readonly verifier?: (() => Promise<Verifier>) | undefined;
  /**
   * Called when the WebSocket is connected, and with `retrying` and the error when a stream has failed and will try again. A page can show it.
   */
  readonly onState?: ((state: 'connected' | 'retrying', error?: SteleError) => void) | undefined;
  /**
   * Called with CHAIN_RESET when a live query goes on with the results of a chain that was started again under the same id. A page discards what it has
   * kept of the old chain. Subscriptions fail with the error instead.
   */
  readonly onReset?: ((error: SteleError) => void) | undefined;
}

/** Options of a query. */
export interface QueryOptions {
  /** Reads at this height. */
  readonly height?: HeightInput | undefined;
  /** Reads at the last block that is not after this time: RFC 3339 in UTC, or a Date. In place of a height. */
  readonly time?: string | Date | undefined;
  /** Waits until the server has this block. Pass the height of your last write or answer to never read an older one. */
  readonly minHeight?: HeightInput | undefined;
  /**
   * Asks for a proof, and verifies the answer with it. The result has `verified`, with the level of each field. Rejects with an
   * {@link UnprovenAnswerError} if anything in the answer does not follow. `true`: with the newest block that this client has verified. For a mutation it has
   * no meaning.
   */
  readonly verify?: boolean | VerifyInput | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Queries at one place. */
export interface Reader {
  /**
   * Sends a query or a mutation. Resolves with the data, the errors of single fields, and the height that everything was read at. Rejects with a
   * {@link SteleError} if there is no data. A query that meets RATE_LIMITED is sent again after `retryAfter`; a mutation is not. A query with the directive
   * `@live` is read once, without it.
   */
  query<Data = unknown, Variables = unknown>(
    document: TypedDocument<Data, Variables>,
    ...rest: RestOf<Variables, QueryOptions>
  ): Promise<Result<Data>>;
}

/** A client of one Stele. */
export interface Client extends Reader {
  /** Queries of the chain at a height or a time. */
  at(place: Pick<QueryOptions, 'height' | 'time'>): Reader;
  /**
   * The events of a subscription, each once and in order. The iteration goes on over lost connections, restarts of the server, expired tokens and a
   * change of the server. It fails only with a {@link SteleError} that a retry cannot heal.
   */
  subscribe<Data = unknown, Variables = unknown>(
    document: TypedDocument<Data, Variables>,
    ...rest: RestOf<Variables, SubscribeOptions>
  ): AsyncIterableIterator<SteleEvent<Data>>;
  /**
   * The results of a query with the directive `@live`: now, and after each block that changes it. Slow readers get the newest one. Parts of a result that
   * did not change are the same objects as before.
   */
  live<Data = unknown, Variables = unknown>(
    document: TypedDocument<Data, Variables>,
    ...rest: RestOf<Variables, LiveOptions>
  ): AsyncIterableIterator<Result<Data>>;
  /**
   * How the answer to a query came to be: the result at `from`, and then each later one that differs, in order, up to `to`. Without `to`, up to the
   * newest block of the first page. Parts of a result that did not change are the same objects as before. The iteration goes on over lost connections,
   * and fails with HISTORY_DEPENDS_ON_HEIGHT if a field depends on the block itself and `every` is absent.
   */
  history<Data = unknown, Variables = unknown>(
    document: TypedDocument<Data, Variables>,
    range: HistoryRange<Variables>,
  ): AsyncIterableIterator<HistoryStep<Data>>;
  /**
   * Sends a signed transaction and follows it to its block. After a lost connection the same bytes are sent again, which is safe. The token needs the
   * scope `broadcast`.
   */
  submitTx(bytes: Uint8Array, options?: SubmitOptions): AsyncIterableIterator<TransactionUpdate>;
  /** The state of the WebSocket, to show it. */
  readonly connection: Connection;
  /** Ends all iterations and closes the WebSocket. */
  close(): void;
}

/** The absolute URL of the API, and that of its WebSocket. Throws a TypeError if it is invalid. */
function urlsOf(text: string): { readonly http: string; readonly ws: string } {
  const base = membersOf(membersOf(globalThis).location).href;
  const url = new URL(text, typeof base === 'string' ? base : undefined);
  const ws = new URL(url);
  ws.protocol = url.protocol.replace('http', 'ws');
  return { http: url.href, ws: ws.href };
}

function recordOf(variables: unknown): Readonly<Record<string, unknown>> {
  return { ...membersOf(variables) };
}

/** A document without the directive `@live`: its result now. */
function onceOf(document: string): string {
  return document.replace(/\s*@live\b(\s*\([^)]*\))?/, '');
}

function textOf(height: HeightInput | undefined): string | undefined {
  return height === undefined ? undefined : String(height);
}

function timeText(time: string | Date | undefined): string | undefined {
  return time === undefined ? undefined : placeText(time);
}

/** Creates a client. It connects with the first operation. */
export function createClient({ url, token, webSocket, verifier, onState, onReset }: ClientOptions): Client {
  const urls = urlsOf(url);
  const tokens = createTokens(token);
  const closing = new AbortController();
  const http = createHttp(urls.http, tokens);
  const connection = createConnection();
  const socket = createSocket({
    ...{ url: urls.ws, tokens, webSocket },
    onConnected() {
      connection.change('connected');
      onState?.('connected');
    },
  });
  const context = {
    socket,
    closed: closing.signal,
    onRetry: (error: SteleError) => onState?.('retrying', error),
    onReset: (error: SteleError) => onReset?.(error),
  };
  const streams = {
    ...context,
    onRetry(error: SteleError) {
      connection.change('retrying', error);
      context.onRetry(error);
    },
  };

  const verification = createVerification(verifier);

  const readerAt = (place: Pick<QueryOptions, 'height' | 'time'>): Reader => ({
    async query(document, ...[variables, options = {}]) {
      const { height, time, minHeight, verify = false, signal } = { ...place, ...options };
      const input = verify === true ? {} : verify;
      const extensions = {
        ...{ height: textOf(height), blockTime: timeText(time), minHeight: textOf(minHeight) },
        ...(input !== false && verification.extensions(input)),
      };
      const operation = { query: onceOf(String(document)), variables: recordOf(variables), extensions };
      if (/\bmutation\b/.test(operation.query)) return resultOf(await http.query(operation, signal));
      const read = async (): Promise<Result<never>> => {
        const result = await http.query(operation, signal);
        if (input === false) return resultOf(result);
        const verified = await verification.check(result, operation.query, operation.variables, { height, ...input });
        return { ...resultOf(result), verified };
      };
      return withRetries(read, {
        signal: signal ?? closing.signal,
        onRetry: context.onRetry,
        isFinal: ({ code, facts }) => code !== 'RATE_LIMITED' || typeof facts.retryAfter !== 'number',
      });
    },
  });

  return {
    ...readerAt({}),
    at: readerAt,
    subscribe: (document, ...[variables, options = {}]) => subscribeTo(String(document), recordOf(variables), options, streams),
    live: (document, ...[variables, options = {}]) => liveResults(String(document), recordOf(variables), options, streams),
    history: (document, range) => historySteps(String(document), recordOf(range.variables), range, http, context),
    submitTx: (bytes, options = {}) => submitSteps(bytes, options, http, context),
    connection,
    close() {
      closing.abort();
      socket.close();
    },
  };
}

import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { LRUCache } from 'lru-cache';
import { isChainError } from '../chain/base/errors.ts';
import type { Client } from '../chain/client.ts';
import { isUnknownPath, refusalError } from '../chain/rpc/rpcErrors.ts';
import type { StateAt } from '../chain/state/state.ts';
import { type Decoder, encodedQuery } from '../chain/state/stateEntries.ts';
import { asObject, bytesAt, intAt, malformed, objectAt } from '../chain/wire/json.ts';
import { isModuleAbsent, moduleAbsent, RequestError } from './errors.ts';
import { type Awaitable, ReadOnce, type Source } from './pin.ts';

/** The most requests that are kept for one query. The least recently used one is dropped when there are more. */
const maxKept = 256;

/** Longer arguments are not kept, in characters. */
const longestArguments = 256;

/** Text that is equal for equal arguments and differs for others. undefined for a value of a kind that no list of arguments has. */
function argumentText(argument: unknown): string | undefined {
  switch (typeof argument) {
    case 'string':
      return `"${argument.length}:${argument}`;
    case 'bigint':
      return `${argument}n`;
    case 'number':
    case 'boolean':
    case 'undefined':
      return String(argument);
  }
  if (argument instanceof Uint8Array) return `x${Buffer.from(argument).toString('hex')}`;
  if (typeof argument !== 'object' || argument === null) return undefined;
  let members = '';
  for (const [name, value] of Object.entries(argument)) {
    const text = argumentText(value);
    if (text === undefined) return undefined;
    members += `${name}=${text};`;
  }
  return `{${members}}`;
}

/**
 * Makes a function like `encode` that keeps what it returned, because most requests are repeated and a response in memory costs less than its
 * request. Nobody may change it.
 */
export function keepRequests<A extends readonly unknown[], R extends object>(encode: (...args: A) => R): (...args: A) => R {
  const keptRequests = new LRUCache<string, R>({ max: maxKept });
  return (...args) => {
    let key = '';
    for (const argument of args) {
      const text = argumentText(argument);
      if (text === undefined) return encode(...args);
      key += `${text},`;
    }
    const knownRequest = keptRequests.get(key);
    if (knownRequest !== undefined) return knownRequest;
    const request = encode(...args);
    if (key.length > longestArguments) return request;
    keptRequests.set(key, request);
    return request;
  };
}

/** ABCI codes of the codespace `sdk` (docs/chain.md, "Error codes of the application"). */
const unknownRequest = 6;
const invalidRequest = 18;
const keyNotFound = 22;

/** The logs with which modules reject an address of another chain; the second text is that of the attribute module. */
const wrongAddress = /bech32|\binvalid account address: /i;

/** A query of the state, and what its responses mean. */
interface StateQuery<I extends DescMessage, O extends DescMessage, A extends readonly unknown[], T> {
  readonly method: DescMethodUnary<I, O>;
  readonly request: (...args: A) => MessageInitShape<I>;
  /** The value of a response. It depends on the response and the arguments alone. */
  readonly value: (response: MessageShape<O>, ...args: A) => T;
}

/**
 * Reads a value of the state at its height. Returns it at once if it is in memory. Values are deeply frozen, and shared by all
 * reads with the same arguments at heights with the same state. An address of another chain is BAD_USER_INPUT, a module that the chain does not have
 * is MODULE_ABSENT.
 */
export type StateRead<A extends readonly unknown[], T> = (state: StateAt, ...args: A) => Awaitable<T>;

/** Makes the read of a query. A method must have one read only, because a response in memory has one decoded value. */
export function stateRead<I extends DescMessage, O extends DescMessage, A extends readonly unknown[], T>(
  query: StateQuery<I, O, A, T>,
): StateRead<A, T> {
  return readWith(query, (error) => {
    throw error;
  });
}

/**
 * Makes the read of a query that returns null if the object does not exist: for code 22, and for code 6 with a log that starts
 * with one of `absences`. `cacheableRefusal` must accept each of these texts too, so that the answer is cached. A
 * pruned height also answers "not found", with code 38. That stays an error.
 */
export function stateReadOrNull<I extends DescMessage, O extends DescMessage, A extends readonly unknown[], T>(
  query: StateQuery<I, O, A, T | null> & { readonly absences: readonly string[] },
): StateRead<A, T | null> {
  return readWith(query, (error) => {
    if (!isChainError(error, 'ABCI_QUERY_FAILED')) throw error;
    const { abciCode, log } = error.facts;
    if (abciCode === keyNotFound) return null;
    if (abciCode === unknownRequest && query.absences.some((text) => log.startsWith(text))) return null;
    throw error;
  });
}

/** The value of a read, or `absent` if the chain does not have its module. */
export function orIfAbsent<T, A>(value: Awaitable<T>, absent: A): Awaitable<T | A> {
  if (!(value instanceof Promise)) return value;
  return value.catch((error: unknown) => {
    if (isModuleAbsent(error)) return absent;
    throw error;
  });
}

/** Makes the loader of such a read. Each key is read once for one pin, and keys are equal if their text is. */
export function valueOnce<K, V>(read: StateRead<[key: K], V>): (source: Source) => ReadOnce<K, V> {
  return ({ state }) => new ReadOnce((key: K) => read(state, key));
}

function readWith<I extends DescMessage, O extends DescMessage, A extends readonly unknown[], T>(
  { method, request, value }: StateQuery<I, O, A, T>,
  onRefusal: (error: unknown) => T,
): StateRead<A, T> {
  const path = pathOf(method);
  const decoder: Decoder<A, T> = {
    decode: (response, args) => value(decodeResponse(method, response), ...args),
    refused: (error) => onRefusal(readable(path, error)),
  };
  const encode = keepRequests((...args: A) =>
    encodedQuery(path, toBinary(method.input, create(method.input, request(...args)))),
  );
  return (state, ...args) => {
    try {
      return state.read(encode(...args), decoder, args);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

function pathOf(method: DescMethodUnary): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function decodeResponse<O extends DescMessage>(method: DescMethodUnary<DescMessage, O>, bytes: Uint8Array): MessageShape<O> {
  try {
    return fromBinary(method.output, bytes);
  } catch {
    throw malformed(`${pathOf(method)} does not return the protobuf message of its method`);
  }
}

/** The error for an address of another chain is BAD_USER_INPUT, that for an absent module MODULE_ABSENT. Other errors are unchanged. */
function readable(path: string, error: unknown): unknown {
  if (isUnknownPath(error)) return moduleAbsent(path);
  if (
    isChainError(error, 'ABCI_QUERY_FAILED') &&
    error.facts.abciCode === invalidRequest &&
    wrongAddress.test(error.facts.log)
  ) {
    return new RequestError('BAD_USER_INPUT', `The chain rejects this address: ${error.facts.log}`, {
      bound: 'an address of this chain',
    });
  }
  return error;
}

/** Calls a method of the chain's query services at the height of the state, and returns its response as it is. */
export async function queryState<I extends DescMessage, O extends DescMessage>(
  state: StateAt,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<MessageShape<O>> {
  return decodeResponse(method, await state.query(pathOf(method), toBinary(method.input, create(method.input, request))));
}

/**
 * Calls a query path on the newest state of the current node, for methods that describe the node or simulate a transaction. The
 * answer is never cached. `maySimulate`: see `CallOptions`. Fails as a read of the state does, or with SIMULATION_DISABLED.
 */
export function queryLatest(
  {
    client,
    signal,
    maySimulate = false,
  }: { readonly client: Client; readonly signal: AbortSignal | undefined; readonly maySimulate?: boolean | null },
  path: string,
  request: Uint8Array,
): Promise<Uint8Array> {
  const params = { path, data: Buffer.from(request).toString('hex'), height: '0', prove: false };
  return client.call('abci_query', params, {
    signal,
    maySimulate,
    decode(result) {
      const response = objectAt(asObject(result, 'abci_query'), 'response');
      if (intAt(response, 'code') !== 0) throw refusalError(response, 0n);
      return bytesAt(response, 'value') ?? new Uint8Array();
    },
  });
}

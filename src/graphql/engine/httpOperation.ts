import type { IncomingMessage } from 'node:http';
import type { GraphQLError } from 'graphql';
import { type AnswerBody, smallBody, splitBody } from '../../answers/answer.ts';
import type { Made } from '../../answers/answerCache.ts';
import { noteErrors } from '../../answers/caller.ts';
import { shownFacts } from '../../answers/errors.ts';
import type { Carried } from '../../chain/state/state.ts';
import { badInput, type RequestError } from '../../reads/errors.ts';
import type { Awaitable } from '../../reads/pin.ts';
import { withoutHttp, withStatus } from '../documents/errors.ts';
import { type JsonResult, resultJson } from '../execution/execution.ts';
import { nextEvent, streamFormatOf, streamTypes } from '../subscriptions/payload.ts';
import { type OperationContext, type Transport, withExtensions } from './context.ts';
import type { Engine } from './engine.ts';

/** The media types of a single result. */
type ResultType = 'application/json' | 'application/graphql-response+json' | 'text/event-stream' | 'multipart/mixed';

/** Ascending by preference among the types that one range of an `Accept` header matches. */
const resultTypes = ['application/graphql-response+json', 'application/json'] as const;

/** Media types of streams of results. A single result is sent in them to a client that accepts nothing else. */
const streamingTypes = ['text/event-stream', 'multipart/mixed'] as const;

/** The ranges of an `Accept` header without parameters. Results are always UTF-8. */
function rangesOf(accept: string): readonly string[] {
  return accept
    .replace(/\s/g, '')
    .toLowerCase()
    .split(',')
    .filter((range) => !/;charset=(?!"?utf-8)/.test(range))
    .map((range) => range.split(';', 1)[0] ?? '');
}

function isMatch(range: string, type: string): boolean {
  return range === type || range === '*/*' || range === `${type.split('/', 1)[0]}/*`;
}

/**
 * Returns the media type of a single result: of the first range that accepts JSON, else a stream. undefined if the `Accept` header
 * accepts none.
 */
function resultTypeOf(accept: string): ResultType | undefined {
  const ranges = rangesOf(accept);
  for (const range of ranges) {
    const type = resultTypes.findLast((each) => isMatch(range, each));
    if (type !== undefined) return type;
  }
  return streamingTypes.findLast((type) => ranges.some((range) => isMatch(range, type)));
}

/** BAD_USER_INPUT for an `Accept` header that accepts no media type of a result. */
function notAcceptable(accept: string): RequestError {
  const bound = `${resultTypes.join(' or ')} for a query or mutation, or ${streamingTypes[0]} for a subscription or live query`;
  return badInput('Accept', accept || '*/*', bound);
}

/** An HTTP request as the transport of an operation. */
interface HttpTransport extends Transport {
  /** The `Accept` header. Empty if absent. */
  readonly accept: string;
  /** The media type of a single result. undefined if the client accepts none. */
  readonly type: ResultType | undefined;
}

/** The transport of an operation that comes by HTTP. Its method must be one of the two. */
export function httpTransport({ method, url = '/', headers }: IncomingMessage): HttpTransport {
  const { accept = '' } = headers;
  const type = accept === '' || accept === '*/*' ? 'application/json' : resultTypeOf(accept);
  const refusal = type === undefined ? notAcceptable(accept) : undefined;
  return { method: method === 'GET' ? 'GET' : 'POST', url, headers, accept, type, notAcceptable: refusal };
}

/**
 * Executes an operation over HTTP (GraphQL over HTTP, graphql.github.io/graphql-over-http). Returns a promise only if it waits for something.
 * Never throws or rejects.
 */
export type ExecuteHttp = (context: OperationContext, transport: HttpTransport) => Made | Promise<Made>;

const streamHeaders = ['connection', 'keep-alive', 'content-encoding', 'none'];

/** The HTTP part of errors: their headers, and the highest status. With `isJson`, a status of GraphQL over HTTP is 200. */
function httpOf(errors: readonly GraphQLError[], isJson: boolean): { readonly status: number; readonly headers: string[] } {
  const headers: string[] = [];
  let status = 0;
  for (const { extensions } of errors) {
    const { http } = extensions;
    if (typeof http !== 'object' || http === null) continue;
    if ('headers' in http && typeof http.headers === 'object') {
      for (const [name, value] of Object.entries(http.headers ?? {})) headers.push(name.toLowerCase(), String(value));
    }
    if (isJson && 'spec' in http && http.spec === true) continue;
    if ('status' in http && typeof http.status === 'number') status = Math.max(status, http.status);
  }
  return { status: status === 0 ? 200 : status, headers };
}

/** The headers of a JSON result. All responses share them. */
const jsonHeaders = {
  'application/json': ['content-type', 'application/json; charset=utf-8'],
  'application/graphql-response+json': ['content-type', 'application/graphql-response+json; charset=utf-8'],
} as const;

/** A body, and the headers of its media type. */
interface Content {
  readonly headers: readonly string[];
  /** Its places are not found yet if these are its bytes. */
  readonly body: Buffer | AnswerBody;
}

const nothing = Buffer.alloc(0);

/** The bytes of a single result as a stream with one event or part, and the headers of its media type. */
function asStream(json: string, type: (typeof streamingTypes)[number]): Content {
  if (type === 'text/event-stream') {
    const body = Buffer.concat([Buffer.from(':\n\n'), nextEvent(json), Buffer.from('event: complete\ndata:\n\n')]);
    return { headers: ['content-type', type, ...streamHeaders], body };
  }
  const head = '\r\n---\r\nContent-Type: application/json; charset=utf-8\r\n\r\n';
  return { headers: ['content-type', `${type}; boundary="-"`], body: Buffer.from(`${head}${json}\r\n-----\r\n`) };
}

/** Shorter texts are converted in less time by Node, in characters. */
const shortText = 4 * 1024;

/** The bytes of a text. `Buffer.from` first counts the bytes of a long one, which takes as long as all the rest. */
function bytesOf(text: string): Buffer {
  if (text.length < shortText) return Buffer.from(text);
  // Nearly all characters have one byte. The rest of the memory is too little to be copied later.
  const bytes = Buffer.allocUnsafeSlow(text.length + (text.length >> 7));
  const written = bytes.write(text);
  const mayBeCut = written > bytes.length - 4;
  return mayBeCut ? Buffer.from(text) : bytes.subarray(0, written);
}

/** How answers get tags for caches. */
export interface AnswerTags {
  /** The tags of an answer from what it was computed from. `answers` is how many times they are sent. */
  of(carried: Carried, answers?: number): readonly string[];
  /** Whether they are in the extensions, too, as Apollo Router reads them. */
  readonly areInExtensions: boolean;
}

/** The tags of an answer. Empty if it may change with any block. */
function tagsOf({ outcome, dependencies }: OperationContext, tags: AnswerTags, answers: number): readonly string[] {
  const carriedBy = outcome.immutable ? dependencies.carried() : undefined;
  return carriedBy === undefined || carriedBy.validUntil !== null || carriedBy.reads === 0 ? [] : tags.of(carriedBy, answers);
}

/** The number of entities that a router asks for. undefined if the operation is not one for entities. */
function entitiesIn(context: OperationContext): number | undefined {
  const { variables } = context.readParams();
  if (typeof variables !== 'object' || variables === null || !('representations' in variables)) return undefined;
  return Array.isArray(variables.representations) ? variables.representations.length : undefined;
}

/** A result with its tags as Apollo Router reads them: those of the response, or those of each entity. */
function withTags(result: JsonResult, tags: readonly string[], entities: number | undefined): JsonResult {
  const ofResult =
    entities === undefined
      ? { apolloCacheTags: tags }
      : { apolloEntityCacheTags: Array.from({ length: entities }, () => tags) };
  return { ...result, extensions: { ...result.extensions, ...ofResult } };
}

/** The header of the tags of an answer, which are separated by spaces. */
export const surrogateKeyHeader = 'surrogate-key';

/** With `answerTags`, answers have headers with their tags. */
export function createHttpExecution(engine: Engine, answerTags?: AnswerTags): ExecuteHttp {
  /** Adds the extensions and the status to a result, unless the operation is a stream, or its parameters are wrong. */
  function finish(result: JsonResult, transport: HttpTransport, context: OperationContext): Awaitable<Made> {
    const { record, outcome } = context;
    if (outcome.subscription !== undefined || !outcome.hasDocument) return respond(result, transport, context);
    let ended = result;
    if (result.errors !== undefined) {
      noteErrors(record, result.errors);
      outcome.immutable = false;
      ended = withStatus(result);
    }
    const extended = withExtensions(ended, context);
    return extended instanceof Promise
      ? extended.then((complete) => respond(complete, transport, context))
      : respond(extended, transport, context);
  }

  function respond(result: JsonResult, { accept, type }: HttpTransport, context: OperationContext): Made {
    const { record, outcome, dependencies } = context;
    const { data, errors } = result;
    const format = outcome.subscription && streamFormatOf(accept);
    let [status, placesFrom] = [200, 0];
    let content: Content;
    const entities = answerTags?.areInExtensions === true ? entitiesIn(context) : undefined;
    const tags = answerTags === undefined || errors !== undefined ? [] : tagsOf(context, answerTags, entities ?? 1);
    if (format !== undefined) content = { headers: ['content-type', streamTypes[format], ...streamHeaders], body: nothing };
    else if (type === undefined || outcome.subscription !== undefined) {
      // `*/*` does not ask for a stream: the client may not be able to read one.
      const { code, message, facts } = notAcceptable(accept);
      record.code ??= code;
      status = 406;
      const json = JSON.stringify({ errors: [{ message, extensions: { code, ...shownFacts(facts) } }] });
      content = { headers: jsonHeaders['application/json'], body: Buffer.from(json) };
    } else {
      const plain = errors === undefined ? result : withoutHttp(result);
      const json = resultJson(
        answerTags?.areInExtensions === true && tags.length > 0 ? withTags(plain, tags, entities) : plain,
      );
      const isEvents = type === 'text/event-stream';
      // A height is printed in the data only if a field asks for it.
      if (data !== undefined && !dependencies.hasPrintedHeight) placesFrom = data.length;
      content =
        isEvents || type === 'multipart/mixed'
          ? asStream(json, type)
          : { headers: jsonHeaders[type], body: smallBody(json, placesFrom) ?? bytesOf(json) };
      // graphql-sse sends a request again after any status but 200. That cannot help here.
      if (errors !== undefined && !(isEvents && errors.some(({ extensions }) => extensions.code === 'CHAIN_RESET'))) {
        const http = httpOf(errors, type === 'application/json' || isEvents);
        // A request without a document is 400, whatever media type the client accepts.
        status = http.status === 200 && !outcome.hasDocument ? 400 : http.status;
        content = { headers: [...content.headers, ...http.headers], body: content.body };
      }
    }
    const { body } = content;
    const headers =
      tags.length > 0 && status === 200 && format === undefined
        ? [...content.headers, surrogateKeyHeader, tags.join(' '), 'cache-tag', tags.join(',')]
        : content.headers;
    const ownBody = 'parts' in body ? body : splitBody(body, placesFrom);
    const answer = { status, operation: record.operation, headers, body: ownBody };
    return { answer, keep: outcome.immutable, carried: dependencies.carried() };
  }

  return (context, transport) => {
    const result = engine.run(context);
    return result instanceof Promise
      ? result.then((ended) => finish(ended, transport, context))
      : finish(result, transport, context);
  };
}

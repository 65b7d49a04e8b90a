import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { jsonBoundsOf } from '../../graphql/limits/jsonBounds.ts';
import { createOperationContext, type OperationContext } from '../../graphql/operation/context.ts';
import { heightHeader, minHeightHeader, minHeightOf, pickHeight } from '../../graphql/operation/pickHeight.ts';
import { type AnswerKey, createAnswerCache, type MakeAnswer } from '../../graphql/request/answerCache.ts';
import { readParams } from '../../graphql/request/requestParams.ts';
import { streamFormatOf } from '../../graphql/subscriptions/streamFormat.ts';
import type { Yoga } from '../../graphql/yoga.ts';
import type { Session } from '../../reads/viewer.ts';
import type { Handler, RequestContext } from '../handlers/handler.ts';
import { Lifetime, lifetimeOf, readShared } from '../handlers/lifetime.ts';
import { errorResponse, graphqlShape, sendError } from '../messages/errors.ts';
import { headerOf, mediaTypeOf, requestedHeight } from '../messages/headers.ts';
import { createEventStreams } from './eventStream.ts';
import { streamWriters } from './streamWriters.ts';

const methods: readonly string[] = ['GET', 'POST'];

/**
 * Creates the handler at `/graphql`: operations over GET and POST, and subscriptions as server-sent events or in Apollo's
 * multipart protocol.
 */
export function createGraphQLHandler(options: {
  readonly client: Client;
  readonly yoga: Yoga;
  readonly limits: Limits;
}): Handler {
  const { client, yoga, limits } = options;
  const maxBody = limits['http.body'];
  const facts = { limit: 'http.body', max: maxBody };
  const answers = createAnswerCache(client.memory, 'graphql');
  client.head.onRewind(answers.clear);
  const jsonBounds = jsonBoundsOf(limits);
  const sendEvents = createEventStreams();

  async function handle(request: IncomingMessage, response: ServerResponse, requestContext: RequestContext): Promise<void> {
    const { session, caller, record } = requestContext;
    response.setHeader('vary', 'Authorization, Accept, Origin');
    // The default. An error or a null may change with the next block, and the response depends on the scopes of the token.
    response.setHeader('cache-control', 'no-store');
    if (!methods.includes(request.method ?? '')) {
      const allow = { allow: methods.join(', ') };
      return sendError(response, errorResponse(405, 'BAD_USER_INPUT', 'Use GET or POST.', {}, allow), record);
    }
    if (request.method === 'POST' && mediaTypeOf(request) !== 'application/json') {
      const accepted = { 'accept-post': 'application/json' };
      return sendError(
        response,
        errorResponse(415, 'BAD_USER_INPUT', 'The content type must be `application/json`.', {}, accepted),
        record,
      );
    }
    const body = request.method === 'POST' ? await requestContext.body(maxBody) : undefined;
    if (body === null) {
      return sendError(
        response,
        errorResponse(413, 'BAD_USER_INPUT', `The body has more than ${maxBody} bytes (http.body).`, facts),
        record,
      );
    }
    const params = readParams(request.url ?? '/', body, jsonBounds);
    const named = {
      height: requestedHeight(request),
      minHeight: headerOf(request, minHeightHeader) ?? minHeightOf(body ?? request.url ?? '', params),
    };
    const picked = await pickHeight(client, named, limits, lifetimeOf(response));
    if (response.closed) return;
    const common = { client, session, record, caller, picked, params, limits };

    const format = streamFormatOf(request.headers.accept);
    if (format !== undefined) {
      const lifetime = lifetimeOf(response, limits['request.deadline'], requestContext.arrived);
      const context = createOperationContext({ ...common, signal: lifetime.signal });
      const answer = await yoga.fetch(fetchRequest(request), context);
      const { subscription } = context.outcome;
      // A client that accepts streams may have sent a query, whose response has one height. A stream has none.
      if (subscription === undefined && 'height' in picked) response.setHeader(heightHeader, picked.height.toString());
      response.writeHead(statusOf(answer, context), { ...Object.fromEntries(answer.headers), 'cache-control': 'no-store' });
      if (subscription !== undefined && answer.ok) {
        // A subscription has no deadline.
        lifetime.end();
        requestContext.releaseSlot();
        return sendEvents(subscription, response, record, streamWriters[format]);
      }
      subscription?.drop();
      response.end(Buffer.from(await answer.arrayBuffer()));
      return;
    }
    // Other callers may wait for the same response, so the reads run until all of them have disconnected.
    const reads = new Lifetime(limits['request.deadline'], requestContext.arrived);
    const make: MakeAnswer = ({ onAbandoned, cannotShare }) =>
      readShared(reads, onAbandoned, async (signal) => {
        const context = createOperationContext({ ...common, signal, cannotShare });
        const made = await yoga.fetch(fetchRequest(request), context);
        // A subscription is refused if the client accepts no stream.
        context.outcome.subscription?.drop();
        const bytes = Buffer.from(await made.arrayBuffer());
        return {
          answer: {
            status: statusOf(made, context),
            operation: record.operation,
            headers: Object.fromEntries([...made.headers].map(([name, value]) => [name.toLowerCase(), value])),
            body: bytes,
          },
          keep: context.outcome.immutable,
        };
      });
    const made = await answers.answer(
      'error' in picked ? undefined : keyOf(request, session, picked, body),
      lifetimeOf(response),
      make,
    );
    if (made === undefined) return;
    const { answer, hit } = made;

    record.operation = answer.operation;
    if ('height' in picked) response.setHeader(heightHeader, picked.height.toString());
    response.setHeader('cache-status', hit ? 'stele; hit' : 'stele; fwd=miss');
    response.writeHead(answer.status, answer.headers).end(answer.body);
  }

  return {
    surface: 'graphql',
    shape: graphqlShape,
    acceptsLargeBody: () => true,
    matches: (path) => path === '/graphql',
    handle,
  };
}

/**
 * Returns the status of a response. GraphQL over HTTP uses 200 for errors of a document. A request without a document is 400,
 * whatever media type the client accepts.
 */
function statusOf({ status }: Response, { outcome }: OperationContext): number {
  return status === 200 && !outcome.hasDocument ? 400 : status;
}

function keyOf(
  request: IncomingMessage,
  { viewer: { scopes } }: Session,
  at: { readonly chain: string; readonly height: bigint },
  body: Buffer | undefined,
): AnswerKey {
  const { method = 'GET', url = '/', headers } = request;
  const { chain, height } = at;
  const { accept = '', 'content-type': contentType = '' } = headers;
  return { chain, height, scopes, method, url, accept, contentType, body };
}

/** Returns the request without its body: the engine reads the parameters from the context. */
function fetchRequest(request: IncomingMessage): Request {
  return new Request(new URL(request.url ?? '/', 'http://localhost'), {
    method: request.method ?? 'GET',
    headers: headersOf(request),
  });
}

function headersOf(request: IncomingMessage): [string, string][] {
  return Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, Array.isArray(value) ? value.join(', ') : value] satisfies [string, string]],
  );
}

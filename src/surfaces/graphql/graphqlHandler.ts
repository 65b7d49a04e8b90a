import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Making, TextAt } from '../../answers/answer.ts';
import type { AnswerCache, Found, Made, RecalledRequest, RequestParts } from '../../answers/answerCache.ts';
import { type ProofRequest, proofHeader, quorumHeader, trustedHeader } from '../../answers/assurance.ts';
import { shownCost } from '../../answers/caller.ts';
import { jsonBoundsOf } from '../../answers/errors.ts';
import { heightHeader, heightsOfUrl, noHeights, type Picked, pickHeight } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import {
  heightsOf,
  type NamedDocuments,
  proofOf,
  quorumOf,
  type ResolvedParams,
  readParams,
} from '../../graphql/documents/requestParams.ts';
import { createOperationContext, type OperationContext } from '../../graphql/engine/context.ts';
import { type ExecuteHttp, httpTransport, surrogateKeyHeader } from '../../graphql/engine/httpOperation.ts';
import { streamFormatOf } from '../../graphql/subscriptions/payload.ts';
import { badInput } from '../../reads/errors.ts';
import type { Awaitable } from '../../reads/pin.ts';
import type { CacheTags } from '../../server/cacheTags.ts';
import { Lifetime, readShared } from '../../server/lifetime.ts';
import { forgetHeaders } from '../../server/messages/body.ts';
import { errorResponse, graphqlShape, sendError } from '../../server/messages/errors.ts';
import { assuranceInHeaders, cacheStatus, heightsInHeaders, mediaTypeOf } from '../../server/messages/requestHeaders.ts';
import type { Compression } from '../../server/messages/sendAnswer.ts';
import { sendAnswer } from '../../server/messages/sendAnswer.ts';
import type { Handler, RequestContext } from '../../server/router.ts';
import { createEventStreams, streamWriters } from './subscriptionStreams.ts';

const methods: readonly string[] = ['GET', 'POST'];

/** What the answers to all callers depend on, besides the URL. */
const varyOfAll = `Accept, Accept-Encoding, Origin, ${proofHeader}, ${trustedHeader}, ${quorumHeader}`;
const varyOfOwn = `Authorization, ${varyOfAll}`;

/** Headers of a stream. */
const streamHeaders = ['vary', 'Authorization, Accept, Origin', 'cache-control', 'no-store'];

/** `Cache-Control` of an answer that never changes, because its URL names its document by hash and its height. */
const lastingControl = {
  private: 'private, immutable, max-age=31536000',
  public: 'public, immutable, max-age=31536000',
} as const;

/** A request whose body is complete. */
interface Received {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly context: RequestContext;
  readonly parts: RequestParts & { readonly body: Buffer | undefined };
  readonly recalled: RecalledRequest | undefined;
  /** Whether its bytes name no document and no height, and ask for no proof and no quorum. */
  readonly isPlain: boolean;
  /** What its headers ask for. */
  readonly assurance: ReturnType<typeof assuranceInHeaders>;
}

/** A request whose document is known. */
interface Operation {
  readonly received: Received;
  readonly document: ResolvedParams;
  readonly lifetime: Lifetime;
  readonly proof: ProofRequest | undefined;
  readonly quorum: unknown;
  /** Whether its URL names the height or the time. */
  readonly isHeightInUrl: boolean;
  /** The context of the execution for this request. It stays undefined if another execution answers it. */
  ownContext: OperationContext | undefined;
}

/**
 * Creates the handler at `/graphql`: operations over GET and POST, and subscriptions as server-sent events or in Apollo's
 * multipart protocol.
 */
export function createGraphQLHandler(options: {
  readonly client: Client;
  readonly execute: ExecuteHttp;
  readonly answers: AnswerCache;
  readonly documents: NamedDocuments;
  /** Whether shared caches may keep answers to trusted documents at a height that the URL names. */
  readonly allowSharedCaches: boolean;
  /** Notes the tags of the answers that caches may keep. undefined if none may. */
  readonly tags?: Pick<CacheTags, 'send'> | undefined;
  readonly compression: Compression;
  readonly limits: Limits;
}): Handler {
  const { client, execute: executeHttp, answers, documents, allowSharedCaches, tags, compression, limits } = options;
  const maxBody = limits['http.body'];
  const facts = { limit: 'http.body', max: maxBody };
  const jsonBounds = jsonBoundsOf(limits);
  const sendEvents = createEventStreams();

  const taggedControl = `public, max-age=${Math.floor(limits['cacheTags.age'] / 1_000)}`;

  /** Whether a cache may keep an answer of a height, because it is told when it changes. */
  function sendTags(headers: readonly string[], height: bigint): boolean {
    const place = headers.indexOf(surrogateKeyHeader);
    return place >= 0 && tags?.send(headers[place + 1]?.split(' ') ?? [], height) === true;
  }

  // A request is answered in steps, each of which waits only if it has to: most answers are in memory, and async functions, or objects that are spread
  // into others, would take as long as all else here.

  function handle(request: IncomingMessage, response: ServerResponse, context: RequestContext): Awaitable<void> {
    const { method = '' } = request;
    if (!methods.includes(method)) {
      const allow = { allow: methods.join(', ') };
      return sendError(response, errorResponse(405, 'BAD_USER_INPUT', 'Use GET or POST.', {}, allow), context.record);
    }
    if (method === 'GET') return receive(request, response, context, undefined);
    if (mediaTypeOf(request) !== 'application/json') {
      const accepted = { 'accept-post': 'application/json' };
      return sendError(
        response,
        errorResponse(415, 'BAD_USER_INPUT', 'The content type must be `application/json`.', {}, accepted),
        context.record,
      );
    }
    return context.withBody(maxBody, (body) => {
      if (body !== null) return receive(request, response, context, body);
      return sendError(
        response,
        errorResponse(413, 'BAD_USER_INPUT', `The body has more than ${maxBody} bytes (http.body).`, facts),
        context.record,
      );
    });
  }

  /** Finds the document of a request. */
  function receive(
    request: IncomingMessage,
    response: ServerResponse,
    context: RequestContext,
    body: Buffer | undefined,
  ): Awaitable<void> {
    const { method = 'GET', url = '/', headers } = request;
    const { scopes } = context.session.viewer;
    const assurance = assuranceInHeaders(headers);
    let { accept = '' } = headers;
    if (assurance.proof !== undefined) accept += ` ${proofHeader} ${assurance.proof.trusted ?? ''}`;
    if (assurance.quorum !== undefined) accept += ` ${quorumHeader} ${assurance.quorum}`;
    const parts = { scopes, method, url, accept, contentType: headers['content-type'] ?? '', body };
    const recalled = answers.recall(parts);
    // The bytes of a request that got a cached answer before are not searched again.
    const isPlain = recalled?.isPlain === true || documents.isPlain(body ?? url);
    const received = { request, response, context, parts, recalled, isPlain, assurance };
    const params = readParams(url, body, jsonBounds);
    if (isPlain) return pick(received, { named: undefined, isTrusted: false, isRefused: false, params });
    const resolve = (): Awaitable<void> => pick(received, documents.resolve(params, scopes));
    const loading = documents.loadFor(params);
    return loading === undefined ? resolve() : loading.then(resolve);
  }

  /** Picks the height of a request. */
  function pick(received: Received, document: ResolvedParams): Awaitable<void> {
    const { request, response, context, parts, isPlain, assurance } = received;
    const { params } = document;
    const ofUrl = parts.body === undefined ? heightsOfUrl(parts.url) : noHeights;
    const ofHeaders = heightsInHeaders(request);
    const inExtensions = isPlain ? noHeights : heightsOf(params);
    const [heightText, blockTime] = [ofUrl.height ?? ofHeaders.height, ofUrl.time ?? ofHeaders.time];
    const isInExtensions = heightText === undefined && blockTime === undefined;
    const operation: Operation = {
      received,
      document,
      lifetime: new Lifetime({ response }),
      proof: assurance.proof ?? (isPlain ? undefined : proofOf(params)),
      quorum: assurance.quorum ?? (isPlain ? undefined : quorumOf(params)),
      isHeightInUrl: (ofUrl.height ?? ofUrl.time) !== undefined,
      ownContext: undefined,
    };
    const namedHeights = {
      height: isInExtensions ? inExtensions.height : heightText,
      time: isInExtensions ? inExtensions.time : blockTime,
      minHeight: ofHeaders.minHeight ?? inExtensions.minHeight,
      chain: inExtensions.chain,
      needsProof: operation.proof !== undefined,
    };
    const picked =
      ofUrl.height === undefined || ofHeaders.height === undefined || ofHeaders.height === ofUrl.height
        ? pickHeight(client, namedHeights, limits, operation.lifetime, context.caller)
        : { error: badInput('height', ofUrl.height, `the height in \`${heightHeader}\`, or absent`) };
    return picked instanceof Promise ? picked.then((height) => find(operation, height)) : find(operation, picked);
  }

  /** Finds the answer, or executes the operation. */
  function find(operation: Operation, picked: Picked): Awaitable<void> {
    const { received, document, lifetime } = operation;
    const { parts, recalled, isPlain } = received;
    if (received.response.closed) return undefined;
    const { scopes, method, url, accept, contentType } = parts;
    // The id of a named document may not identify its text.
    const keyBody =
      document.named === undefined
        ? parts.body
        : Buffer.concat([Buffer.from(`${document.named}\n`), parts.body ?? Buffer.alloc(0)]);
    const key =
      'error' in picked || document.isRefused
        ? undefined
        : { chain: picked.chain, height: picked.height, scopes, method, url, accept, contentType, body: keyBody };
    const recalledRequest = { recalled: document.named === undefined ? recalled : undefined, isPlain };
    const foundAnswer = answers.answer(key, lifetime, (making) => execute(operation, picked, making), recalledRequest);
    if (!(foundAnswer instanceof Promise)) return respond(operation, picked, foundAnswer, '');
    // An answer that prints the time is found only while it is known. It may be forgotten before the answer is sent.
    const time = ('height' in picked && client.head.timeAt(picked.height)) || '';
    return foundAnswer.then((answer) => respond(operation, picked, answer, time));
  }

  /** Executes the operation for all callers that wait for the same answer. */
  function execute(operation: Operation, picked: Picked, making: Making): Awaitable<Made> {
    const { request, context } = operation.received;
    const { session, caller, record } = context;
    const { proof, quorum } = operation;
    // Other callers may wait for the same response, so the reads run until all of them have disconnected. A subscription has no
    // deadline once it is open.
    const deadline = { milliseconds: limits['request.deadline'], startedAt: context.arrived, scope: record.span };
    return readShared(new Lifetime(deadline), making, (signal) => {
      const transport = httpTransport(request);
      operation.ownContext = createOperationContext({
        client,
        session,
        record,
        caller,
        picked,
        limits,
        signal,
        making,
        transport,
        proof,
        quorum,
        readParams: operation.document.params,
      });
      return executeHttp(operation.ownContext, transport);
    });
  }

  /** Sends an answer, which is undefined if the client has disconnected. It prints `time` if that of its block is not known any more. */
  function respond(operation: Operation, picked: Picked, answerFound: Found | undefined, time: string): Awaitable<void> {
    if (answerFound === undefined) return undefined;
    const { request, response, context } = operation.received;
    const { caller, record } = context;
    const { answer, source } = answerFound;
    record.operation = answer.operation;
    const outcome = operation.ownContext?.outcome;
    const subscription = outcome?.subscription;
    const format = subscription && streamFormatOf(request.headers.accept);
    if (subscription !== undefined && format !== undefined && answer.status === 200) {
      response.writeHead(answer.status, [...answer.headers, ...streamHeaders]);
      context.slot.end();
      operation.lifetime.end();
      forgetHeaders(request);
      return sendEvents(subscription, response, record, streamWriters[format]);
    }
    // The subscription is refused: the client accepts no stream.
    subscription?.drop();
    const height = 'height' in picked ? picked.height.toString() : '';
    const headers = answer.headers.concat('cache-status', cacheStatus[source]);
    if (height !== '') headers.push(heightHeader, height);
    const isLasting =
      operation.isHeightInUrl &&
      operation.document.isTrusted &&
      outcome?.immutable !== false &&
      answer.status === 200 &&
      !answer.body.places.includes('cost');
    headers.push('vary', isLasting && allowSharedCaches ? varyOfAll : varyOfOwn);
    const isTagged =
      tags !== undefined &&
      'height' in picked &&
      !answer.body.places.includes('cost') &&
      sendTags(answer.headers, picked.height);
    const control = isTagged ? taggedControl : 'no-store';
    headers.push('cache-control', isLasting ? lastingControl[allowSharedCaches ? 'public' : 'private'] : control);
    const textAt: TextAt = (place) => {
      if (place === 'cost') return JSON.stringify(shownCost(record, caller, limits));
      return place === 'height' ? height : ('height' in picked && client.head.timeAt(picked.height)) || time;
    };
    return sendAnswer(response, answerFound, headers, textAt, compression);
  }

  return {
    surface: 'graphql',
    shape: graphqlShape,
    acceptsLargeBody: () => true,
    paths: ['/graphql'],
    handle,
  };
}

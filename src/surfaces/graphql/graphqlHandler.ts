import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TextAt } from '../../answers/answer.ts';
import type { AnswerCache, MakeAnswer } from '../../answers/answerCache.ts';
import { proofHeader, quorumHeader, trustedHeader } from '../../answers/assurance.ts';
import { shownCost } from '../../answers/caller.ts';
import { jsonBoundsOf } from '../../answers/errors.ts';
import { heightHeader, heightsOfUrl, noHeights, pickHeight } from '../../answers/pickHeight.ts';
import type { Client } from '../../chain/client.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { heightsOf, type NamedDocuments, proofOf, quorumOf, readParams } from '../../graphql/documents/requestParams.ts';
import { createOperationContext, type OperationContext } from '../../graphql/engine/context.ts';
import { type ExecuteHttp, httpTransport, surrogateKeyHeader } from '../../graphql/engine/httpOperation.ts';
import { streamFormatOf } from '../../graphql/subscriptions/payload.ts';
import { badInput } from '../../reads/errors.ts';
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
  const { client, execute, answers, documents, allowSharedCaches, tags, compression, limits } = options;
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

  async function handle(request: IncomingMessage, response: ServerResponse, requestContext: RequestContext): Promise<void> {
    const { session, caller, record } = requestContext;
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
    const { method = 'GET', url = '/', headers: sentHeaders } = request;
    const { 'content-type': contentType = '' } = sentHeaders;
    const { proof: proofOfHeaders, quorum: quorumOfHeaders } = assuranceInHeaders(sentHeaders);
    let { accept = '' } = sentHeaders;
    if (proofOfHeaders !== undefined) accept += ` ${proofHeader} ${proofOfHeaders.trusted ?? ''}`;
    if (quorumOfHeaders !== undefined) accept += ` ${quorumHeader} ${quorumOfHeaders}`;
    const { scopes } = session.viewer;
    const recalled = answers.recall({ scopes, method, url, accept, contentType, body });
    const givenParams = readParams(url, body, jsonBounds);
    // The bytes of a request that got a cached answer before are not searched again.
    const isPlain = recalled?.isPlain === true || documents.isPlain(body ?? url);
    const loading = isPlain ? undefined : documents.loadFor(givenParams);
    if (loading !== undefined) await loading;
    const document = isPlain
      ? { named: undefined, isTrusted: false, params: givenParams, isRefused: false }
      : documents.resolve(givenParams, scopes);
    const { params } = document;
    const ofUrl = body === undefined ? heightsOfUrl(url) : noHeights;
    const ofHeaders = heightsInHeaders(request);
    const inExtensions = isPlain ? noHeights : heightsOf(params);
    const [heightText, blockTime] = [ofUrl.height ?? ofHeaders.height, ofUrl.time ?? ofHeaders.time];
    const proof = proofOfHeaders ?? (isPlain ? undefined : proofOf(params));
    const quorum = quorumOfHeaders ?? (isPlain ? undefined : quorumOf(params));
    const isInExtensions = heightText === undefined && blockTime === undefined;
    const namedHeights = {
      height: isInExtensions ? inExtensions.height : heightText,
      time: isInExtensions ? inExtensions.time : blockTime,
      minHeight: ofHeaders.minHeight ?? inExtensions.minHeight,
      chain: inExtensions.chain,
      needsProof: proof !== undefined,
    };
    const lifetime = new Lifetime({ response });
    const pick =
      ofUrl.height === undefined || ofHeaders.height === undefined || ofHeaders.height === ofUrl.height
        ? pickHeight(client, namedHeights, limits, lifetime, caller)
        : { error: badInput('height', ofUrl.height, `the height in \`${heightHeader}\`, or absent`) };
    const picked = pick instanceof Promise ? await pick : pick;
    if (response.closed) return;
    // An answer that prints the time is found only while it is known. It may be forgotten before the answer is sent.
    const time = ('height' in picked && client.head.timeAt(picked.height)) || '';
    /** The context of the execution for this request. It stays undefined if another execution answers it. */
    let ownContext: OperationContext | undefined;
    // Other callers may wait for the same response, so the reads run until all of them have disconnected. A subscription has no
    // deadline once it is open.
    const deadline = { milliseconds: limits['request.deadline'], startedAt: requestContext.arrived, scope: record.span };
    const make: MakeAnswer = (making) =>
      readShared(new Lifetime(deadline), making, (signal) => {
        const transport = httpTransport(request);
        ownContext = createOperationContext({
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
          readParams: params,
        });
        return execute(ownContext, transport);
      });
    // The id of a named document may not identify its text.
    const keyBody =
      document.named === undefined ? body : Buffer.concat([Buffer.from(`${document.named}\n`), body ?? Buffer.alloc(0)]);
    const key =
      'error' in picked || document.isRefused
        ? undefined
        : { chain: picked.chain, height: picked.height, scopes, method, url, accept, contentType, body: keyBody };
    const recalledRequest = { recalled: document.named === undefined ? recalled : undefined, isPlain };
    const foundAnswer = answers.answer(key, lifetime, make, recalledRequest);
    const madeAnswer = foundAnswer instanceof Promise ? await foundAnswer : foundAnswer;
    if (madeAnswer === undefined) return;
    const { answer, source } = madeAnswer;

    record.operation = answer.operation;
    const outcome = ownContext?.outcome;
    const subscription = outcome?.subscription;
    const format = subscription && streamFormatOf(request.headers.accept);
    if (subscription !== undefined && format !== undefined && answer.status === 200) {
      response.writeHead(answer.status, [...answer.headers, ...streamHeaders]);
      requestContext.slot.end();
      lifetime.end();
      forgetHeaders(request);
      return sendEvents(subscription, response, record, streamWriters[format]);
    }
    // The subscription is refused: the client accepts no stream.
    subscription?.drop();
    const height = 'height' in picked ? picked.height.toString() : '';
    const headers = [...answer.headers, 'cache-status', cacheStatus[source]];
    if (height !== '') headers.push(heightHeader, height);
    const isLasting =
      (ofUrl.height ?? ofUrl.time) !== undefined &&
      document.isTrusted &&
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
    return sendAnswer(response, madeAnswer, headers, textAt, compression);
  }

  return {
    surface: 'graphql',
    shape: graphqlShape,
    acceptsLargeBody: () => true,
    paths: ['/graphql'],
    handle,
  };
}

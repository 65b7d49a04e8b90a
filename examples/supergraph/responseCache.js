import { timingSafeEqual } from 'node:crypto';
import { createInMemoryCache, useResponseCache } from '@graphql-yoga/plugin-response-cache';

/** How long an answer is kept if no invalidation reaches the gateway, in ms. The `max-age` of a subgraph can only shorten it. */
const longest = 3_600_000;

const isEqual = (one, other) => one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

/**
 * The response cache of Hive Gateway, whose entries have the tags of the subgraphs (`Surrogate-Key`). `POST /invalidation` with `{"tags":[…]}` and the header
 * `Authorization: key` drops the answers with these tags. Only answers of which each subgraph allows it are kept. An answer with a tag that is invalidated while it is on
 * its way is not kept. Returns a plugin.
 */
export function createTaggedCache({ key, onDrop = () => {}, onHit = () => {} }) {
  const memory = createInMemoryCache({ max: 10_000 });
  /** What the subgraphs said about each answer that is being made, by its id. */
  const making = new Map();
  const ids = new WeakMap();
  /** The tags that each kept answer has, for `onDrop`. */
  const kept = new Map();
  /** When each tag was invalidated last while answers were being made. */
  const dropped = new Map();
  let count = 0;

  const cache = {
    get(id) {
      const answer = memory.get(id);
      if (answer) onHit(id);
      return answer;
    },
    set(id, answer, _entities, ttl) {
      const made = making.get(id);
      making.delete(id);
      if (made === undefined || made.tags.size === 0 || !made.mayKeep) return;
      for (const tag of made.tags) if ((dropped.get(tag) ?? 0) > made.since) return;
      kept.set(id, made.tags);
      memory.set(
        id,
        answer,
        [...made.tags].map((typename) => ({ typename })),
        Math.min(ttl, made.maxAge * 1000),
      );
    },
    invalidate: memory.invalidate,
  };

  function invalidate(tags) {
    count += 1;
    if (making.size > 0) for (const tag of tags) dropped.set(tag, count);
    for (const [id, own] of kept) {
      if (!tags.some((tag) => own.has(tag))) continue;
      kept.delete(id);
      onDrop(id, memory.get(id));
    }
    memory.invalidate(tags.map((typename) => ({ typename })));
  }

  return {
    onPluginInit({ addPlugin }) {
      addPlugin(
        useResponseCache({
          session: (request) => request.headers.get('authorization'),
          ttl: longest,
          cache,
          buildResponseCacheKey({ documentString, variableValues, operationName, sessionId, request }) {
            const id = JSON.stringify([documentString, variableValues ?? {}, operationName ?? '', sessionId ?? '']);
            ids.set(request, id);
            return id;
          },
        }),
      );
    },
    async onRequest({ request, url, endResponse, fetchAPI }) {
      if (request.method !== 'POST' || url.pathname !== '/invalidation') return;
      if (!isEqual(request.headers.get('authorization') ?? '', key))
        return endResponse(new fetchAPI.Response(null, { status: 401 }));
      const { tags } = await request.json();
      invalidate(tags);
      endResponse(new fetchAPI.Response(null, { status: 204 }));
    },
    onResponse({ request }) {
      making.delete(ids.get(request));
      if (making.size === 0) dropped.clear();
    },
    onFetch({ context }) {
      const id = context?.request && ids.get(context.request);
      if (id === undefined) return undefined;
      const made = making.get(id) ?? { tags: new Set(), mayKeep: true, maxAge: longest, since: count };
      making.set(id, made);
      return ({ response }) => {
        for (const tag of response.headers.get('surrogate-key')?.split(' ') ?? []) made.tags.add(tag);
        const [, maxAge] = /max-age=(\d+)/.exec(response.headers.get('cache-control') ?? '') ?? [];
        if (maxAge === undefined) made.mayKeep = false;
        else made.maxAge = Math.min(made.maxAge, Number(maxAge));
      };
    },
  };
}

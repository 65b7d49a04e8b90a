import {
  type Exchange,
  makeErrorResult,
  makeResult,
  type Operation,
  type OperationResult,
  stringifyDocument,
} from '@urql/core';
import { filter, make, merge, mergeMap, pipe, share, takeUntil } from 'wonka';
import type { Client } from '../client.ts';
import { isLive } from './live.ts';
import { observe } from './observe.ts';

function resultsOf(client: Client, operation: Operation) {
  const { kind, query, variables, context } = operation;
  const { height, minHeight } = context;
  return make<OperationResult>((observer) =>
    observe(
      client,
      { type: kind, isLive: isLive(query), query: stringifyDocument(query), variables, height, minHeight },
      {
        next: (result) => observer.next(makeResult(operation, result)),
        error(error) {
          observer.next(makeErrorResult(operation, error instanceof Error ? error : new Error(String(error))));
          observer.complete();
        },
        complete: observer.complete,
      },
    ),
  );
}

/**
 * An exchange for urql that runs all operations on the client. It takes the place of `fetchExchange` and `subscriptionExchange`. Queries with `@live` are
 * live queries: use `requestPolicy: 'network-only'`. `height` and `minHeight` are read from the context of a query.
 */
export function steleExchange(client: Client): Exchange {
  return ({ forward }) =>
    (operations) => {
      const all = share(operations);
      const results = pipe(
        all,
        filter(({ kind }) => kind !== 'teardown'),
        mergeMap((operation) => {
          const isEnd = ({ kind, key }: Operation): boolean => kind === 'teardown' && key === operation.key;
          return pipe(resultsOf(client, operation), takeUntil(pipe(all, filter(isEnd))));
        }),
      );
      const others = pipe(
        all,
        filter(({ kind }) => kind === 'teardown'),
        forward,
      );
      return merge([results, others]);
    };
}

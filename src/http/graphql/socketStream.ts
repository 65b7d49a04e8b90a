import type { ExecutionResult } from 'graphql';
import type { Context } from 'graphql-ws';
import { noteErrors, type RequestRecord } from '../../graphql/request/requestRecord.ts';
import type { OpenSubscription } from '../../graphql/subscriptions/subscriptions.ts';
import type { SocketConnection } from './socketConnection.ts';

/** A socket in the protocol library. */
export type Socket = Context<undefined, SocketConnection>;

const over = { done: true, value: undefined } as const;

/**
 * Starts a subscription on a socket. The protocol library gets an iterator without events: its `next` waits for the end, and
 * the payloads go to the socket directly. After an `error` message, it must not send `complete`. It only does so for ids in
 * `subscriptions`, so the id is deleted there.
 */
export function beginStream(
  subscription: OpenSubscription,
  { subscriptions, extra }: Socket,
  id: string,
  record: RequestRecord,
): AsyncIterableIterator<ExecutionResult> {
  let finish: (() => void) | undefined;
  const end = new Promise<IteratorResult<ExecutionResult>>((resolve) => {
    finish = () => resolve(over);
  });
  const leave = subscription.begin(
    extra.sink(id, (errors) => {
      noteErrors(record, errors);
      if (errors !== undefined) delete subscriptions[id];
      finish?.();
    }),
  );
  return {
    next: () => end,
    async return() {
      leave();
      finish?.();
      return over;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

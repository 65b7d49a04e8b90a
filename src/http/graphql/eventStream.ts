import type { ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { noteErrors, type RequestRecord } from '../../graphql/request/requestRecord.ts';
import type { OpenSubscription } from '../../graphql/subscriptions/subscriptions.ts';
import { onceSent } from '../messages/onceSent.ts';
import type { StreamWriter } from './streamWriters.ts';

/** Time between heartbeats, ms. */
const heartbeatInterval = 12_000;

/** How long a caller who reads nothing may take to hear that the stream is over, ms. */
const lingering = 24_000;

/** Sends a subscription until it is over or the caller has left. The head of the answer was written. */
export function sendEvents(
  subscription: OpenSubscription,
  response: ServerResponse,
  record: RequestRecord,
  writer: StreamWriter,
): void {
  record.stream = writer.surface;
  if (response.destroyed) {
    subscription.drop();
    return;
  }
  // Whoever is slow to read is told so by the subscription.
  response.setTimeout(0);
  const heartbeats = setInterval(() => {
    if (!response.writableNeedDrain) response.write(writer.heartbeat);
  }, heartbeatInterval);
  response.write(writer.start);

  function finish(errors: readonly GraphQLError[] | undefined, last: string): void {
    clearInterval(heartbeats);
    noteErrors(record, errors);
    if (errors !== undefined) response.write(writer.errors(errors));
    response.end(last);
    response.setTimeout(lingering, () => response.destroy());
  }

  const leave = subscription.begin({
    send: (payload) => writer.write(response, payload),
    isFull: () => response.writableNeedDrain,
    onceDrained(wake) {
      response.once('drain', wake);
      return () => response.off('drain', wake);
    },
    // The bytes of an event are made once for all who read it in this way.
    copies: () => false,
    unsent: () => response.writableLength,
    onceSent: (sent) => onceSent(response, sent),
    destroy: () => response.destroy(),
    end: (errors) => finish(errors, writer.complete),
    interrupt: (error) => finish([error], writer.interrupted),
  });
  response.once('close', () => {
    clearInterval(heartbeats);
    leave();
  });
}

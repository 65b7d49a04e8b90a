import type { ServerResponse } from 'node:http';
import type { GraphQLError } from 'graphql';
import { noteErrors, type RequestRecord } from '../../graphql/request/requestRecord.ts';
import type { OpenSubscription } from '../../graphql/subscriptions/subscriptions.ts';
import { onceSent } from '../messages/onceSent.ts';
import type { StreamWriter } from './streamWriters.ts';

/** Time between heartbeats, in ms. */
const heartbeatInterval = 12_000;

/** How long a client that reads nothing may take to read the end of the stream, in ms. */
const endTimeout = 24_000;

/** Sends a subscription until it is over or the client disconnects. The head of the response must be written. */
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
  // The subscription ends slow readers itself.
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
    response.setTimeout(endTimeout, () => response.destroy());
  }

  const unsubscribe = subscription.begin({
    send: (payload) => writer.write(response, payload),
    isFull: () => response.writableNeedDrain,
    onceDrained(wake) {
      response.once('drain', wake);
      return () => response.off('drain', wake);
    },
    // The bytes of an event are shared by all streams of this format.
    copies: () => false,
    unsent: () => response.writableLength,
    onceSent: (sent) => onceSent(response, sent),
    destroy: () => response.destroy(),
    end: (errors) => finish(errors, writer.complete),
    interrupt: (error) => finish([error], writer.interrupted),
  });
  response.once('close', () => {
    clearInterval(heartbeats);
    unsubscribe();
  });
}

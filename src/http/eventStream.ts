import type { ServerResponse } from 'node:http';
import { noteErrors, type RequestRecord } from '../graphql/requestRecord.ts';
import { eventFrame, nextEvent, type Payload } from '../graphql/subscriptions/payload.ts';
import type { OpenSubscription } from '../graphql/subscriptions/subscriptions.ts';
import { largestCopied } from './socketFrames.ts';
import { onceSent } from './unsent.ts';

/** Time between comments that keep the connection alive, ms. */
const pingInterval = 12_000;

/** How long a caller who reads nothing may take to hear that the stream is over, ms. */
const lingering = 24_000;

/** A comment. Browsers show nothing of a stream before its first bytes. */
const comment = ':\n\n';

/** The end of a stream (graphql-sse, distinct connections mode). */
const complete = 'event: complete\ndata:\n\n';

/** Sends one event. What is large goes without a copy of its own. */
function sendEvent(response: ServerResponse, payload: Payload): void {
  if (payload.json.length <= largestCopied) return void response.write(payload.sse);
  const [head, end] = eventFrame;
  response.write(head);
  response.write(payload.json);
  response.write(end);
}

/** Sends a subscription as server-sent events, until it is over or the caller has left. The head of the answer was written. */
export function sendEvents(subscription: OpenSubscription, response: ServerResponse, record: RequestRecord): void {
  record.streams = true;
  if (response.destroyed) {
    subscription.drop();
    return;
  }
  // Whoever is slow to read is told so by the subscription.
  response.setTimeout(0);
  const pings = setInterval(() => {
    if (!response.writableNeedDrain) response.write(comment);
  }, pingInterval);
  response.write(comment);
  const leave = subscription.begin({
    send: (payload) => sendEvent(response, payload),
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
    end(errors) {
      clearInterval(pings);
      noteErrors(record, errors);
      if (errors !== undefined) response.write(nextEvent(JSON.stringify({ errors })));
      response.end(complete);
      response.setTimeout(lingering, () => response.destroy());
    },
  });
  response.once('close', () => {
    clearInterval(pings);
    leave();
  });
}

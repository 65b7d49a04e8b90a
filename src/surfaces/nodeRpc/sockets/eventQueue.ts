import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { BacklogPlace } from '../../../answers/caller.ts';
import { onceSent } from '../../../server/messages/sendAnswer.ts';
import { largestCopied, sendAround } from '../../../server/sockets/socketFrames.ts';
import type { NodeEvent } from '../eventJson.ts';

/** The sink of one subscription: the text before and after the part of an event that all subscribers share. */
export interface EventSink {
  readonly head: string;
  readonly tail: string;
  /** Number and size in bytes of the events that wait for the socket. */
  waiting: number;
  bytes: number;
}

/** The events that wait until a socket can send them. */
export interface SocketQueue {
  /**
   * Sends an event, or queues it. Returns false if too many events of the subscription wait, because the client reads too
   * slowly.
   */
  send(sink: EventSink, event: NodeEvent): boolean;
  /** Resolves when the queue is empty and the socket has sent its data, or when the socket is closed. */
  ready(): Promise<void>;
  /** Discards the waiting events of one subscription, or of all. */
  discard(sink?: EventSink): void;
}

/**
 * Creates the queue of a socket. `duplex` is its connection. A single waiting event is within the limits, whatever its size.
 */
export function createSocketQueue(
  socket: WebSocket,
  duplex: Duplex,
  place: BacklogPlace,
  limits: { readonly maxEvents: number; readonly maxBytes: number },
): SocketQueue {
  let queue: { readonly sink: EventSink; readonly event: NodeEvent }[] = [];
  let isWaiting = false;
  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  const isFull = (): boolean => duplex.writableNeedDrain;

  function sendNow({ head, tail }: EventSink, event: NodeEvent): void {
    const json = event.json();
    sendAround(socket, head, json, tail);
    if (!isFull() || duplex.writableLength === 0) return;
    onceSent(duplex, place.send(json.length <= largestCopied ? {} : event, json.length));
  }

  function flush(): void {
    isWaiting = false;
    while (isOpen() && !isFull()) {
      const next = queue.shift();
      if (next === undefined) return;
      const { sink, event } = next;
      sink.waiting -= 1;
      sink.bytes -= event.json().length;
      place.unqueue(event, event.json().length);
      sendNow(sink, event);
    }
    if (isOpen() && queue.length > 0) wait();
  }

  function wait(): void {
    if (isWaiting) return;
    isWaiting = true;
    duplex.once('drain', flush);
  }

  return {
    send(sink, event) {
      if (!isOpen()) return true;
      if (queue.length === 0 && !isFull()) {
        sendNow(sink, event);
        return true;
      }
      sink.waiting += 1;
      sink.bytes += event.json().length;
      queue.push({ sink, event });
      wait();
      place.queue(event, event.json().length);
      return sink.waiting === 1 || (sink.waiting <= limits.maxEvents && sink.bytes <= limits.maxBytes);
    },
    async ready() {
      while (isOpen() && (isFull() || queue.length > 0)) {
        await new Promise<void>((resolve) => {
          const done = (): void => {
            duplex.off('drain', done);
            socket.off('close', done);
            resolve();
          };
          duplex.once('drain', done);
          socket.once('close', done);
        });
      }
    },
    discard(sink) {
      const discarded = queue.filter((each) => sink === undefined || each.sink === sink);
      queue = queue.filter((each) => sink !== undefined && each.sink !== sink);
      for (const { event } of discarded) place.unqueue(event, event.json().length);
    },
  };
}

import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import type { BacklogPlace } from '../../../graphql/request/caller.ts';
import { onceSent } from '../../messages/onceSent.ts';
import { largestCopied, sendAround } from '../../sockets/socketFrames.ts';
import type { NodeEvent } from '../eventJson.ts';

/** Where the events of one subscription go: the text before and behind what they share with everybody's. */
export interface EventOutlet {
  readonly head: string;
  readonly tail: string;
  /** Events that wait for the socket, and their bytes. */
  waiting: number;
  bytes: number;
}

/** The events of one socket that wait until it has room. */
export interface SocketQueue {
  /** Sends an event, now or in its turn. False when too many of its subscription wait already: the client is too slow. */
  send(outlet: EventOutlet, event: NodeEvent): boolean;
  /** Resolves when the socket has room, or is closed. */
  ready(): Promise<void>;
  /** Forgets what waits: of one subscription, or of all. */
  forget(outlet?: EventOutlet): void;
}

/** Makes the queue of a socket; `duplex` is what lies under it. An event that comes alone is within the limits, whatever its size. */
export function createSocketQueue(
  socket: WebSocket,
  duplex: Duplex,
  place: BacklogPlace,
  limits: { readonly maxEvents: number; readonly maxBytes: number },
): SocketQueue {
  let queue: { readonly outlet: EventOutlet; readonly event: NodeEvent }[] = [];
  let isWaiting = false;
  const isOpen = (): boolean => socket.readyState === socket.OPEN;
  const isFull = (): boolean => duplex.writableNeedDrain;

  function sendNow({ head, tail }: EventOutlet, event: NodeEvent): void {
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
      const { outlet, event } = next;
      outlet.waiting -= 1;
      outlet.bytes -= event.json().length;
      place.unqueue(event, event.json().length);
      sendNow(outlet, event);
    }
    if (isOpen() && queue.length > 0) wait();
  }

  function wait(): void {
    if (isWaiting) return;
    isWaiting = true;
    duplex.once('drain', flush);
  }

  return {
    send(outlet, event) {
      if (!isOpen()) return true;
      if (queue.length === 0 && !isFull()) {
        sendNow(outlet, event);
        return true;
      }
      outlet.waiting += 1;
      outlet.bytes += event.json().length;
      queue.push({ outlet, event });
      wait();
      place.queue(event, event.json().length);
      return outlet.waiting === 1 || (outlet.waiting <= limits.maxEvents && outlet.bytes <= limits.maxBytes);
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
    forget(outlet) {
      const forgotten = queue.filter((each) => outlet === undefined || each.outlet === outlet);
      queue = queue.filter((each) => outlet !== undefined && each.outlet !== outlet);
      for (const { event } of forgotten) place.unqueue(event, event.json().length);
    },
  };
}

import type { WebSocket } from 'ws';
import type { Turns } from './turns.ts';

/** A message and the time of its arrival. */
interface Message {
  readonly bytes: Buffer;
  readonly received: number;
}

/**
 * Creates the queues of the messages that wait for the turn of their caller, one for each connection. Messages of a connection
 * are handled in the order of arrival. While one waits, its socket is paused, so that the queue contains no more than one chunk
 * of the socket. Returns the function that adds a message with its time of arrival.
 */
export function createTurnQueues<C extends object>({
  turns,
  socket,
  caller,
  handle,
}: {
  readonly turns: Turns;
  readonly socket: (connection: C) => WebSocket;
  /** The caller. While it is undefined, because the connection is not authenticated yet, messages do not wait. */
  readonly caller: (connection: C) => string | undefined;
  readonly handle: (connection: C, bytes: Buffer, received: number) => void;
}): (connection: C, bytes: Buffer, received: number) => void {
  /** The messages that wait. A connection without any has no entry. */
  const queues = new WeakMap<C, Message[]>();

  async function work(connection: C, waiting: Message[], begun: Promise<void>): Promise<void> {
    let turn: Promise<void> | undefined = begun;
    for (;;) {
      await turn;
      const next = waiting.shift();
      if (next !== undefined) handle(connection, next.bytes, next.received);
      if (waiting.length === 0) break;
      turn = requestTurn(connection);
    }
    queues.delete(connection);
    socket(connection).resume();
  }

  /** Requests a turn. undefined if the message may be handled at once. */
  function requestTurn(connection: C): Promise<void> | undefined {
    const owner = caller(connection);
    const turn = owner === undefined ? undefined : turns.take(owner);
    if (turn === undefined) return undefined;
    socket(connection).once('close', turn.cancel);
    return turn.begun.then(() => void socket(connection).off('close', turn.cancel));
  }

  return (connection, bytes, received) => {
    const waiting = queues.get(connection);
    if (waiting !== undefined) {
      waiting.push({ bytes, received });
      return;
    }
    const begun = requestTurn(connection);
    if (begun === undefined) return handle(connection, bytes, received);
    const queue = [{ bytes, received }];
    queues.set(connection, queue);
    socket(connection).pause();
    void work(connection, queue, begun);
  };
}

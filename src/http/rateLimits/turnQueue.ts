import type { WebSocket } from 'ws';
import type { Turns } from './turns.ts';

/**
 * Creates the queue of the messages of a socket that wait for the turn of their caller. Messages are handled in the order of
 * arrival. While one waits, the socket is paused, so that the queue contains no more than one chunk of the socket. Returns the
 * function that adds a message with its time of arrival.
 */
export function createTurnQueue({
  socket,
  turns,
  caller,
  handle,
}: {
  readonly socket: WebSocket;
  readonly turns: Turns;
  /** The caller. While it is undefined, because the socket is not authenticated yet, messages do not wait. */
  readonly caller: () => string | undefined;
  readonly handle: (message: Buffer, received: number) => void;
}): (message: Buffer, received: number) => void {
  const waiting: { readonly message: Buffer; readonly received: number }[] = [];

  async function work(begun: Promise<void>): Promise<void> {
    let turn: Promise<void> | undefined = begun;
    for (;;) {
      await turn;
      const next = waiting.shift();
      if (next !== undefined) handle(next.message, next.received);
      if (waiting.length === 0) return socket.resume();
      turn = requestTurn();
    }
  }

  /** Requests a turn. undefined if the message may be handled at once. */
  function requestTurn(): Promise<void> | undefined {
    const owner = caller();
    const turn = owner === undefined ? undefined : turns.take(owner);
    if (turn === undefined) return undefined;
    socket.once('close', turn.cancel);
    return turn.begun.then(() => void socket.off('close', turn.cancel));
  }

  return (message, received) => {
    if (waiting.length > 0) {
      waiting.push({ message, received });
      return;
    }
    const begun = requestTurn();
    if (begun === undefined) return handle(message, received);
    waiting.push({ message, received });
    socket.pause();
    void work(begun);
  };
}

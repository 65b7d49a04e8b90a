import type { WebSocket } from 'ws';
import type { Turns } from './turns.ts';

/**
 * Makes the queue of the messages of a socket that wait for the turn of its caller. They are taken in the order in which they came. While one waits,
 * nothing more is read of the socket, so that what waits is no more than came in one piece.
 */
export function createTurnQueue({
  socket,
  turns,
  caller,
  take,
}: {
  readonly socket: WebSocket;
  readonly turns: Turns;
  /** Whose turn it is; undefined while that is not known: then nothing waits. */
  readonly caller: () => string | undefined;
  readonly take: (message: Buffer, received: number) => void;
}): (message: Buffer, received: number) => void {
  const waiting: { readonly message: Buffer; readonly received: number }[] = [];

  async function work(begun: Promise<void>): Promise<void> {
    let turn: Promise<void> | undefined = begun;
    for (;;) {
      await turn;
      const next = waiting.shift();
      if (next !== undefined) take(next.message, next.received);
      if (waiting.length === 0) return socket.resume();
      turn = ask();
    }
  }

  /** Asks for a turn; undefined if it has come. */
  function ask(): Promise<void> | undefined {
    const owner = caller();
    const turn = owner === undefined ? undefined : turns.take(owner);
    if (turn === undefined) return undefined;
    socket.once('close', turn.leave);
    return turn.begun.then(() => void socket.off('close', turn.leave));
  }

  return (message, received) => {
    if (waiting.length > 0) {
      waiting.push({ message, received });
      return;
    }
    const begun = ask();
    if (begun === undefined) return take(message, received);
    waiting.push({ message, received });
    socket.pause();
    void work(begun);
  };
}

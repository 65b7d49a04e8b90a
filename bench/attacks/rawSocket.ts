import { connect, type Socket } from 'node:net';
import { noteAnswer } from './answers.ts';

/** Opens a connection. undefined if it is refused or the attack is over. */
export function openRaw(url: string, signal: AbortSignal): Promise<Socket | undefined> {
  if (signal.aborted) return Promise.resolve(undefined);
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect(Number(port), hostname);
    const stop = (): unknown => socket.destroy();
    signal.addEventListener('abort', stop);
    socket.once('connect', () => resolve(socket));
    socket.once('close', () => {
      signal.removeEventListener('abort', stop);
      resolve(undefined);
    });
    socket.on('error', (error: NodeJS.ErrnoException) => noteAnswer(error.code ?? 'error'));
  });
}

/** Resolves when the socket is closed, or after a number of milliseconds. */
export function closed(socket: Socket, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve();
    const timer = setTimeout(resolve, milliseconds);
    socket.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

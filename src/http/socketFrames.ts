import type { WebSocket } from 'ws';

/** Bytes up to this are copied into one frame; above, a copy for each client costs more than two further frames. */
export const largestCopied = 16 * 1024;

/** Sends one message of text, `head`, `shared` and `tail`, in one frame or in three. `shared` are the same bytes for every socket. */
export function sendAround(socket: WebSocket, head: string, shared: Buffer, tail: string): void {
  if (shared.length > largestCopied) {
    socket.send(head, { fin: false });
    socket.send(shared, { binary: false, fin: false });
    socket.send(tail);
    return;
  }
  const [before, after] = [Buffer.byteLength(head), Buffer.byteLength(tail)];
  const message = Buffer.allocUnsafe(before + shared.length + after);
  message.write(head);
  shared.copy(message, before);
  message.write(tail, before + shared.length);
  socket.send(message, { binary: false });
}

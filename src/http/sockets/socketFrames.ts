import type { WebSocket } from 'ws';

/** Bytes up to this are copied into one frame; above, a copy for each client costs more than two further frames. */
export const largestCopied = 16 * 1024;

/** Longest reason that a close frame holds, in bytes (RFC 6455, 5.5). */
const longestReason = 123;

/** Closes a socket, with as much of the reason as a close frame holds: it may repeat what a client has sent. */
export function closeWith(socket: WebSocket, code?: number, reason = ''): void {
  const bytes = Buffer.from(reason);
  // A character that the cut has halved would be no text.
  const cut = bytes.length <= longestReason ? reason : bytes.toString('utf8', 0, longestReason).replace(/\ufffd+$/, '');
  socket.close(code, cut);
}

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

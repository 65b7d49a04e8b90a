import type { WebSocket } from 'ws';

/**
 * Payloads up to this size, in bytes, are copied into one frame. For larger ones, a copy for each client costs more than two
 * further frames.
 */
export const largestCopied = 16 * 1024;

/** Longest reason in a close frame, in bytes (RFC 6455, 5.5). */
const maxReason = 123;

/** Closes a socket. Cuts the reason to the size of a close frame, because it may contain text from the client. */
export function closeWith(socket: WebSocket, code?: number, reason = ''): void {
  const bytes = Buffer.from(reason);
  // Removes the rest of a character that was cut.
  const cut = bytes.length <= maxReason ? reason : bytes.toString('utf8', 0, maxReason).replace(/\ufffd+$/, '');
  socket.close(code, cut);
}

/** Sends a text message with a frame for each piece. `sent` is called when it was written to the network, or could not be. */
export function sendFrames(socket: WebSocket, pieces: readonly Buffer[], sent: () => void): void {
  const last = pieces.length - 1;
  pieces.forEach((piece, index) => {
    socket.send(piece, { binary: false, fin: index === last }, index === last ? sent : undefined);
  });
}

/**
 * Sends the text message `head` + `shared` + `tail`, in one frame or in three. `shared` is the same buffer for every socket.
 */
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

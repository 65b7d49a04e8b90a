import type { ServerResponse } from 'node:http';

/** Sends a response whose body is in pieces, in one write to the network. */
export function sendPieces(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  pieces: readonly Buffer[],
): void {
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(status, { ...headers, 'content-length': length });
  response.cork();
  // Node omits the body of a response to HEAD.
  for (const piece of pieces) response.write(piece);
  response.end();
  response.uncork();
}

import type { ServerResponse } from 'node:http';

/**
 * Sends a response whose body is in pieces, in one write to the network. `headers` are names and values in turn, as Node writes them fastest. The
 * list belongs to the response from then on.
 */
export function sendPieces(response: ServerResponse, status: number, headers: string[], pieces: readonly Buffer[]): void {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  headers.push('content-length', String(length));
  response.writeHead(status, headers);
  const last = pieces.length - 1;
  if (last > 0) response.cork();
  // Node omits the body of a response to HEAD.
  for (let index = 0; index < last; index += 1) response.write(pieces[index]);
  response.end(pieces[last]);
}

import type { ServerResponse } from 'node:http';

/** Names and values of headers in turn, as Node writes them fastest. */
export type HeaderList = readonly string[];

/** Sends a response whose body is in pieces, in one write to the network. */
export function sendPieces(response: ServerResponse, status: number, headers: HeaderList, pieces: readonly Buffer[]): void {
  let length = 0;
  for (const piece of pieces) length += piece.length;
  response.writeHead(status, [...headers, 'content-length', String(length)]);
  const last = pieces.length - 1;
  if (last > 0) response.cork();
  // Node omits the body of a response to HEAD.
  for (let index = 0; index < last; index += 1) response.write(pieces[index]);
  response.end(pieces[last]);
}

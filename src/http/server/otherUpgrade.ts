import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Headers that ask for another protocol (RFC 9110, 7.8; RFC 7540, 3.2). */
const asking: readonly string[] = ['upgrade', 'http2-settings'];

/** Whether a request that asks to go on in another protocol asks for WebSocket, and for nothing else: a choice of several may be left (RFC 9110, 7.8). */
export function asksForWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Answers in HTTP/1.1 a request that asked for a protocol which is not spoken here, as whoever asks must expect (Java's client asks for HTTP/2 with
 * its first request). Node hands over the connection of each such request: it is given back, with the request as it came but for what was asked.
 */
export function answerWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!asking.includes(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

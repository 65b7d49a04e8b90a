import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';

/** Headers that request another protocol (RFC 9110, 7.8; RFC 7540, 3.2). */
const upgradeHeaders: readonly string[] = ['upgrade', 'http2-settings'];

/** Whether an upgrade request is for WebSocket only. An upgrade to one of several protocols may be ignored (RFC 9110, 7.8). */
export function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Continues in HTTP/1.1 after a request to upgrade to an unsupported protocol, as RFC 9110 allows. Java's HTTP client sends
 * such a request for HTTP/2 first. Node detaches the connection at every upgrade request, so the connection is passed back to
 * the server with the same request without its upgrade headers.
 */
export function continueWithoutUpgrade(server: Server, request: IncomingMessage, socket: Duplex, head: Buffer): void {
  const { method, url, httpVersion, rawHeaders } = request;
  const lines = [`${method} ${url} HTTP/${httpVersion}`];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    if (!upgradeHeaders.includes(name.toLowerCase())) lines.push(`${name}: ${value}`);
  }
  socket.unshift(Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), head]));
  server.emit('connection', socket);
}

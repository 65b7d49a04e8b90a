import { createServer, type ServerResponse } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { nextEvent } from '../src/graphql/subscriptions/payload.ts';
import { now, tellParent } from './child.ts';

// The baseline of streams: `ws` and `node:http` that only send the same bytes to all clients.
const answer = JSON.stringify({
  data: { newBlock: { height: '1000', hash: 'A'.repeat(64), time: '2026-11-21T02:48:14.454934720Z' } },
  extensions: { height: '1000' },
});
const id = '5b6b4b1e-3c5f-4a55-9c1d-2f7f3f2b7a10';
const messageOf = (json: string): Buffer => Buffer.from(`{"id":"${id}","type":"next","payload":${json}}`);
let message = messageOf(answer);
const event = nextEvent(answer);

const responses = new Set<ServerResponse>();
const server = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  response.write(':\n\n');
  responses.add(response);
  response.once('close', () => responses.delete(response));
});
const sockets = new WebSocketServer({ server });
sockets.on('connection', (socket: WebSocket) => socket.on('error', () => undefined));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  tellParent(`http://127.0.0.1:${address.port}`, () => ({ calls: 0, batches: 0 }), {
    /** Sets the result that is sent over WebSocket. The argument is its JSON. */
    use(json) {
      message = messageOf(String(json));
      return now();
    },
    send() {
      const start = now();
      for (const socket of sockets.clients) socket.send(message, { binary: false });
      for (const response of responses) response.write(event);
      return start;
    },
    /** Resolves when this many clients are connected. */
    async subscribed(count) {
      while (sockets.clients.size + responses.size !== count) await new Promise((resolve) => setTimeout(resolve, 20));
      return now();
    },
  });
});

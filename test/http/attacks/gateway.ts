import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocket, WebSocketServer } from 'ws';

/** One call of a request. */
export interface GatewayCall {
  readonly id: number;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A socket of a client, and its connection. */
export interface GatewaySocket {
  readonly socket: WebSocket;
  readonly duplex: Duplex;
}

/** A proxy of a node whose responses a test can change. Every hook may be replaced while it runs. */
export interface Gateway {
  readonly url: string;
  /** The node behind it. */
  node: string;
  /** Responds to a request instead of the node. `own` is the response of the node. */
  answer: ((response: ServerResponse, own: string, calls: readonly GatewayCall[]) => void) | undefined;
  /** Forwards a message of the node, `own`, or sends another one. */
  message: ((to: GatewaySocket, own: string) => void) | undefined;
  /** The calls of each request so far. */
  readonly requests: (readonly GatewayCall[])[];
  /** The messages sent on sockets so far. */
  readonly sent: GatewayCall[];
  /** The open sockets. */
  readonly sockets: Set<GatewaySocket>;
  close(): Promise<void>;
}

async function bodyOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Starts a gateway in front of the node at `node`. */
export async function startGateway(node: string): Promise<Gateway> {
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    const calls = [JSON.parse(body)].flat() as GatewayCall[];
    gateway.requests.push(calls);
    const own = await fetch(gateway.node, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      .then((answer) => answer.text())
      .catch(() => undefined);
    if (own === undefined) return void response.destroy();
    if (gateway.answer !== undefined) return gateway.answer(response, own, calls);
    response.setHeader('content-type', 'application/json');
    response.end(own);
  });
  const accept = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, duplex, head) => {
    accept.handleUpgrade(request, duplex, head, (socket) => {
      const to = { socket, duplex };
      gateway.sockets.add(to);
      const behind = new WebSocket(`${gateway.node.replace('http', 'ws')}/websocket`);
      const waiting: string[] = [];
      behind.on('open', () => {
        for (const text of waiting.splice(0)) behind.send(text);
      });
      behind.on('message', (data) => {
        if (gateway.message === undefined) socket.send(String(data));
        else gateway.message(to, String(data));
      });
      for (const each of [socket, behind]) each.on('error', () => undefined);
      behind.on('close', () => socket.terminate());
      socket.on('close', () => {
        gateway.sockets.delete(to);
        behind.terminate();
      });
      socket.on('message', (data) => {
        gateway.sent.push(JSON.parse(String(data)) as GatewayCall);
        if (behind.readyState === behind.OPEN) behind.send(String(data));
        else waiting.push(String(data));
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const gateway: Gateway = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    node,
    answer: undefined,
    message: undefined,
    requests: [],
    sent: [],
    sockets: new Set(),
    async close() {
      for (const { socket } of gateway.sockets) socket.terminate();
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
  return gateway;
}

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tellParent } from './child.ts';

/** A receiver of webhooks that accepts and counts every delivery, in a process of its own. */
let count = 0;
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    count += 1;
    response.writeHead(204).end();
  });
}).listen(0, '127.0.0.1', 4_096);
await once(server, 'listening');
const { port } = server.address() as AddressInfo;
tellParent(`http://127.0.0.1:${port}`, () => ({ calls: 0, batches: 0 }), { count: () => count });

import { createServer } from 'node:http';
import { tellParent } from './child.ts';

// The baseline: plain node:http that reads the body and responds with the same bytes immediately.
let answer = Buffer.alloc(0);
const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    if (request.method === 'PUT') answer = Buffer.concat(chunks);
    response.writeHead(200, { 'content-type': 'application/json' }).end(request.method === 'PUT' ? '' : answer);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  tellParent(`http://127.0.0.1:${address.port}`, () => ({ calls: 0, batches: 0 }));
});

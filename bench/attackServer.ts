import { createClient } from '../src/chain/client.ts';
import { fallback } from '../src/chain/transports/fallback.ts';
import { http } from '../src/chain/transports/http.ts';
import { createAuth } from '../src/http/authSetup.ts';
import { startServer } from '../src/server.ts';
import { tellParent } from './child.ts';

// The server with its usual limits over the node named on the command line, for the clients of a file.
const [node, clientsFile] = process.argv.slice(2);
if (node === undefined || clientsFile === undefined) throw new Error('usage: attackServer.ts NODE CLIENTS');
const client = createClient({ transport: fallback([http(node)]) });
await client.head.ready();
const report = (error: unknown): void => console.error(error);
const { auth, issuer } = await createAuth(
  { kind: 'embedded', audience: undefined, clientsFile, keysFile: undefined, lifetime: 3600 },
  { address: () => 'http://localhost:4000', report },
);
const server = await startServer({ client, auth, issuer, port: 0, host: '127.0.0.1', report });
tellParent(server.url, () => ({ calls: 0, batches: 0 }));

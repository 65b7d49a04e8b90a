import { createClient } from '../src/chain/client.ts';
import { fallback } from '../src/chain/transports/fallback.ts';
import { http } from '../src/chain/transports/http.ts';
import { startServer } from '../src/server.ts';
import { now, tellParent } from './child.ts';

// The server over the node named on the command line.
const [node] = process.argv.slice(2);
if (node === undefined) throw new Error('usage: stele.ts NODE');
const client = createClient({ transport: fallback([http(node)]) });
await client.head.ready();
const server = await startServer({
  client,
  auth: 'open',
  port: 0,
  host: '127.0.0.1',
  report: (error) => console.error(error),
  // All load comes from one address.
  limits: {
    'rate.points': 0,
    'rate.concurrent': 0,
    'rate.counts': 0,
    'socket.connections': 0,
    'subscriptions.caller': 0,
    'subscriptions.process': 0,
    'socket.idle': 600_000,
  },
});
tellParent(server.url, () => ({ calls: 0, batches: 0 }), {
  /** Resolves when there are this many subscribers. */
  async subscribed(count) {
    while (server.subscriptions().members !== count) await new Promise((resolve) => setTimeout(resolve, 20));
    return now();
  },
});

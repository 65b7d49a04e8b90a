import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tellParent } from '../child.ts';

// The baseline of the backfill: it sends the calls in a file to a node, and reads the bytes of the answers.
const [node, file] = process.argv.slice(2);
if (node === undefined || file === undefined) throw new Error('usage: bareCalls.ts NODE FILE');
const batchSize = 10;
const agent = new Agent({ keepAlive: true });

function post(body: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(`${node}/`, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', resolve).once('error', reject);
    });
    sent.once('error', reject).end(body);
  });
}

tellParent('', () => ({ calls: 0, batches: 0 }), {
  /** Sends all calls, a batch after the other. Returns how long that took, in ms. */
  async send() {
    const calls: readonly object[] = JSON.parse(readFileSync(file, 'utf8'));
    const bodies: string[] = [];
    for (let start = 0; start < calls.length; start += batchSize)
      bodies.push(JSON.stringify(calls.slice(start, start + batchSize).map((call, id) => ({ jsonrpc: '2.0', id, ...call }))));
    const begun = performance.now();
    for (const body of bodies) await post(body);
    return performance.now() - begun;
  },
});

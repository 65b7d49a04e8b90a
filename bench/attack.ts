import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Agent } from 'undici';
import { addClient, type NewClient } from '../src/http/clientFile.ts';
import { parsingAttacks } from './attacks/parsing.ts';
import { startChild } from './child.ts';

const connections = 100;

async function tokenOf(url: string, { id, secret }: NewClient): Promise<string> {
  const grant = { client_id: id, client_secret: secret, grant_type: 'client_credentials' };
  const response = await fetch(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(grant) });
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}

/** Latencies of an honest caller that asks for the head on two connections, in ms, until the signal ends it. */
async function honestLatencies(url: string, token: string, signal: AbortSignal): Promise<readonly number[]> {
  const dispatcher = new Agent({ connections: 2 });
  const latencies: number[] = [];
  async function ask(): Promise<void> {
    while (!signal.aborted) {
      const begun = performance.now();
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: '{"query":"{ head { height } }"}', dispatcher };
      const response = await fetch(`${url}/graphql`, init as RequestInit);
      if ((await response.json()).data?.head === undefined) throw new Error('an honest request was refused');
      latencies.push(performance.now() - begun);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
  await Promise.all([ask(), ask()]);
  await dispatcher.close();
  return latencies.sort((a, b) => a - b);
}

function summary(latencies: readonly number[]): string {
  const at = (share: number): string => `${(latencies[Math.floor(latencies.length * share)] ?? 0).toFixed(1)} ms`;
  return `${latencies.length} answers, p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(0.9999)}`;
}

/** Measures the latencies of an honest caller beside a hostile one, and prints them: `npm run bench attack -- NAME --seconds 120`. */
export async function attack(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(3),
    options: { seconds: { type: 'string', default: '10' } },
    allowPositionals: true,
  });
  const [name] = positionals;
  const directory = await mkdtemp(join(tmpdir(), 'stele-attack-'));
  const file = join(directory, 'clients.json');
  const [hostile, honest] = [
    await addClient(file, 'hostile', ['read', 'broadcast', 'introspect']),
    await addClient(file, 'honest', ['read']),
  ];
  const devnet = await startChild('devnet', ['10']);
  console.log(`${connections} connections of a hostile caller, ${values.seconds} s for each attack`);
  for (const each of parsingAttacks) {
    if (name !== undefined && name !== each.name) continue;
    const server = await startChild('attackServer', [devnet.url, file]);
    const token = await tokenOf(server.url, hostile);
    const load = await startChild('attackLoad', [each.name, server.url, token, String(connections), values.seconds]);
    const own = await tokenOf(server.url, honest);
    const alone = await honestLatencies(server.url, own, AbortSignal.timeout(3_000));
    const over = new AbortController();
    const before = await server.measure();
    const [requests, beside] = await Promise.all([
      load.run('run').finally(() => over.abort()),
      honestLatencies(server.url, own, over.signal),
    ]);
    console.log(`\n${each.name}: ${each.description}, ${(requests / Number(values.seconds)).toFixed(0)} requests a second`);
    const core = ((await server.measure()).cpu - before.cpu) / 1e4 / Number(values.seconds);
    console.log(`the server takes ${core.toFixed(0)} % of a core`);
    console.log(`honest, alone       ${summary(alone)}`);
    console.log(`honest, beside it   ${summary(beside)}`);
    await Promise.all([load.stop(), server.stop()]);
  }
  await devnet.stop();
  await rm(directory, { recursive: true });
}

// Starts three servers: Stele over its embedded development chain, which prints a token; a subgraph with comments and labels;
// and Hive Gateway in front of both, on PORT (default 4100; 0 selects a free port). If STELE_URL is set, the Stele at that URL
// is used instead.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createGateway } from './gateway.js';
import { notes } from './notes.js';

/** Starts a server for a listener. Returns its URL. */
async function listen(listener, port) {
  const server = createServer(listener).listen(port, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${server.address().port}/graphql`;
}

/** Starts Stele, which stops together with this process, and prints its output. Returns its URL. */
async function startStele() {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const stele = spawn(process.execPath, ['dist/main.js'], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
  process.on('exit', () => stele.kill());
  stele.on('exit', (code) => process.exit(code ?? 1));
  return new Promise((resolve) => {
    createInterface({ input: stele.stdout }).on('line', (line) => {
      console.log(line);
      const [, url] = /^Stele is up .*(http:\S+)$/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
    });
  });
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));

const stele = process.env.STELE_URL ?? (await startStele());
const gateway = createGateway({ stele, notes: await listen(notes, 0) });
console.log(`The supergraph is up: ${await listen(gateway, Number(process.env.PORT ?? 4100))} over ${stele}`);

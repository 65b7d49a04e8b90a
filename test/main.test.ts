import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, expect, it } from 'vitest';
import { addClient } from '../src/server/issuer/clients.ts';
import { runsAll, some } from './support/atRandom.ts';
import { startChain } from './support/chain.ts';
import { devnetToken, lineOf, startProcess, tokenOf } from './support/process.ts';

const running: ChildProcess[] = [];

const directory = mkdtempSync(join(tmpdir(), 'stele-main-'));
const clientsFile = join(directory, 'clients.json');
const client = await addClient(clientsFile, 'someone', ['read']);

afterAll(() => rmSync(directory, { recursive: true }));

async function start(...flags: string[]): Promise<ChildProcess> {
  const child = await startProcess(flags);
  running.push(child);
  return child;
}

async function ask(url: string, query: string, token?: string): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token ?? (await devnetToken(url))}` },
    body: JSON.stringify({ query }),
  });
  return response.json();
}

afterEach(async () => {
  for (const child of running.splice(0)) {
    if (child.exitCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
});

it('starts with an embedded chain that makes blocks, and stops on a signal', async () => {
  const child = await start('--port', '0');
  const [, url] = await lineOf(child, /^Stele is up in \d+ ms: (http:\S+\/graphql)$/);
  const first = await ask(url!, '{ head { height } groups { totalCount } }');
  expect(first).toMatchObject({ data: { head: { height: expect.stringMatching(/^\d+$/) } } });
  const { height } = (first as { data: { head: { height: string } } }).data.head;
  const token = await devnetToken(url!);
  const now = async (): Promise<number> =>
    Number(((await ask(url!, '{ head { height } }', token)) as { data: { head: { height: string } } }).data.head.height);
  await expect.poll(now, { interval: 100 }).toBeGreaterThan(Number(height));
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
});

it('reads from the configured node, and with a client file has no client `devnet` and no token in its pages', async () => {
  const chain = await startChain({ bare: true, chainId: 'pointed-at' });
  const child = await start('--port', '0', '--node', chain.node.url, '--clients-file', clientsFile);
  const [, url] = await lineOf(child, /^Stele is up in \d+ ms: (http:\S+\/graphql)$/);
  const token = await tokenOf(url!, client.id, client.secret);
  expect(await ask(url!, '{ head { chainId } }', token)).toMatchObject({ data: { head: { chainId: 'pointed-at' } } });
  expect(await devnetToken(url!)).toBeUndefined();
  for (const path of ['/graphql', '/docs'])
    expect(await (await fetch(new URL(path, url), { headers: { accept: 'text/html' } })).text()).not.toMatch(/eyJ[\w-]+\.eyJ/);
  await chain.devnet.close();
});

it.runIf(runsAll)(
  'keeps its signing keys in the data directory, those of the client `devnet` apart; only its user can read them',
  async () => {
    const chain = await startChain({ bare: true });
    const keys = mkdtempSync(join(directory, 'keys-'));
    const flags = ['--port', '0', '--node', chain.node.url, '--data-dir', keys, '--auth-audience', 'http://localhost:4000'];
    const up = async (...more: string[]): Promise<readonly [child: ChildProcess, url: string]> => {
      const child = await start(...flags, ...more);
      return [child, (await lineOf(child, /^Stele is up in \d+ ms: (http:\S+\/graphql)$/))[1]!];
    };
    const height = { data: { head: { height: expect.any(String) } } };
    const refused = { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] };

    // Two servers that start at the same time create the file once.
    const [[first, url], [second, other]] = await Promise.all([up('--dev'), up('--dev', '--clients-file', clientsFile)]);
    const [devnet, registered] = [await devnetToken(url), await tokenOf(other, client.id, client.secret)];
    for (const token of [devnet, registered]) expect(await ask(url, '{ head { height } }', token)).toMatchObject(height);
    for (const child of [first, second]) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
    expect(readdirSync(keys)).toEqual(['devnet-keys.json']);
    expect(statSync(join(keys, 'devnet-keys.json')).mode & 0o777).toBe(0o600);

    const [, again] = await up('--dev', '--workers', '2');
    expect(await ask(again, '{ head { height } }', devnet)).toMatchObject(height);
    const [, without] = await up('--clients-file', clientsFile);
    expect(await ask(without, '{ head { height } }', devnet)).toMatchObject(refused);
    await chain.devnet.close();
  },
);

it.runIf(runsAll)('prints the dashboard first, the chain and the height of its nodes, and a token once', async () => {
  const chain = await startChain({ bare: true, chainId: 'pointed-at' });
  const child = await start('--port', '0', '--dev', '--node', chain.node.url);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout! })) {
    lines.push(line);
    if (line.startsWith('Chain ')) break;
  }
  expect(lines[0]).toMatch(/^Dashboard: http:\S+\/dashboard$/);
  expect(lines.at(-1)).toMatch(/^Chain pointed-at at height \d+, 1 node$/);
  expect(lines.join('\n').match(/eyJ/g)).toHaveLength(2);
  await chain.devnet.close();
});

/** A node that no start gets as far as to read. Without a node the start makes the embedded chain first. */
const unused = ['--node', 'http://127.0.0.1:1'];

/** Flags with which a program needs the port, and what it prints if the port is in use. */
const occupied: readonly (readonly [readonly string[], string])[] = [
  [['--port'], 'stele: --port (STELE_PORT) is in use; 0 picks a free port\n'],
  [['--port', '0', '--admin-port'], 'stele: --admin-port (STELE_ADMIN_PORT) is in use; 0 picks a free port\n'],
  [['--workers', '2', '--port'], 'stele: --port (STELE_PORT) is in use; 0 picks a free port\n'],
  [
    ['--workers', '2', '--port', '0', '--admin-port'],
    'stele: --admin-port (STELE_ADMIN_PORT) is in use; 0 picks a free port\n',
  ],
];

it.each(some(occupied, 4))(
  '%j with a port in use prints one line and no failure, while an archive is open',
  async (flags, line) => {
    const chain = await startChain({ bare: true });
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const node = ['--dev', '--node', chain.node.url, '--data-dir', directory];
    const child = await startProcess([...node, ...flags, String(port)], { STELE_ARCHIVE: 'full' });
    running.push(child);
    let [out, err] = ['', ''];
    child.stdout!.on('data', (chunk: Buffer) => (out += chunk));
    child.stderr!.on('data', (chunk: Buffer) => (err += chunk));
    const [code] = await once(child, 'close');
    other.close();
    await chain.devnet.close();
    expect([code, err]).toEqual([1, line]);
    expect(out).not.toContain('"level":"error"');
  },
);

it.each(some([[], ['--workers', '2']], 2))(
  'a plugin that throws at load stops the start with its name: %j',
  async (...flags) => {
    const file = join(directory, 'broken.mjs');
    writeFileSync(file, 'throw new Error("no key");');
    const plugins = ['--plugin', 'examples/plugins/serverName.js', '--plugin', file];
    const child = await start('--port', '0', '--dev', ...unused, ...plugins, ...flags);
    let err = '';
    child.stderr!.on('data', (chunk: Buffer) => (err += chunk));
    const [code] = await once(child, 'close');
    expect([code, err]).toEqual([1, `stele: --plugin (STELE_PLUGINS): the plugin ${file} cannot be loaded: no key\n`]);
  },
);

it.each(some([[], ['--workers', '2']], 2))(
  'a plugin runs in each process, and says that answers are not kept: %j',
  async (...flags) => {
    const file = join(directory, 'every.mjs');
    writeFileSync(
      file,
      'export default { everyRequest: true, onExecutionResult: ({ result, setResult }) => setResult({ ...result, extensions: { pid: process.pid } }) };',
    );
    const child = await start('--port', '0', '--plugin', file, ...flags);
    const lines = createInterface({ input: child.stdout! });
    let [url, isLogged] = ['', false];
    for await (const line of lines) {
      isLogged ||= line.includes('answers of GraphQL are not kept');
      url = /^Stele is up in \d+ ms: (http:\S+\/graphql)$/.exec(line)?.[1] ?? url;
      if (url !== '' && isLogged) break;
    }
    expect(await ask(url, '{ head { chainId } }')).toMatchObject({ extensions: { pid: expect.any(Number) } });
  },
);

it.runIf(runsAll)('applies the configured limits to its nodes and its callers', async () => {
  const chain = await startChain({ bare: true });
  const limits = ['upstream.answer=200', 'graphql.rootFields=2'].flatMap((limit) => ['--limit', limit]);
  const child = await start('--port', '0', '--dev', '--node', chain.node.url, ...limits);
  const [, url] = await lineOf(child, /^Stele is up in \d+ ms: (http:\S+\/graphql)$/);
  const { errors } = (await ask(url!, '{ head { height } }')) as { errors: readonly { extensions: { code: string } }[] };
  expect(errors.map(({ extensions: { code } }) => code)).toEqual(['NODE_INVALID_RESPONSE']);
  expect(await ask(url!, '{ limits { name } a: limits { name } b: limits { name } }')).toMatchObject({
    errors: [{ extensions: { code: 'OPERATION_TOO_COMPLEX', limit: 'graphql.rootFields', max: 2 } }],
  });
  await chain.devnet.close();
});

/** Flags that stop the start, and what it prints. Outside CI a part of them: `config.test.ts` has every error. */
const refused: readonly (readonly [readonly string[], string])[] = [
  [
    ['--port', 'x', '--network', 'main'],
    'stele: --port (STELE_PORT) must be a port from 0 to 65535\nstele: --network (STELE_NETWORK) must be `mainnet` or `testnet`\n',
  ],
  [
    ['--port', '0', '--node', 'http://127.0.0.1:1'],
    'stele: --node (STELE_NODES) and --network (STELE_NETWORK) need --dev (STELE_DEV), --clients-file (STELE_CLIENTS_FILE), --auth-issuer (STELE_AUTH_ISSUER) or --public (STELE_PUBLIC)\n',
  ],
  [
    ['--port', '0', '--dev', '--host', '0.0.0.0', '--node', 'http://127.0.0.1:1', '--auth-audience', 'https://api.example'],
    'stele: --dev (STELE_DEV) needs a loopback address as --host (STELE_HOST)\nstele: --clients-file (STELE_CLIENTS_FILE), --auth-issuer (STELE_AUTH_ISSUER) or --public (STELE_PUBLIC) is needed with a --host that is not a loopback address\n',
  ],
  [
    ['--host', '192.0.2.1', '--port', '0', ...unused, '--clients-file', clientsFile, '--auth-audience', 'https://api.example'],
    'stele: --host (STELE_HOST) is not an address of this machine\n',
  ],
  [
    ['--host', '0.0.0.0', '--port', '0'],
    'stele: --clients-file (STELE_CLIENTS_FILE), --auth-issuer (STELE_AUTH_ISSUER) or --public (STELE_PUBLIC) is needed with a --host that is not a loopback address\n',
  ],
  [
    ['--port', '0', ...unused, '--clients-file', `${clientsFile}.not`, '--auth-audience', 'https://api.example'],
    `stele: --clients-file (STELE_CLIENTS_FILE): ${clientsFile}.not does not exist\n`,
  ],
  [
    ['--port', '0', '--clients-file', directory],
    'stele: --clients-file (STELE_CLIENTS_FILE): EISDIR: illegal operation on a directory, read\n',
  ],
  [
    ['--port', '0', '--dev', ...unused, '--keys-file', directory],
    'stele: --keys-file (STELE_KEYS_FILE): EISDIR: illegal operation on a directory, read\n',
  ],
  [
    ['--admin-host', '192.0.2.1', '--port', '0', '--dev', ...unused],
    'stele: --admin-host (STELE_ADMIN_HOST) is not an address of this machine\n',
  ],
];

it.each(some(refused, 10))('stops the start with one line for each error: %j', async (flags, message) => {
  const child = await start(...flags);
  let said = '';
  child.stderr!.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const [code] = await once(child, 'close');
  expect([code, said]).toEqual([1, message]);
});

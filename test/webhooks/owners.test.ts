import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook as HmacVerifier } from 'standardwebhooks';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { addClient } from '../../src/server/issuer/clients.ts';
import { createAuth } from '../../src/start/authSetup.ts';
import { createRing, rotated, shownKeys, signerOf } from '../../src/webhooks/keys.ts';
import { runsAll } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { addressesOf, devnetToken, startProcess, tokenOf } from '../support/process.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';
import { startStack } from '../support/stack.ts';

const secret = 'a secret of at least thirty-two characters';
const document = 'subscription { newBlock { height } }';

let chain: TestChain;
let receiver: Receiver;
let directory: string;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'stele-owners-'));
  [chain, receiver] = await Promise.all([startChain(), startReceiver()]);
});

afterEach(async () => {
  await receiver.close();
  await chain.devnet.close();
  rmSync(directory, { recursive: true, force: true });
});

type Hook = Readonly<Record<'id' | 'secret' | 'state' | 'reason' | 'message', string>>;

async function send(url: string, token: string, path = '', body?: object): Promise<Hook> {
  const response = await fetch(`${url}/v1/webhooks${path}`, {
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  expect(response.ok).toBe(true);
  return (await response.json()) as Hook;
}

it.runIf(runsAll)(
  'a client that was deleted, or has lost a scope, has its webhooks paused, and others deliver',
  {
    timeout: 40_000,
  },
  async () => {
    const clientsFile = join(directory, 'clients.json');
    const names = ['deleted', 'limited', 'other'] as const;
    const clients: Awaited<ReturnType<typeof addClient>>[] = [];
    for (const name of names) clients.push(await addClient(clientsFile, name, ['read', 'webhooks']));
    const audience = 'http://localhost:4000';
    const config = { kind: 'embedded', audience, clientsFile, keysFile: undefined, lifetime: 600 } as const;
    const { auth, issuer } = await createAuth(config, {
      address: () => audience,
      report: (error) => expect.fail(String(error)),
    });
    const stack = await startStack([chain.node.url], {
      archive: { records: true },
      server: { auth, issuer, webhooks: { secret, networks: ['127.0.0.1'] } },
    });
    const { url } = stack.server;
    const tokens = await Promise.all(clients.map((client) => tokenOf(url, client.id, client.secret)));
    const hooks = await Promise.all(
      tokens.map((token, index) => send(url, token, '', { url: `${receiver.url}/${names[index]}`, document })),
    );
    await chain.devnet.commit();
    await receiver.until((all) => names.every((name) => all.some(({ path }) => path === `/${name}`)));

    const file = JSON.parse(readFileSync(clientsFile, 'utf8')) as { clients: { id: string; scopes: string[] }[] };
    const left = file.clients.filter(({ id }) => id !== clients[0]!.id);
    for (const client of left) if (client.id === clients[1]!.id) client.scopes = ['webhooks'];
    writeFileSync(clientsFile, JSON.stringify({ ...file, clients: left }));

    const read = (index: number): Promise<Hook> => send(url, tokens[index]!, `/${hooks[index]!.id}`);
    await expect
      .poll(() => read(1), { timeout: 20_000 })
      .toMatchObject({ state: 'PAUSED', reason: 'SCOPE_REVOKED', message: 'The client has lost the scope read.' });
    await expect.poll(() => read(0), { timeout: 20_000 }).toMatchObject({ state: 'PAUSED', reason: 'CLIENT_DELETED' });
    const before = receiver.received.length;
    await chain.devnet.commit();
    await receiver.until((all) => all.length > before);
    expect(receiver.received.slice(before).map(({ path }) => path)).toEqual(['/other']);
    expect(await read(2)).toMatchObject({ state: 'ACTIVE', reason: null });
    await stack.close();
  },
);

it.runIf(runsAll)('of two workers one delivers, and no output or file has the secret', { timeout: 90_000 }, async () => {
  const child = await startProcess(
    [
      ...['--workers', '2', '--port', '0', '--admin-port', '0', '--dev', '--node', chain.node.url, '--log-level', 'debug'],
      ...['--webhook-network', '127.0.0.1', '--verify', 'off', '--cache-dir', 'off'],
    ],
    { STELE_ARCHIVE: 'governance', STELE_DATA_DIR: directory },
  );
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const { url, adminUrl } = await addressesOf(child);
  child.stdout!.resume();
  const token = await devnetToken(url);
  const metrics = async (): Promise<string> => (await fetch(`${adminUrl}/metrics`)).text();
  await expect.poll(metrics, { timeout: 30_000 }).toMatch(/^stele_webhooks_delivering 1$/m);
  const hooks: Hook[] = [];
  for (let index = 0; index < 4; index += 1)
    hooks.push(await send(url, token, '', { url: `${receiver.url}/${index}`, document, signing: 'HMAC' }));
  const start = chain.devnet.height;
  for (let block = 0; block < 5; block += 1) await chain.devnet.commit();
  await receiver.until((all) => new Set(all.map(({ body }) => body.id)).size >= 20);
  for (const [index, { secret: key }] of hooks.entries()) {
    const own = receiver.received.filter(({ path }) => path === `/${index}`);
    expect(own.map(({ body }) => BigInt(body.height) - start)).toEqual([1n, 2n, 3n, 4n, 5n]);
    const verifier = new HmacVerifier(key);
    for (const { text, headers } of own) verifier.verify(text, headers as Record<string, string>);
  }
  expect(await metrics()).toMatch(/^stele_webhook_tries_total\{outcome="success"\} 20$/m);
  for (const { id, secret: key } of hooks) {
    await send(url, token, `/${id}/test`, {});
    expect(output).not.toContain(key.slice('whsec_'.length));
  }
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
  for (const name of readdirSync(directory)) {
    const bytes = readFileSync(join(directory, name));
    for (const { secret: key } of hooks) {
      expect(bytes.includes(key.slice('whsec_'.length))).toBe(false);
      expect(bytes.includes(Buffer.from(key.slice('whsec_'.length), 'base64'))).toBe(false);
    }
  }
});

it('a rotation signs with both keys for 24 hours, and then with the new one', () => {
  const day = 24 * 3_600_000;
  // The library refuses timestamps that are not of now.
  const rotatedAt = Date.now() - day;
  const old = createRing('HMAC');
  const ring = rotated(old, 'HMAC', rotatedAt);
  const accepts = (clock: number): boolean[] => {
    const time = new Date();
    const headers = {
      'webhook-id': 'evt_1',
      'webhook-timestamp': Math.floor(time.getTime() / 1_000).toString(),
      'webhook-signature': signerOf(ring, () => clock)('evt_1', time, '{}'),
    };
    return [old, ring].map((keys) => {
      try {
        new HmacVerifier(shownKeys(keys).secret!).verify('{}', headers);
        return true;
      } catch {
        return false;
      }
    });
  };
  expect(accepts(rotatedAt)).toEqual([true, true]);
  expect(accepts(rotatedAt + day - 1)).toEqual([true, true]);
  expect(accepts(rotatedAt + day)).toEqual([false, true]);
  // Only the last two keys sign, however often they are replaced.
  expect(signerOf(rotated(ring, 'HMAC', rotatedAt), () => rotatedAt)('evt_1', new Date(), '{}').split(' ')).toHaveLength(2);
});

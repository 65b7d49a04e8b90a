import { mkdtempSync, rmSync } from 'node:fs';
import { request as createRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { addClient, type NewClient } from '../../../src/server/issuer/clients.ts';
import type { Issuer } from '../../../src/server/issuer/issuer.ts';
import { createAuth } from '../../../src/start/authSetup.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const directory = mkdtempSync(join(tmpdir(), 'stele-flood-'));
const clientsFile = join(directory, 'clients.json');

/** The limit of wrong secrets: of an address, and of a client. */
const most = 10;

/** The most hashes beyond the limits during a flood: far fewer than it sends. */
const beyond = 20;

let chain: TestChain;
let stack: Stack;
let issuer: Issuer;
let victim: NewClient;
let known: NewClient;
let fresh: NewClient;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  victim = await addClient(clientsFile, 'victim', ['read']);
  known = await addClient(clientsFile, 'known', ['read']);
  fresh = await addClient(clientsFile, 'fresh', ['read']);
});

beforeEach(async () => {
  const config = {
    kind: 'embedded',
    audience: 'https://api.example',
    clientsFile,
    keysFile: undefined,
    lifetime: 600,
  } as const;
  const made = await createAuth(config, { address: () => '', report: (error) => expect.fail(String(error)) });
  issuer = made.issuer!;
  stack = await startStack([chain.node.url], {
    server: { auth: made.auth, issuer, limits: { 'rate.failedAuthentications': most } },
  });
});

afterEach(async () => {
  expect(stack.masked).toEqual([]);
  await stack.close();
});

afterAll(async () => {
  await chain.devnet.close();
  rmSync(directory, { recursive: true });
});

/** Requests a token from a loopback address. Returns the status. */
function ask({ id, secret }: { readonly id: string; readonly secret: string }, localAddress = '127.0.0.1'): Promise<number> {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers, localAddress, agent: false };
    const sent = createRequest(`${stack.server.url}/oauth/token`, options, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject).end(form.toString());
  });
}

/** Sends wrong secrets at once, half for unknown ids and half for one client, from several addresses in turn. */
function flood(size: number, addresses: number): Promise<number>[] {
  return Array.from({ length: size }, (_, index) => {
    const id = index % 2 === 0 ? `nobody-${index}` : victim.id;
    return ask({ id, secret: `wrong ${index}` }, `127.0.1.${1 + (Math.floor(index / 2) % addresses)}`);
  });
}

const size = 120;

const count = (statuses: readonly number[], status: number): number => statuses.filter((each) => each === status).length;

describe('a flood of wrong secrets', () => {
  const floods = [
    ['one address, for clients behind another', 1, '127.0.2.1'],
    ['one address, for clients behind the same', 1, '127.0.1.1'],
    ['30 addresses that each stay within their limit', 30, '127.0.2.1'],
  ] as const;
  it.each(some(floods, 4))('from %s: few are hashed, and every client can authenticate', async (_, addresses, own) => {
    expect(await ask(known, own)).toBe(200);
    const answers = flood(size, addresses);
    const isOver = Promise.all(answers);
    // The first responses have arrived.
    await Promise.race(answers);
    expect([await ask(known, own), await ask(fresh, own)]).toEqual([200, 200]);
    const statuses = await isOver;
    expect(issuer.stats().failures).toBeLessThanOrEqual(2 * most + beyond);
    expect(count(statuses, 401)).toBeLessThan(2 * most + beyond);
    expect(count(statuses, 401) + count(statuses, 429)).toBe(size);
    expect([await ask(victim, own), await ask(fresh, own), await ask(known, own)]).toEqual([200, 200, 200]);
  });

  it.runIf(runsAll)('for one client, from one address: the same client can authenticate from another address', async () => {
    const answers = Array.from({ length: size }, (_, index) => ask({ id: victim.id, secret: `wrong ${index}` }, '127.0.1.1'));
    await Promise.race(answers);
    expect(await ask(victim, '127.0.2.1')).toBe(200);
    const statuses = await Promise.all(answers);
    expect(count(statuses, 401) + count(statuses, 429)).toBe(size);
  });

  it.runIf(runsAll)('correct secrets do not count, however many clients authenticate for the first time at once', async () => {
    const statuses = await Promise.all(Array.from({ length: most }, (_, index) => ask(index % 2 === 0 ? known : fresh)));
    expect(count(statuses, 200)).toBe(most);
    const wrong = await Promise.all(Array.from({ length: most + 5 }, (_, index) => ask({ id: 'nobody', secret: `${index}` })));
    expect(count(wrong, 401)).toBeGreaterThanOrEqual(most);
    expect(count(wrong, 429)).toBeGreaterThan(0);
  });
});

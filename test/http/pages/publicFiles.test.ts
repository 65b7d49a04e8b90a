import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import { request } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { gunzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLimits } from '../../../src/config/limits/limits.ts';
import { createPublicRate } from '../../../src/server/rateLimits/rates.ts';
import { createAuth } from '../../../src/start/authSetup.ts';
import { nodeDescription } from '../../../src/surfaces/openapi/nodeRpcDescription.ts';
import { createTemplate } from '../../../src/surfaces/pages/pages.ts';
import { runsAll } from '../../support/atRandom.ts';
import { builtDashboard } from '../../support/builds.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, type StackOptions, startStack } from '../../support/stack.ts';
import { send } from '../../support/wire.ts';

/** Number of file reads that fail from now on. */
let failures = 0;

const { readFile } = fs;

// The module mock of vitest would come too late for source files that another test file has loaded.
beforeAll(() => {
  const failing = (...args: Parameters<typeof readFile>): ReturnType<typeof readFile> => {
    if (failures === 0 || !String(args[0]).includes('swagger-ui')) return readFile(...args);
    failures -= 1;
    return Promise.reject(Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' }));
  };
  vi.spyOn(fs, 'readFile').mockImplementation(failing);
  syncBuiltinESMExports();
});

afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

let running: { readonly chain: TestChain; readonly stack: Stack } | undefined;

async function start(options: StackOptions = {}): Promise<string> {
  const chain = await startChain({ bare: true });
  const stack = await startStack([chain.node.url], { server: { dashboard: await builtDashboard() } }, options);
  running = { chain, stack };
  return stack.server.url;
}

afterEach(async () => {
  await running?.stack.close();
  await running?.chain.devnet.close();
  running = undefined;
});

interface Got {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly bytes: Buffer;
}

/** Sends a GET and reads the body without decoding it. */
function get(url: string, headers: Record<string, string> = {}): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers: { accept: 'text/html', ...headers }, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: Buffer.concat(chunks) });
    });
    sent.once('error', reject).end();
  });
}

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

it('browsers cache files without a token, and revalidate them with 304', async () => {
  const url = await start();
  const tags = new Set<unknown>();
  // The descriptions, and so their tags, have no examples until the chain was searched for them.
  const withoutExamples = JSON.stringify(nodeDescription({}, undefined)).length;
  const described = async (): Promise<number> => String((await get(`${url}/openapi/node.json`)).bytes).length;
  await expect.poll(described, { interval: 50 }).toBeGreaterThan(withoutExamples);
  for (const path of [
    '/graphql',
    '/docs/swagger-ui.css',
    '/docs/start.js',
    '/openapi/node.json',
    '/openapi/application.json',
    '/collection.json',
  ]) {
    const plain = await get(`${url}${path}`);
    const packed = await get(`${url}${path}`, { 'accept-encoding': 'gzip' });
    expect([path, plain.status, packed.status]).toEqual([path, 200, 200]);
    expect([path, hash(gunzipSync(packed.bytes))]).toEqual([path, hash(plain.bytes)]);
    for (const [{ headers }, accepted] of [
      [plain, 'identity'],
      [packed, 'gzip'],
    ] as const) {
      expect(headers.etag).toMatch(/^"[\w-]+"$/);
      tags.add(headers.etag);
      expect(String(headers['cache-control'])).toMatch(/^no-cache$|max-age/);
      expect(String(headers.vary)).toContain('Accept-Encoding');
      for (const condition of [String(headers.etag), `"x", W/${headers.etag}`, '*']) {
        const known = await get(`${url}${path}`, { 'accept-encoding': accepted, 'if-none-match': condition });
        expect([path, known.status, known.bytes.length, known.headers.etag]).toEqual([path, 304, 0, headers.etag]);
      }
      const other = await get(`${url}${path}`, { 'accept-encoding': accepted, 'if-none-match': '"other"' });
      expect(other.status).toBe(200);
    }
  }
  // Each path and encoding has its own tag.
  expect(tags.size).toBe(12);
  // A collection with another base URL has its own tag as well.
  const named = await get(`${url}/collection.json`, { host: 'stele.example' });
  expect(tags).not.toContain(named.headers.etag);
  expect(named.bytes.toString()).toContain('"http://stele.example"');
});

it.runIf(runsAll)('no cache may store a token, and the playground contains none, so that browsers may cache it', async () => {
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer, devnetToken } = await createAuth(config, {
    address: () => 'http://localhost:4000',
    report: (error) => expect.fail(String(error)),
  });
  const url = await start({ server: { auth, issuer, playgroundToken: devnetToken } });
  for (const path of ['/playground/token', '/docs']) {
    const shown = await get(`${url}${path}`, { 'if-none-match': '*', 'accept-encoding': 'gzip' });
    expect([shown.status, shown.headers['cache-control'], shown.headers.etag]).toEqual([200, 'no-store', undefined]);
    const text = shown.headers['content-encoding'] === 'gzip' ? gunzipSync(shown.bytes) : shown.bytes;
    expect(text.toString()).toContain('eyJ');
  }
  const page = await get(`${url}/graphql`);
  expect([page.status, page.headers['cache-control']]).toEqual([200, 'no-cache']);
  expect(page.bytes.includes('eyJhbGciOiJFUzI1Ni')).toBe(false);
  const again = await get(`${url}/graphql`, { host: 'stele.example', 'if-none-match': String(page.headers.etag) });
  expect([again.status, again.bytes.length]).toEqual([304, 0]);
});

it('a file that cannot be read is read at the next request', async () => {
  const url = await start();
  failures = 1;
  expect((await get(`${url}/docs/swagger-ui-bundle.js`)).status).toBe(500);
  expect((await get(`${url}/docs/swagger-ui-bundle.js`)).status).toBe(200);
  expect(running?.stack.masked).toMatchObject([{ code: 'EMFILE' }]);
});

it.runIf(runsAll)(
  'rate.public: limits the requests of an address at endpoints without a token, but not the probes',
  async () => {
    const config = {
      kind: 'embedded',
      audience: undefined,
      clientsFile: undefined,
      keysFile: undefined,
      lifetime: 600,
    } as const;
    const { auth, issuer } = await createAuth(config, { address: () => 'http://localhost:4000', report: () => undefined });
    const url = await start({ server: { auth, issuer, limits: { 'rate.public': 5 } } });
    const paths = ['/docs', '/openapi/node.json', '/collection.json', '/.well-known/jwks.json', '/graphql'];
    for (const path of paths) expect((await get(`${url}${path}`)).status).toBe(200);
    for (const path of paths) {
      const { status, headers, bytes } = await get(`${url}${path}`);
      expect(status).toBe(429);
      expect(headers['retry-after']).toMatch(/^(\d|1[0-2])$/);
      const body = JSON.parse(String(bytes)) as object;
      expect(body).toMatchObject(
        path.startsWith('/.well-known')
          ? { error: 'temporarily_unavailable' }
          : { errors: [{ extensions: { code: 'RATE_LIMITED', limit: 'rate.public', max: 5 } }] },
      );
    }
    expect((await send(`${url}/oauth/token`, { method: 'POST' })).status).toBe(429);
    for (const path of ['/livez', '/readyz']) expect((await get(`${url}${path}`)).status).toBe(200);
    expect((await send(`${url}/health`)).status).toBe(401);
  },
);

describe('the public rate', () => {
  it('recovers with time, and counts each address', () => {
    let now = 1_000_000;
    const rate = createPublicRate(createLimits({ 'rate.public': 3 }), () => now);
    for (let time = 0; time < 3; time += 1) expect(rate('a')).toBeUndefined();
    expect(rate('a')).toEqual({ limit: 'rate.public', max: 3, retryAfter: 20, remaining: 0 });
    expect(rate('b')).toBeUndefined();
    now += 19_999;
    expect(rate('a')).toMatchObject({ retryAfter: 1 });
    now += 1;
    expect(rate('a')).toBeUndefined();
    expect(rate('a')).toMatchObject({ retryAfter: 20 });
    now += 120_000;
    for (let time = 0; time < 3; time += 1) expect(rate('a')).toBeUndefined();
    expect(rate('a')).toBeDefined();
  });
});

it('a template contains its text at every place, compressed and plain', async () => {
  const template = await createTemplate('text/plain', `${'a'.repeat(100_000)}%here%b%here%`, '%here%');
  for (const text of ['', 'x', 'é'.repeat(30_000)]) {
    const { plain, gzipped } = template.fill(text);
    const whole = `${'a'.repeat(100_000)}${text}b${text}`;
    expect(Buffer.concat(plain).toString() === whole).toBe(true);
    expect(gunzipSync(Buffer.concat(gzipped!)).toString() === whole).toBe(true);
  }
});

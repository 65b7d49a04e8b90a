import { afterAll, beforeAll, expect, it } from 'vitest';
import { runsAll } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { send } from '../../support/wire.ts';

let chain: TestChain;
let stack: Stack;
let strangers: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { server: { playgroundToken: async () => 'a.ready.token' } });
  strangers = await startStack([chain.node.url]);
});

afterAll(async () => {
  await Promise.all([stack.close(), strangers.close()]);
  await chain.devnet.close();
});

/** The files that a page loads. */
function loadedBy(page: string): readonly string[] {
  return [...page.matchAll(/<(?:script|link)\b[^>]*\b(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
}

it('is a page whose files are all served, and that cannot load files from other hosts', async () => {
  const { status, headers, body } = await send(`${stack.server.url}/docs`);
  expect([status, headers['content-type'], headers['cache-control']]).toEqual([200, 'text/html; charset=utf-8', 'no-store']);
  const files = loadedBy(body);
  expect(files.length).toBeGreaterThan(3);
  for (const file of files) {
    expect(file).toMatch(/^\/docs\/[\w.-]+$/);
    const answer = await send(`${stack.server.url}${file}`);
    expect([answer.status, answer.headers['x-content-type-options']]).toEqual([200, 'nosniff']);
    expect(answer.body.length).toBeGreaterThan(100);
  }
  const policy = String(headers['content-security-policy']);
  const sources = policy.split(';').flatMap((directive) => directive.trim().split(/\s+/).slice(1));
  const allowed = new Set(["'none'", "'self'", "'unsafe-inline'", 'data:']);
  expect(sources.filter((source) => !allowed.has(source))).toEqual([]);
  expect(policy).toMatch(/default-src 'none'.*script-src 'self';/);
});

it('contains the public token if there is one, and only in the page', async () => {
  const [page, own] = [await send(`${stack.server.url}/docs`), await send(`${strangers.server.url}/docs`)];
  expect(page.body).toContain('<meta name="token" content="a.ready.token">');
  expect(own.body).toContain('<meta name="token" content="">');
  const script = await send(`${stack.server.url}/docs/start.js`);
  expect(script.body).not.toContain('ready');
  expect(script.headers['cross-origin-resource-policy']).toBe('same-origin');
});

it.runIf(runsAll)('serves no other file, and accepts no other method', async () => {
  for (const path of ['/docs/package.json', '/docs/..%2Fpackage.json', '/docs/constructor', '/docs/swagger-ui.css.map']) {
    expect((await send(`${stack.server.url}${path}`)).status).toBe(404);
  }
  for (const path of ['/docs', '/collection.json', '/openapi/node.json', '/schema.graphql', '/livez']) {
    const { status, headers, body } = await send(`${stack.server.url}${path}`, { method: 'POST' });
    expect([path, status, headers.allow]).toEqual([path, 405, 'GET, HEAD']);
    expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: 'BAD_USER_INPUT' } }] });
  }
});

it('does not read the body of a request', async () => {
  const { status, headers } = await send(`${stack.server.url}/docs`, { method: 'POST', body: 'x'.repeat(1_000_000) });
  expect([status, headers.connection]).toEqual([405, 'close']);
});

it('is compressed if the client accepts it', async () => {
  const plain = await send(`${stack.server.url}/openapi/node.json`);
  const { headers } = await send(`${stack.server.url}/openapi/node.json`, {
    method: 'HEAD',
    headers: { 'accept-encoding': 'gzip' },
  });
  expect(headers['content-encoding']).toBe('gzip');
  expect(Number(headers['content-length'])).toBeLessThan(plain.body.length / 4);
  const refused = await send(`${stack.server.url}/openapi/node.json`, { headers: { 'accept-encoding': 'gzip;q=0' } });
  expect(refused.headers['content-encoding']).toBeUndefined();
});

it.runIf(runsAll)('describes the application only if a node is reachable', async () => {
  const alone = await startStack(['http://127.0.0.1:1']);
  try {
    const [{ status, body }, node] = await Promise.all([
      send(`${alone.server.url}/openapi/application.json`),
      send(`${alone.server.url}/openapi/node.json`),
    ]);
    const { errors } = JSON.parse(body) as { errors: { extensions: { code: string } }[] };
    expect([status, errors[0]!.extensions.code]).toEqual([503, 'NODE_UNREACHABLE']);
    expect(node.status).toBe(200);
  } finally {
    await alone.close();
  }
});

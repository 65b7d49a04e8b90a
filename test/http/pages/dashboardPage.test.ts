import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DashboardLook } from '../../../src/config/settings/look.ts';
import { createTrustedDocuments } from '../../../src/graphql/documents/requestParams.ts';
import { readDashboardDocuments } from '../../../src/surfaces/pages/pages.ts';
import { builtDashboard } from '../../support/builds.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let directory: string;
let chain: TestChain;
let stack: Stack;
let unbuilt: Stack;

beforeAll(async () => {
  chain = await startChain({ bare: true });
  directory = await builtDashboard();
  stack = await startStack([chain.node.url], { server: { dashboard: directory } });
  unbuilt = await startStack([chain.node.url]);
});

afterAll(async () => {
  await stack.close();
  await unbuilt.close();
  await chain.devnet.close();
});

const get = (path: string, headers: Record<string, string> = {}, from = stack): Promise<Response> =>
  fetch(`${from.server.url}${path}`, { redirect: 'manual', headers: { accept: 'text/html,*/*', ...headers } });

describe('the dashboard', () => {
  it('says how its pages get a token, and allows requests to the issuer of a login alone', async () => {
    expect(await (await get('/dashboard/settings.json')).json()).toEqual({});
    const login = {
      kind: 'openid',
      issuer: 'https://login.example/realm',
      clientId: 'board',
      scope: 'read',
      parameters: {},
    } as const;
    const other = await startStack([chain.node.url], { server: { dashboard: directory, dashboardLogin: login } });
    const policy = (await get('/dashboard', {}, other)).headers.get('content-security-policy');
    expect(policy).toContain("connect-src 'self' https://login.example; frame-ancestors");
    expect(await (await get('/dashboard/settings.json', {}, other)).json()).toEqual({ login });
    await other.close();
  });

  it('has the look that the operator chose, and pages of the named origins may embed it', async () => {
    const dashboardLook: DashboardLook = {
      ...{ name: 'Harbor <Board>', logo: 'docs/images/proposal.png', colours: { light: '#0b5d3b' }, start: '/groups/1' },
      ...{ off: ['blocks'], ancestors: ['https://www.example.org'] },
    };
    const own = await startStack([chain.node.url], { server: { dashboard: directory, dashboardLook } });
    const page = await get('/dashboard/groups/1', {}, own);
    expect(page.headers.get('content-security-policy')).toContain('frame-ancestors https://www.example.org; base-uri');
    const html = await page.text();
    for (const text of [
      '<title>Harbor &lt;Board&gt;</title>',
      'colours" content="#0b5d3b"',
      'off" content="blocks"',
      'logo" content="own"',
    ])
      expect(html).toContain(text);
    expect((await get('/', {}, own)).headers.get('location')).toBe('/dashboard/groups/1');
    await own.close();
  });

  it('browsers without a token are redirected from / to it; every other request to / goes to the node RPC', async () => {
    const page = await get('/');
    expect([page.status, page.headers.get('location')]).toEqual([302, '/dashboard']);
    expect(page.headers.get('vary')).toContain('Authorization');
    for (const headers of [{ accept: '*/*' }, { accept: 'application/json' }, { authorization: 'Bearer a' }])
      expect((await get('/', headers as Record<string, string>)).status).toBe(200);
    const { status } = await fetch(`${stack.server.url}/`, {
      method: 'POST',
      headers: { accept: 'text/html' },
      body: '{"jsonrpc":"2.0","id":1,"method":"health"}',
    });
    expect(status).toBe(200);
  });

  it('every path below /dashboard is its page, with a content security policy, no data and no token', async () => {
    const bodies = new Set<string>();
    for (const path of ['/dashboard', '/dashboard/', '/dashboard/proposals/38', '/dashboard/nothing?at=5']) {
      const page = await get(path);
      expect([path, page.status, page.headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
      const policy = page.headers.get('content-security-policy');
      expect(policy).toContain("default-src 'self'; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'");
      expect(page.headers.get('cache-control')).toBe('no-cache');
      bodies.add(await page.text());
    }
    expect(bodies.size).toBe(1);
    expect([...bodies][0]).not.toContain('eyJ');
    expect((await get('/dashboardx', { accept: 'application/json' })).status).toBe(404);
  });

  it('its files are sent as they were compressed at build time, and kept by browsers for a year', async () => {
    const html = await (await get('/dashboard')).text();
    const paths = [...html.matchAll(/"(\/dashboard\/assets\/[^"]+)"/g)].map(([, path]) => path!);
    expect(paths.length).toBeGreaterThan(3);
    for (const path of paths) {
      const file = readFileSync(join(directory, path.slice('/dashboard/'.length)));
      for (const [accepted, coding, decode] of [
        ['identity', null, (bytes: Buffer) => bytes],
        ['gzip', 'gzip', gunzipSync],
        ['gzip, br', 'br', brotliDecompressSync],
        ['br;q=0, gzip', 'gzip', gunzipSync],
      ] as const) {
        // `fetch` decodes the body; the raw length shows the form that was sent.
        const response = await get(path, { 'accept-encoding': accepted });
        expect([path, accepted, response.headers.get('content-encoding')]).toEqual([path, accepted, coding]);
        const end = coding === 'br' ? '.br' : coding === 'gzip' ? '.gz' : '';
        const stored = readFileSync(join(directory, `${path.slice('/dashboard/'.length)}${end}`));
        expect(Number(response.headers.get('content-length'))).toBe(stored.length);
        expect(decode(stored).equals(file)).toBe(true);
        expect(Buffer.from(await response.arrayBuffer()).equals(file)).toBe(true);
        expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
      }
    }
    expect((await get('/dashboard/assets/main-OLD.js')).status).toBe(404);
    expect((await get('/dashboard/assets/../documents.json')).headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect((await get('/dashboard/icon.svg')).headers.get('content-type')).toBe('image/svg+xml');
  });

  it('before a build, its paths respond 404 and name the command', async () => {
    const response = await get('/dashboard', {}, unbuilt);
    expect([response.status, await response.text()]).toEqual([404, expect.stringContaining('npm run build')]);
  });

  it('the first load of every page is at most 90 kB gzipped', async () => {
    const sizeOf = (path: string): number => readFileSync(join(directory, `${path}.gz`)).length;
    const textOf = (path: string): string => readFileSync(join(directory, path), 'utf8');
    /** Adds the scripts that a script imports before it runs. */
    const withImports = (paths: Iterable<string>): Set<string> => {
      const all = new Set(paths);
      for (const path of all)
        if (path.endsWith('.js'))
          for (const [, name] of textOf(path).matchAll(/(?:import|from)"\.\/([\w-]+\.js)"/g)) all.add(`assets/${name}`);
      return all;
    };
    const common = withImports([...textOf('index.html').matchAll(/"\/dashboard\/(assets\/[^"]+)"/g)].map(([, path]) => path!));
    const pageNames = [
      ...readFileSync('dashboard/src/routes.ts', 'utf8').matchAll(/import\('\.\/(?:pages\/)?(\w+)\/(\w+)\.ts/g),
    ];
    expect(pageNames.length).toBeGreaterThan(15);
    const assets = readdirSync(join(directory, 'assets'));
    const sizes = pageNames.map(([, folder, file]) => {
      const name = file === 'index' ? folder! : file!;
      const script = assets.find((each) => new RegExp(`^${name}-[\\w-]{8}\\.js$`).test(each));
      const paths = withImports([...common, `assets/${script}`]);
      return [name, [...paths].reduce((sum, path) => sum + sizeOf(path), sizeOf('index.html'))] as const;
    });
    expect(sizes.filter(([, bytes]) => bytes > 90_000)).toEqual([]);
  });

  it('the documents of its pages are a manifest of trusted documents, that of a transaction included', async () => {
    const manifest = await readDashboardDocuments(directory);
    const trusted = createTrustedDocuments(manifest);
    const texts = Object.values(manifest);
    expect(texts.filter((text) => text.includes('submitTx(')).length).toBe(1);
    expect(texts.filter((text) => text.includes('@live')).length).toBeGreaterThan(5);
    for (const [id, text] of Object.entries(manifest)) expect([trusted.find(id), trusted.includes(text)]).toEqual([text, true]);
  });
});

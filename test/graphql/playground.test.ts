import { parse, validate } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { playgroundTabs } from '../../src/graphql/playground.ts';
import { schema } from '../../src/graphql/schema.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

it('is one page that loads nothing, and could not load anything from another host', async () => {
  const response = await fetch(`${stack.server.url}/graphql`, { headers: { accept: 'text/html' } });
  expect(response.status).toBe(200);
  const page = await response.text();
  // The markup around the bundled script: what a browser would fetch by itself.
  const markup = page
    .replace(/<script[^>]*>[\s\S]*?<\/script>/g, (script) => script.slice(0, script.indexOf('>') + 1))
    .replace(/<style[\s\S]*?<\/style>/g, '');
  const loaded = [...markup.matchAll(/\s(?:src|href|action)\s*=\s*["']?([^"'\s>]+)/g)].map(([, url]) => url!);
  expect(loaded.filter((url) => !url.startsWith('data:'))).toEqual([]);
  expect(markup.length).toBeLessThan(1_000_000);
  // And the browser is told so, whatever the script does: every kind of load falls back to this host.
  const policy = new Map(
    (response.headers.get('content-security-policy') ?? '').split(';').map((directive) => {
      const [name, ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );
  expect(policy.get('default-src')).toEqual(["'self'"]);
  const allowed = new Set(["'self'", "'unsafe-inline'", "'unsafe-eval'", 'blob:', 'data:', "'none'"]);
  expect([...policy.values()].flat().filter((source) => !allowed.has(source))).toEqual([]);
});

it('opens with three tabs that run', async () => {
  expect(playgroundTabs).toHaveLength(3);
  for (const { query, variables } of playgroundTabs) {
    expect(validate(schema, parse(query))).toEqual([]);
    const { body } = await stack.ask(query, JSON.parse(variables ?? '{}') as Record<string, unknown>);
    expect(body.errors).toBeUndefined();
  }
});

it('describes itself', async () => {
  const { body } = await stack.ask('{ __schema { types { name description fields { name description } } } }');
  const { types } = (body.data as { __schema: { types: { name: string; description: string | null }[] } }).__schema;
  expect(types.filter(({ description }) => description === null).map(({ name }) => name)).toEqual([]);
});

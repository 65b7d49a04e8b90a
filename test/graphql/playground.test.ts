import { parse, validate } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playgroundTabs } from '../../dashboard/playground/tabs.ts';
import { schema } from '../../src/graphql/schema.ts';
import { MsgSendSchema } from '../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { builtDashboard } from '../support/builds.ts';
import { any, startChain, type TestChain } from '../support/chain.ts';
import { type Stack, startStack } from '../support/stack.ts';

let chain: TestChain;
let stack: Stack;

beforeAll(async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url], { server: { dashboard: await builtDashboard() } });
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

it('the playground loads less than 600 kB, compressed, and nothing from another host', async () => {
  const load = async (path: string): Promise<{ readonly response: Response; readonly bytes: number }> => {
    const response = await fetch(`${stack.server.url}${path}`, { headers: { accept: 'text/html', 'accept-encoding': 'gzip' } });
    // `fetch` decompresses the body.
    return { response, bytes: Number(response.headers.get('content-length')) };
  };
  const { response, bytes } = await load('/graphql');
  expect([response.status, response.headers.get('content-encoding')]).toEqual([200, 'gzip']);
  const page = await response.text();
  const loaded = [...page.matchAll(/<(?:script|link)[^>]*\s(?:src|href)="([^"]+)"/g)].map(([, url]) => url!);
  expect(loaded.every((url) => url.startsWith('/dashboard/'))).toBe(true);
  const parts = await Promise.all(loaded.map(load));
  expect(parts.map((part) => part.response.status)).toEqual(loaded.map(() => 200));
  const total = parts.reduce((sum, part) => sum + part.bytes, bytes);
  expect(total).toBeGreaterThan(100_000);
  expect(total).toBeLessThan(600_000);
  // The content security policy restricts all requests of the script to this host.
  const policy = new Map(
    (response.headers.get('content-security-policy') ?? '').split(';').map((directive) => {
      const [name, ...sources] = directive.trim().split(/\s+/);
      return [name, sources];
    }),
  );
  expect([policy.get('default-src'), policy.get('script-src')]).toEqual([["'self'"], undefined]);
  const allowed = new Set(["'self'", "'unsafe-inline'", 'data:', "'none'"]);
  expect([...policy.values()].flat().filter((source) => !allowed.has(source))).toEqual([]);
});

/** Subscribes over server-sent events, commits a block, and returns the first event. */
async function firstEvent(query: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream' };
  const response = await fetch(`${stack.server.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) });
  await chain.devnet.commit();
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const [, data] = /^data: (.+)\n\n/m.exec(text) ?? [];
    if (data !== undefined) return JSON.parse(data);
  }
  return undefined;
}

describe('the tabs of the playground', () => {
  const names = playgroundTabs.map(({ query }) => /^(?:query|mutation|subscription) (\w+)/m.exec(query)![1]!);

  it('include examples of governance, a subscription and a mutation', () => {
    expect(names).toEqual(['Governance', 'TimeTravel', 'Blocks', 'Send', 'Node']);
  });

  it.each(playgroundTabs.map((tab, index) => ({ ...tab, name: names[index]! })))(
    'run on the embedded chain: $name',
    async ({ query, variables }) => {
      expect(validate(schema, parse(query))).toEqual([]);
      if (query.includes('\nsubscription ')) {
        expect(await firstEvent(query)).toMatchObject({ data: { newBlock: { height: expect.any(String) } } });
        return;
      }
      const { body } = await stack.ask(query, JSON.parse(variables ?? '{}') as Record<string, unknown>);
      expect(body.errors).toBeUndefined();
      if (query.includes('\nmutation ')) expect(body.data).toMatchObject({ broadcastTxSync: { status: 'ACCEPTED' } });
    },
  );

  it('send the first transaction of account 8 in the mutation', async () => {
    const fresh = await startChain();
    try {
      const [from, to] = [fresh.accounts[8]!, fresh.accounts[9]!];
      const amount = [{ denom: 'nhash', amount: '1000000000' }];
      const message = any(MsgSendSchema, { fromAddress: from.address, toAddress: to.address, amount });
      const tx = fresh.sign(from, [message], { memo: 'from the playground' });
      const { variables } = playgroundTabs.find(({ query }) => query.includes('\nmutation '))!;
      expect(JSON.parse(variables!)).toEqual({ tx: Buffer.from(tx).toString('base64') });
    } finally {
      await fresh.devnet.close();
    }
  });
});

it('the schema has a description for each type', async () => {
  const { body } = await stack.ask('{ __schema { types { name description fields { name description } } } }');
  const { types } = (body.data as { __schema: { types: { name: string; description: string | null }[] } }).__schema;
  expect(types.filter(({ description }) => description === null).map(({ name }) => name)).toEqual([]);
});

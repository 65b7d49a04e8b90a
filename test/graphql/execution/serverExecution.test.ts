import { createClient as createSocketClient } from 'graphql-ws';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { startChain, type TestChain } from '../../support/chain.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain | undefined;
let stack: Stack | undefined;

afterEach(async () => {
  await stack?.close();
  await chain?.devnet.close();
});

it('compiles an operation once, over HTTP and over a socket, and counts its memory in the cache of documents', async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  const { client, server, ask } = stack;
  const bytes = (): number => client.memory.stats().find(({ cache }) => cache === 'documents')?.bytes ?? 0;
  const query =
    'query($version: Boolean!, $id: Boolean!, $first: Int = 1) { groups(first: $first) { nodes { version @include(if: $version) id @include(if: $id) } } }';

  const first = await ask(query, { version: true, id: false });
  expect(first.body).toMatchObject({ data: { groups: { nodes: [{ version: expect.any(String) }] } } });
  const compiled = bytes();
  await ask(query, { version: true, id: false, first: 2 });
  expect(bytes()).toBe(compiled);
  // Other values of the conditions select other fields, which are planned on their own.
  await ask(query, { version: true, id: true });
  const both = bytes();
  expect(both).toBeGreaterThan(compiled);

  const socket = createSocketClient({ url: `${server.url.replace('http', 'ws')}/graphql`, webSocketImpl: WebSocket });
  const results = [];
  for await (const result of socket.iterate({ query, variables: { version: false, id: true } })) results.push(result);
  await socket.dispose();
  expect(results).toMatchObject([{ data: { groups: { nodes: [{ id: expect.any(String) }] } } }]);
  expect(bytes()).toBeGreaterThan(both);
});

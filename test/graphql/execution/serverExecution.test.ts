import { getIntrospectionQuery, introspectionFromSchema } from 'graphql';
import { createClient as createSocketClient } from 'graphql-ws';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { documentBytes } from '../../../src/graphql/documents/documents.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { runsAll, some } from '../../support/atRandom.ts';
import { startChain, type TestChain } from '../../support/chain.ts';
import { overWebSocket } from '../../support/listeners.ts';
import { type Stack, startStack } from '../../support/stack.ts';

let chain: TestChain | undefined;
let stack: Stack | undefined;

afterEach(async () => {
  await stack?.close();
  await chain?.devnet.close();
});

/** The memory of a compiled field is larger. The JSON that is kept of a value is smaller here. */
const ofOneField = 500;

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
  expect(bytes() - compiled).toBeLessThan(ofOneField);
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

it.runIf(runsAll)('answers introspection as graphql-js does, with every option of its query', async () => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  const options = {
    descriptions: true,
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    experimentalDirectiveDeprecation: true,
    oneOf: true,
  };
  const { body } = await stack.ask(getIntrospectionQuery(options));
  expect(body.errors).toBeUndefined();
  expect(body.data).toEqual(introspectionFromSchema(schema, options));
  const one = await stack.ask(
    '{ __type(name: "Coin") { kind fields(includeDeprecated: true) { name } possibleTypes { name } } }',
  );
  expect(one.body).toMatchObject({ data: { __type: { kind: 'OBJECT', possibleTypes: null } } });
  expect(one.body.errors).toBeUndefined();
});

it.each(
  some(
    [
      ['a subscription', 'subscription { newBlock { height hash time proposer { votingPower } } }'],
      ['a live query', 'query @ live { groups ( first : 1 ) { nodes { id version } } }'],
    ],
    2,
  ),
)('counts what is compiled of %s in the cache of documents, once for all clients', async (_, query) => {
  chain = await startChain();
  stack = await startStack([chain.node.url]);
  const { client, server } = stack;
  await client.head.ready();
  const bytes = (): number => client.memory.stats().find(({ cache }) => cache === 'documents')?.bytes ?? 0;
  const listening = (): number => server.subscriptions().subscribers + server.subscriptions().live.listeners;

  const first = await overWebSocket(server.url, query);
  await expect.poll(listening, { interval: 2 }).toBe(1);
  await chain.devnet.commit();
  await first.count(1);
  first.drop();
  await expect.poll(listening, { interval: 2 }).toBe(0);
  const compiled = bytes();
  // The query is in normal form: its tokens are separated by spaces.
  expect(compiled).toBeGreaterThan(documentBytes(query, query.split(' ').length, query));

  const second = await overWebSocket(server.url, query);
  await expect.poll(listening, { interval: 2 }).toBe(1);
  await chain.devnet.commit();
  await second.count(1);
  second.drop();
  expect(bytes() - compiled).toBeLessThan(ofOneField);
});

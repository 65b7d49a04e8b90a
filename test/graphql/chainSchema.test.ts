import { FieldDescriptorProto_Type, type FileDescriptorSet } from '@bufbuild/protobuf/wkt';
import { buildClientSchema, buildSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { createClient } from '../../packages/client/src/index.ts';
import type { JsonObject } from '../../src/chain/wire/json.ts';
import { runsAll, some } from '../support/atRandom.ts';
import { startChain, type TestChain } from '../support/chain.ts';
import { type Ending, type Listener, overEvents, transports } from '../support/listeners.ts';
import { type Stack, startStack } from '../support/stack.ts';
import { boolField, messageIn, upgradeNode } from '../support/upgrade.ts';

let chain: TestChain;
let stack: Stack;
const listeners: Listener[] = [];

beforeEach(async () => {
  chain = await startChain({ bare: true });
});
afterEach(async () => {
  for (const listener of listeners.splice(0)) listener.drop();
  chain.node.heal();
  await stack.close();
  await chain.devnet.close();
  expect(stack.masked).toEqual([]);
});

const start = async (typed: 'all' | readonly string[] = 'all') => {
  stack = await startStack([chain.node.url], { server: { typed }, upstream: { timeout: 2_000, probeInterval: 20 } });
};

const callsOf = (method: string): number => chain.node.counters.byMethod[method] ?? 0;

const supply = '{ cosmos { bank { v1beta1 { supplyOf(denom: "nhash") { amount { denom amount } } } } } }';
const params =
  'query Params @live { cosmos { bank { v1beta1 { params { params { defaultSendEnabled } } } } } head { height } }';

const upgrade = (version: string, change: (set: FileDescriptorSet) => void): void => upgradeNode(chain.node, version, change);

/** Adds a field, changes the type of another one, and removes a method. */
function changed(set: FileDescriptorSet): void {
  const coin = messageIn(set, 'cosmos/bank/v1beta1/bank.proto', 'Params');
  coin.field.push(boolField('new_flag', 'newFlag', 99));
  const flag = coin.field.find(({ name }) => name === 'default_send_enabled')!;
  flag.type = FieldDescriptorProto_Type.UINT64;
  const service = set.file.find(({ name }) => name === 'cosmos/bank/v1beta1/query.proto')!.service[0]!;
  service.method = service.method.filter(({ name }) => name !== 'SupplyOf');
}

async function listen(over: typeof overEvents, document: string): Promise<Listener> {
  const listener = await over(stack.server.url, document, {});
  listeners.push(listener);
  return listener;
}

describe('the schema of a server', () => {
  it('has the types of its chain from its first request on', async () => {
    await start();
    const { body } = await stack.ask(supply);
    expect(body).toMatchObject({
      data: {
        cosmos: { bank: { v1beta1: { supplyOf: { amount: { denom: 'nhash', amount: expect.stringMatching(/^\d+$/) } } } } },
      },
    });
  });

  it('is in introspection, in _service and at /schema.graphql', async () => {
    await start();
    const { body } = await stack.ask(getIntrospectionQuery());
    const introspected = buildClientSchema(body.data as IntrospectionQuery);
    expect(introspected.getType('CosmosBankV1beta1Metadata')?.toString()).toBe('CosmosBankV1beta1Metadata');
    const service = await stack.ask('{ _service { sdl } }');
    const { sdl } = (service.body.data as { _service: { sdl: string } })._service;
    expect(sdl).toContain('type CosmosBankV1beta1Metadata {');
    expect(await (await fetch(`${stack.server.url}/schema.graphql`)).text()).toBe(sdl);
    buildSchema(sdl, { assumeValidSDL: true });
  });

  it('has the types of the given packages only', async () => {
    await start(['cosmos.bank']);
    const { body } = await stack.ask('{ cosmos { __typename } __type(name: "CosmosQueries") { fields { name } } }');
    expect(body.data).toEqual({ cosmos: { __typename: 'CosmosQueries' }, __type: { fields: [{ name: 'bank' }] } });
    const { body: auth } = await stack.ask('{ __type(name: "CosmosAuthV1beta1Params") { name } }');
    expect(auth.data).toEqual({ __type: null });
  });

  it.runIf(runsAll)('reads at a height, and an equal request gets the kept answer', async () => {
    await start();
    await chain.devnet.commit();
    const at = { 'x-cosmos-block-height': '1' };
    const first = await stack.ask(supply, {}, at);
    expect(first.height).toBe('1');
    const calls = callsOf('abci_query');
    expect((await stack.ask(supply, {}, at)).body).toEqual(first.body);
    expect(callsOf('abci_query')).toBe(calls);
  });

  it('is that of all chains if the node describes no types', async () => {
    chain.node.faults.forge = ({ params }, result) =>
      JSON.stringify(params ?? null).includes('FileDescriptors')
        ? {
            response: {
              ...(result as { response: JsonObject }).response,
              code: 6,
              codespace: 'sdk',
              log: 'unknown query path',
              value: null,
            },
          }
        : result;
    await start();
    const { body } = await stack.ask(supply);
    expect(body.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it.runIf(runsAll)(
    'a document that needs the types of the chain fails as a read while no node responds, others do not',
    async () => {
      await chain.node.stop();
      await start();
      const { body } = await stack.ask(supply);
      expect(body.errors?.[0]?.extensions.code).toBe('NODE_UNREACHABLE');
      expect((await stack.ask('{ limits { name } }')).body.errors).toBeUndefined();
      await chain.node.start();
      await stack.client.head.ready();
      expect((await stack.ask(supply)).body.errors).toBeUndefined();
    },
  );
});

describe('an upgrade', () => {
  it.each(some(Object.entries(transports), 2))(
    'replaces the schema; over %s, streams that are not valid any more end with the differences',
    async (_, over) => {
      await start();
      const ending = await listen(over, `query Supply @live ${supply}`);
      const going = await listen(over, params);
      await expect.poll(() => [ending.answers.length, going.answers.length], { interval: 2 }).toEqual([1, 1]);
      let ended: Ending | undefined;
      void ending.ended.then((how) => {
        ended = how;
      });
      const flagOf = ({ answers }: Listener) => JSON.stringify(answers.at(-1)!.data).match(/"defaultSendEnabled":([^}]*)/)?.[1];
      expect(flagOf(going)).toBe('true');
      const before = await stack.ask(supply, {}, { 'x-cosmos-block-height': '1' });
      expect(before.body.errors).toBeUndefined();

      upgrade('v9.9.9', changed);
      await expect
        .poll(
          async () => {
            await chain.devnet.commit();
            return ended;
          },
          { interval: 50, timeout: 20_000 },
        )
        .toMatchObject({
          errors: [
            {
              extensions: {
                code: 'SCHEMA_CHANGED',
                differences: ['Cannot query field "supplyOf" on type "CosmosBankV1beta1Queries".'],
              },
            },
          ],
        });
      // The same height, and the same bytes of the request.
      const after = await stack.ask(supply, {}, { 'x-cosmos-block-height': '1' });
      expect(after.body.errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
      await expect.poll(() => flagOf(going), { interval: 2 }).toBe('"1"');
      const { body } = await stack.ask('{ cosmos { bank { v1beta1 { params { params { newFlag } } } } } }');
      expect(body.data).toEqual({ cosmos: { bank: { v1beta1: { params: { params: { newFlag: false } } } } } });
    },
    30_000,
  );

  it.runIf(runsAll)(
    'ends the loop of a client with the differences, and the client can go on with another document',
    async () => {
      await start();
      const client = createClient({ url: `${stack.server.url}/graphql`, webSocket: WebSocket, token: () => 'any' });
      const results: unknown[] = [];
      const loop = async (): Promise<void> => {
        for await (const { data } of client.live(`query Supply @live ${supply}`)) results.push(data);
      };
      const running = loop().catch((error: unknown) => error);
      await expect.poll(() => results.length, { interval: 2 }).toBe(1);
      upgrade('v9.9.9', changed);
      await expect.poll(() => chain.devnet.commit().then(() => stack.server.subscriptions().live.listeners)).toBe(0);
      expect(await running).toMatchObject({
        code: 'SCHEMA_CHANGED',
        facts: { differences: ['Cannot query field "supplyOf" on type "CosmosBankV1beta1Queries".'] },
      });
      const { data } = await client.query('{ cosmos { bank { v1beta1 { params { params { newFlag } } } } } }');
      expect(data).toMatchObject({ cosmos: { bank: { v1beta1: { params: { params: { newFlag: false } } } } } });
      client.close();
    },
  );

  it('without other types keeps the schema and the streams', async () => {
    await start();
    const going = await listen(overEvents, params);
    await expect.poll(() => going.answers.length, { interval: 2 }).toBe(1);
    upgrade('v9.9.9', () => undefined);
    await expect
      .poll(async () => {
        await chain.devnet.commit();
        return callsOf('abci_info');
      })
      .toBeGreaterThan(2);
    const { body } = await stack.ask(supply);
    expect(body.errors).toBeUndefined();
    await chain.devnet.commit();
    await going.count(1);
    going.complete();
    expect(await going.ended).not.toHaveProperty('errors');
  });
});

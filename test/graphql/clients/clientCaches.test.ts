import { readFileSync } from 'node:fs';
import { type DocumentNode, gql } from '@apollo/client';
import { isObjectType, parse } from 'graphql';
import relayRuntime, { type PayloadData } from 'relay-runtime';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createCache, createStele } from '../../../examples/clientCaches/apollo.ts';
import { createStele as createUrql, keys } from '../../../examples/clientCaches/graphcache.ts';
import { createFetch, getDataID } from '../../../examples/clientCaches/relay.ts';
import { schema } from '../../../src/graphql/schema.ts';
import { MsgLeaveGroupSchema } from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { createAuth } from '../../../src/start/authSetup.ts';
import { any, startChain, type TestChain } from '../../support/chain.ts';
import { relayRequest } from '../../support/relayRequest.ts';
import { type Stack, startStack } from '../../support/stack.ts';

const { createOperationDescriptor, Environment, Network, RecordSource, Store } = relayRuntime;

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

/** The query of docs/heights.md, "Read at an earlier height". */
const oneHeight = /## Read at an earlier height\n.*?```graphql\n(.*?)```/s.exec(read('docs/heights.md'))![1]!;

const live = '{ group(id: 1) { id version totalWeight } }';

interface GroupFields {
  readonly id: string;
  readonly version: string;
  readonly totalWeight: string;
}

interface Live {
  readonly group: GroupFields;
}

interface OneHeight {
  readonly head: { readonly height: string };
  readonly groups: { readonly nodes: readonly GroupFields[] };
  readonly at: OneHeight;
}

let chain: TestChain;
let stack: Stack;
let url: string;
let token: string;
/** What the caches print to the console, where they warn about lost or unidentified data. */
let printed: unknown[][];

/** Makes a member leave the first group, which changes the version and the total weight of the group. */
async function change(member: number): Promise<void> {
  const { address } = chain.accounts[member]!;
  await chain.run(chain.accounts[member]!, any(MsgLeaveGroupSchema, { address, groupId: 1n }));
  await stack.client.head.waitFor(chain.devnet.height, { milliseconds: 30_000 });
}

/** Queries Stele directly, without a client cache. */
async function readDirectly(document: string): Promise<unknown> {
  const { body } = await stack.ask(document, {}, { authorization: `Bearer ${token}` });
  expect(body.errors).toBeUndefined();
  return body.data;
}

/** Checks that an answer contains two heights and two versions of one group. */
function expectTwoHeights(answer: unknown): void {
  const { head, groups, at } = answer as OneHeight;
  const [now, then] = [groups.nodes[0]!, at.groups.nodes[0]!];
  expect([now.id, then.id]).toEqual(['1', '1']);
  expect(at.head.height).toBe('1');
  expect(head.height).toBe(chain.devnet.height.toString());
  expect(then.version).not.toBe(now.version);
  expect(then.totalWeight).not.toBe(now.totalWeight);
}

beforeAll(async () => {
  chain = await startChain();
  const config = { kind: 'embedded', audience: undefined, clientsFile: undefined, keysFile: undefined, lifetime: 600 } as const;
  const { auth, issuer, devnetToken } = await createAuth(config, { address: () => stack.server.url, report: console.error });
  stack = await startStack([chain.node.url], { server: { auth, issuer } });
  url = `${stack.server.url}/graphql`;
  token = await devnetToken!();
});

beforeEach(() => {
  printed = [];
  for (const level of ['warn', 'error'] as const)
    vi.spyOn(console, level).mockImplementation((...args) => void printed.push(args));
});

afterEach(() => {
  vi.restoreAllMocks();
});

afterAll(async () => {
  await stack.close();
  await chain.devnet.close();
});

describe('a query at two heights', () => {
  it('is read back unchanged from the cache of Apollo Client, and data at the head is merged', async () => {
    await change(7);
    const client = createStele(url, async () => token);
    const withoutTypes = (data: unknown): unknown =>
      JSON.parse(JSON.stringify(data), (name, value: unknown) => (name === '__typename' ? undefined : value));
    const cached = (query: DocumentNode): unknown => withoutTypes(client.readQuery({ query }));

    const first = await readDirectly(oneHeight);
    expectTwoHeights(first);
    await client.query({ query: gql(oneHeight) });
    expect(cached(gql(oneHeight))).toEqual(first);
    const objects = client.cache.extract() as Readonly<Record<string, unknown>>;
    const { at, groups } = first as OneHeight;
    expect(objects['Group:1']).toMatchObject(groups.nodes[0]!);
    expect(objects['Group:1@1']).toMatchObject(at.groups.nodes[0]!);
    expect(Object.keys(objects)).toEqual(expect.arrayContaining([`Block:${chain.devnet.height}`, 'Block:1@1', 'Snapshot:1']));

    // A new answer at the head updates the group at the head, and not the one at the old height.
    await change(6);
    const later = (await readDirectly(live)) as Live;
    expect(later.group).not.toEqual(groups.nodes[0]);
    await client.query({ query: gql(live), fetchPolicy: 'network-only' });
    const after = cached(gql(oneHeight)) as OneHeight;
    expect(after.groups.nodes).toEqual([later.group]);
    expect(after.at).toEqual(at);
    // Another query at the same height is merged into its snapshot.
    await client.query({ query: gql('{ at(height: 1) { height supplyOf(denom: "nhash") { amount } } }') });
    expect((cached(gql(oneHeight)) as OneHeight).at).toEqual(at);
    expect(printed).toEqual([]);
    client.stop();
  });

  it("is read back unchanged from urql's graphcache, and data at the head is merged", async () => {
    await change(5);
    const client = createUrql(url, () => token);
    const cached = async (query: string): Promise<unknown> => {
      const { data, error } = await client.query(query, {}, { requestPolicy: 'cache-only' }).toPromise();
      expect(error).toBeUndefined();
      return data;
    };

    const first = await readDirectly(oneHeight);
    expectTwoHeights(first);
    await client.query(oneHeight, {}).toPromise();
    expect(await cached(oneHeight)).toMatchObject(first as object);

    await change(4);
    const later = (await readDirectly(live)) as Live;
    const { at, groups } = first as OneHeight;
    expect(later.group).not.toEqual(groups.nodes[0]);
    await client.query(live, {}, { requestPolicy: 'network-only' }).toPromise();
    const after = (await cached(oneHeight)) as OneHeight;
    expect(after.groups.nodes).toMatchObject([later.group]);
    expect(after.at).toMatchObject(at);
    expect(printed).toEqual([]);
  });
});

describe('a query at two heights in Relay', () => {
  /** Stores this answer in a Relay store and reads it back. */
  function relay(answer: unknown, options: { getDataID?: typeof getDataID }): unknown {
    const network = Network.create(() => {
      throw new Error('Nothing is fetched.');
    });
    const environment = new Environment({ network, store: new Store(new RecordSource()), ...options });
    const operation = createOperationDescriptor(relayRequest(schema, oneHeight), {});
    environment.commitPayload(operation, answer as PayloadData);
    return environment.lookup(operation.fragment).data;
  }

  it('is read back unchanged from the store with the key function', async () => {
    await change(3);
    const { data: answer } = await createFetch(url, async () => token)({ text: oneHeight }, {});
    expectTwoHeights(answer);
    expect(relay(answer, { getDataID })).toEqual(answer);
    expect(printed).toEqual([]);
    // Without the key function, one height overwrites the other, and Relay prints a warning.
    expect(relay(answer, {})).not.toEqual(answer);
    expect(printed.flat().join()).toContain('conflicting field');
  });
});

describe('the key function for Relay', () => {
  it.each([
    ['Group', { id: '1', version: '2' }, 'Group:1'],
    ['Group', { id: '1', asOfHeight: '240' }, 'Group:1@240'],
    ['Account', { address: 'tp1x', asOfHeight: '240' }, 'Account:tp1x@240'],
    ['Snapshot', { height: '240' }, 'Snapshot:240'],
    ['Account', { sequence: '1' }, null],
    ['ChannelStatus', { id: 0 }, null],
  ])('the key of Relay for %s %j', (typeName, fieldValue, key) => {
    expect(getDataID(fieldValue, typeName)).toBe(key);
  });
});

describe('docs/client-caches.md', () => {
  const page = read('docs/client-caches.md');
  /** The types whose objects say at which height they were read, except the validators, of which an answer can have several. */
  const stored = Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && 'asOfHeight' in type.getFields() && type.name !== 'Validator')
    .map(({ name }) => name)
    .concat('Snapshot')
    .toSorted();

  it('lists every type that is stored by a key, as each key function does', () => {
    const rows = /\| type \| key field \|\n(.*?)\n\n/s.exec(page)![1]!.split('\n').slice(1);
    const fields = new Map(
      rows.flatMap((row) => {
        const [types, [field]] = row.split(' | ').map((cell) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name!)) as [
          string[],
          [string],
        ];
        return types.map((type) => [type, field] as const);
      }),
    );
    expect([...fields.keys()].toSorted()).toEqual(stored);
    for (const [type, field] of fields) {
      expect(getDataID({ [field]: 'x' }, type)).toBe(`${type}:x`);
      expect(createCache().identify({ __typename: type, [field]: 'x' })).toBe(`${type}:x`);
      expect(keys[type]!({ __typename: type, [field]: 'x' })).toBe('x');
    }
  });

  it('has in docs/federation.md the entities of the schema with their keys', () => {
    const rows = [...read('docs/federation.md').matchAll(/^\| (`.*`) \| (`.*`) \|$/gm)];
    const listed = rows.flatMap(([, types, fields]) =>
      types!.split(', ').map((type) => `${type} ${fields}`.replaceAll('`', '')),
    );
    const entities = [
      ...read('schema/schema.graphql').matchAll(/^type (\w+)(?: implements \w+)?((?: @key\(fields: "\w+"\))+)/gm),
    ];
    expect(listed.toSorted()).toEqual(
      entities
        .map(([, type, found]) => `${type} ${[...found!.matchAll(/"(\w+)"/g)].map(([, field]) => field).join(', ')}`)
        .toSorted(),
    );
  });

  it.each(['apollo', 'graphcache', 'relay'])('has the code of examples/clientCaches/%s.ts', (name) => {
    expect(page).toContain(`\`\`\`ts\n${read(`examples/clientCaches/${name}.ts`)}\`\`\``);
  });

  it('has the query of docs/heights.md', () => {
    expect(parse(oneHeight).definitions).toHaveLength(1);
    expect(page).toContain(`\`\`\`graphql\n${oneHeight}\`\`\``);
  });
});

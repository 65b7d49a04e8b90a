import { type DescField, type DescMessage, fromJson, ScalarType, toBinary } from '@bufbuild/protobuf';
import { type GraphQLOutputType, type GraphQLSchema, getNamedType, isEnumType, isObjectType, isScalarType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../../../src/chain/client.ts';
import type { DescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { isQueryService, isSimulation } from '../../../src/chain/simulation/execution.ts';
import type { JsonValue } from '../../../src/chain/wire/json.ts';
import { customTypeOf, messageJson, scalarNameOf } from '../../../src/chain/wire/protoJson.ts';
import { schema as baseSchema } from '../../../src/graphql/schema.ts';
import { addChainTypes } from '../../../src/modules/typed/schema.ts';
import { TypeTable } from '../../../src/modules/typed/types.ts';
import { argumentsJson, fieldsOf } from '../../../src/modules/typed/values.ts';
import { camelCased, readRecording } from '../../recordings/recordings.ts';
import { createReplayNode, type ReplayNode } from '../../replay/replayNode.ts';
import { runsAll, seed, some } from '../../support/atRandom.ts';
import { type Stack, startStack } from '../../support/stack.ts';
import { executeAt } from '../../support/typedQueries.ts';

let node: ReplayNode;
let stack: Stack;
let client: Client;
let pool: DescriptorPool;
let schema: GraphQLSchema;

beforeAll(async () => {
  node = await createReplayNode();
  stack = await startStack([node.url]);
  client = stack.client;
  await client.head.ready();
  pool = await client.descriptors.pool();
  schema = addChainTypes(baseSchema, pool, pool.services.filter(isQueryService));
});
afterAll(async () => {
  await stack.close();
  await node.close();
});

/** Executes at a height. */
function ask(query: string, variableValues: Record<string, unknown>, height: bigint, of = client) {
  return executeAt(schema, of, height, query, variableValues);
}

/** A selection of every field of a type but links, to the bottom. A type is not selected within itself. */
function selectionOf(type: GraphQLOutputType, path: readonly string[] = []): string {
  const named = getNamedType(type);
  if (isScalarType(named) || isEnumType(named)) return '';
  if (named.name === 'Coin') return '{ denom amount }';
  if (named.name === 'AnyMessage') return '{ type json }';
  if (!isObjectType(named)) return '{ __typename }';
  const names = Object.values(named.getFields())
    .filter(
      (field) =>
        !['Account', 'Validator'].includes(getNamedType(field.type).name) &&
        ![...path, named.name].includes(getNamedType(field.type).name),
    )
    .filter(({ name }) => name !== 'pageInfo' && name !== 'totalCount')
    .map((field) => `${field.name} ${selectionOf(field.type, [...path, named.name])}`);
  return `{ __typename ${names.join(' ')} }`;
}

/** The text of a number without zeros that say nothing. */
const plainNumber = (text: unknown): unknown =>
  typeof text === 'string' && /^-?\d+\.\d+$/.test(text) ? text.replace(/\.?0+$/, '') : text;

/** What GraphQL returns of a value of canonical JSON. */
function graphqlOf(field: DescField, json: JsonValue | undefined, path: readonly string[]): unknown {
  const { message } = field;
  if (message !== undefined) return messageOf(message, json, path);
  if (json === undefined || json === null) return null;
  if (field.scalar === ScalarType.UINT32 || field.scalar === ScalarType.FIXED32) return String(json);
  return plainNumber(json);
}

function messageOf(desc: DescMessage, json: JsonValue | undefined, path: readonly string[]): unknown {
  if (json === undefined || json === null) return null;
  if (desc.typeName === 'google.protobuf.Any') return { type: (json as { '@type': string })['@type'], json };
  if (desc.typeName === 'google.protobuf.Duration')
    return String(json)
      .replace(/(\.\d*?)0+s$/, '$1s')
      .replace(/\.s$/, 's');
  if (/^google\.protobuf\.(Timestamp|Struct|ListValue|FieldMask|Empty|\w*Value)$/.test(desc.typeName)) return json;
  const object = json as Record<string, JsonValue>;
  if (desc.typeName === 'cosmos.base.v1beta1.Coin') return { denom: object.denom, amount: object.amount };
  const within = [...path, desc.typeName];
  const members = desc.fields
    .filter(({ message }) => message?.typeName !== 'cosmos.base.query.v1beta1.PageResponse')
    .filter(({ message, fieldKind }) => message === undefined || fieldKind === 'map' || !within.includes(message.typeName))
    .map((field): [string, unknown] => {
      const value = object[field.jsonName];
      if (field.fieldKind === 'list')
        return [field.jsonName, ((value as JsonValue[] | undefined) ?? []).map((item) => graphqlOf(field, item, within))];
      if (field.fieldKind === 'map')
        return [
          field.jsonName,
          Object.entries(value ?? {}).map(([key, item]) => ({
            key,
            ...(!within.includes(field.message?.typeName ?? '') && { value: graphqlOf(field, item as JsonValue, within) }),
          })),
        ];
      return [field.jsonName, graphqlOf(field, value, within)];
    });
  return Object.fromEntries(members);
}

/** Drops the names of types, and the text of empty messages. */
function withoutNames(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNames);
  if (typeof value !== 'object' || value === null) return plainNumber(value);
  const { type, json } = value as { type?: unknown; json?: unknown };
  if (typeof type === 'string' && json !== undefined && Object.keys(value).length === 2) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '__typename' && name !== '_empty')
      .map(([name, inner]) => [name, withoutNames(inner)]),
  );
}

/** The field of a method, and where it is. */
function typedField(path: string) {
  const [service = '', methodName = ''] = path.slice(1).split('/');
  const method = pool.service(service)!.methods.find(({ name }) => name === methodName)!;
  const parts = method.parent.file.proto.package.split('.');
  let type = schema.getQueryType()!;
  for (const part of parts) type = getNamedType(type.getFields()[part]!.type) as typeof type;
  const fieldName = methodName.charAt(0).toLowerCase() + methodName.slice(1);
  return { method, parts, fieldName, field: type.getFields()[fieldName]! };
}

/** The text of a query of one field of a namespace. */
const queryOf = (parts: readonly string[], variables: string, inner: string): string =>
  `query ${variables === '' ? '' : `(${variables})`} { ${parts.reduceRight((text, part) => `${part} { ${text} }`, inner)} }`;

/** The value of the field in a result. */
const answerOf = (parts: readonly string[], fieldName: string, data: unknown): Record<string, unknown> =>
  [...parts, fieldName].reduce<unknown>((value, part) => (value as Record<string, unknown>)[part], data) as Record<
    string,
    unknown
  >;

describe('typed queries return what a real node returned', () => {
  /** Rows that a typed query cannot ask for: at no height, with a page key of the chain, in another direction than it reads, or of a page without a size. */
  const isAsked = ({ path, requestJson, response, height }: ReturnType<typeof readRecording<'queries'>>[number]): boolean => {
    const { key, limit, reverse } = (requestJson.pagination ?? {}) as { key?: string; limit?: string; reverse?: boolean };
    if (response.code !== 0 || height === '0' || key !== undefined || Number(limit ?? 1) > 100) return false;
    if (limit === undefined && ['DenomsMetadata', 'Classes'].some((name) => path.endsWith(`/${name}`))) return false;
    return !(reverse === true && path.startsWith('/cosmos.group.v1.'));
  };
  const rows = readRecording('queries').filter(isAsked);

  it.each(some(rows, 6).map((row) => [`${row.name} ${row.request} at ${row.height}`, row] as const))('%s', async (_, row) => {
    const { method, parts, fieldName, field } = typedField(row.path);
    const request = camelCased(row.requestJson) as Record<string, JsonValue>;
    const { pagination, ...own } = request;
    const page = (pagination ?? {}) as {
      limit?: string;
      offset?: string;
      key?: string;
      reverse?: boolean;
      countTotal?: boolean;
    };
    const values: Record<string, unknown> = { ...own };
    if (field.args.some(({ name }) => name === 'first')) {
      values.first = Number(page.limit ?? 0) || 100;
      if (page.offset !== undefined) values.offset = Number(page.offset);
      if (page.reverse === true) values.reverse = true;
    }
    const args = field.args.filter(({ name }) => values[name] !== undefined);
    const variables = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(' ');
    const call = args.map((arg) => `${arg.name}: $${arg.name}`).join(' ');
    const selection = selectionOf(field.type).replace(/}$/, page.countTotal === true ? ' totalCount }' : '}');
    const inner = `${fieldName}${call === '' ? '' : `(${call})`} ${selection}`;
    const query = queryOf(parts, variables, inner);
    const result = await ask(query, values, BigInt(row.height === '0' ? row.response.height : row.height));
    expect(result.errors?.map(({ message }) => message)).toBeUndefined();
    const { totalCount, ...answer } = answerOf(parts, fieldName, result.data);
    const total = (row.decoded?.pagination as { total?: string } | undefined)?.total;
    expect(totalCount).toBe(page.countTotal === true ? total : undefined);
    expect(withoutNames(answer)).toEqual(withoutNames(messageOf(method.output, camelCased(row.decoded!), [])));
  });
});

/** The JSON of a random message with every field set, five levels deep. Of a `oneof`, one field is set. */
function randomJson(desc: DescMessage, random: () => number, depth = 5): JsonValue {
  const digits = (): string => String(Math.floor(random() * 1e9) + 1);
  if (desc.typeName === 'google.protobuf.Any')
    return { '@type': '/cosmos.bank.v1beta1.MsgSend', fromAddress: digits(), toAddress: digits(), amount: [] };
  if (desc.typeName === 'google.protobuf.Timestamp') return `20${10 + Math.floor(random() * 90)}-01-02T03:04:05.120Z`;
  if (desc.typeName === 'google.protobuf.Duration') return `${digits()}.5s`;
  const itemOf = (field: DescField): JsonValue => {
    if (field.message !== undefined) return randomJson(field.message, random, depth - 1);
    if (field.enum !== undefined) return field.enum.values[Math.floor(random() * field.enum.values.length)]!.name;
    if (field.scalar === ScalarType.BYTES) return Buffer.from(digits()).toString('base64');
    if (field.scalar === ScalarType.BOOL) return random() < 0.5;
    if (field.scalar === ScalarType.UINT32 || field.scalar === ScalarType.FIXED32)
      return 4_000_000_000 + Math.floor(random() * 1e8);
    if (field.scalar === ScalarType.STRING && scalarNameOf(field) === 'cosmos.Dec' && customTypeOf(field) === undefined)
      return `${digits()}.25`;
    return /INT64|FIXED64/.test(ScalarType[field.scalar!])
      ? `9${digits()}${digits()}`.slice(0, 18)
      : field.scalar === ScalarType.STRING
        ? digits()
        : Number(digits());
  };
  const chosen = new Set<string>();
  const members = desc.fields.flatMap((field): [string, JsonValue][] => {
    if (field.message !== undefined && depth === 0) return [];
    if (field.oneof !== undefined && chosen.has(field.oneof.name)) return [];
    if (field.oneof !== undefined) chosen.add(field.oneof.name);
    if (field.fieldKind === 'list') return [[field.jsonName, [itemOf(field), itemOf(field)]]];
    if (field.fieldKind === 'map')
      return [[field.jsonName, { [field.mapKey === ScalarType.BOOL ? 'true' : digits()]: itemOf(field) }]];
    return [[field.jsonName, itemOf(field)]];
  });
  return Object.fromEntries(members);
}

/** Random numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

describe('every query method of the chain is typed, and returns what its response says', () => {
  it.runIf(runsAll)('of random responses', async () => {
    const random = randomNumbers(seed);
    const responses = new Map<string, Uint8Array>();
    await using own = await createReplayNode({
      instead: (name, { path }) => {
        const value = name === 'abci_query' ? responses.get(String(path)) : undefined;
        if (value === undefined) return undefined;
        const response = {
          code: 0,
          log: '',
          info: '',
          index: '0',
          key: null,
          value: Buffer.from(value).toString('base64'),
          proofOps: null,
          height: '566',
          codespace: '',
        };
        return { result: { response } };
      },
    });
    const over = await startStack([own.url]);
    await over.client.head.ready();
    const services = pool.services.filter(isQueryService).map((name) => pool.service(name)!);
    const methods = services.flatMap((service) => service.methods.filter(({ name }) => !isSimulation(service.typeName, name)));
    for (const { parent, name } of methods) typedField(`/${parent.typeName}/${name}`);
    for (const { parent, name, output } of methods) {
      const path = `/${parent.typeName}/${name}`;
      const { registry } = pool;
      const bytes = toBinary(output, fromJson(output, randomJson(output, random) as never, { registry }));
      responses.set(path, bytes);
      const { parts, fieldName, field } = typedField(path);
      const result = await ask(queryOf(parts, '', `${fieldName} ${selectionOf(field.type)}`), {}, 566n, over.client);
      expect([path, result.errors?.map(({ message }) => message)]).toEqual([path, undefined]);
      expect([path, withoutNames(answerOf(parts, fieldName, result.data))]).toEqual([
        path,
        withoutNames(messageOf(output, messageJson(registry, output, bytes), [])),
      ]);
    }
    expect(methods.length).toBeGreaterThan(280);
    await over.close();
  });
});

describe('a typed query', () => {
  const groups = (args: string): string =>
    `{ cosmos { group { v1 { groups(${args}) { groups { id } pageInfo { hasNextPage hasPreviousPage endCursor } } } } } }`;
  interface Groups {
    readonly groups: readonly { readonly id: string }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly hasPreviousPage: boolean; readonly endCursor: string | null };
  }
  const groupsOf = (data: unknown): Groups => answerOf(['cosmos', 'group', 'v1'], 'groups', data) as unknown as Groups;

  it('reads the next page after a cursor, also of a list that ignores page keys', async () => {
    const first = groupsOf((await ask(groups('first: 2'), {}, 566n)).data);
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    const second = groupsOf((await ask(groups(`first: 2, after: "${first.pageInfo.endCursor}"`), {}, 566n)).data);
    expect(second.pageInfo.hasPreviousPage).toBe(true);
    const ids = [...first.groups, ...second.groups].map(({ id }) => id);
    expect(ids).toHaveLength(4);
    expect(new Set(ids).size).toBe(4);
  });

  it.each([
    ['first: 2, reverse: true', 'BAD_USER_INPUT'],
    ['first: 101', 'BAD_USER_INPUT'],
    ['first: 2, after: "no cursor"', 'BAD_CURSOR'],
  ])('with %s is %s, and asks no node', async (args, code) => {
    const before = node.calls.length;
    const { data, errors } = await ask(groups(args), {}, 566n);
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.originalError).toMatchObject({ code });
    expect(groupsOf(data)).toBeNull();
    expect(node.calls.length).toBe(before);
  });

  it('that the chain refuses is an error on its field, and the others are answered', async () => {
    const proposal = (id: number): string => `p${id}: proposal(proposalId: ${id}) { proposal { id } }`;
    const { data, errors } = await ask(`{ cosmos { group { v1 { ${proposal(1)} ${proposal(3)} } } } }`, {}, 26n);
    const answers = answerOf(['cosmos', 'group'], 'v1', data);
    expect(errors?.map(({ path }) => path)).toEqual([['cosmos', 'group', 'v1', 'p3']]);
    expect(answers).toMatchObject({ p1: { proposal: { id: '1' } }, p3: null });
  });

  it('links addresses to accounts, and messages in `Any` have their types', async () => {
    const query = `{ cosmos { group { v1 { proposal(proposalId: 3) { proposal {
      groupPolicyAddress groupPolicyAddressAccount { address }
      messages { type typed { __typename ... on CosmosBankV1beta1MsgSend { amount { denom amount } toAddressAccount { address } toAddress } } }
    } } } } } }`;
    const { data, errors } = await ask(query, {}, 566n);
    expect(errors).toBeUndefined();
    const { proposal } = answerOf(['cosmos', 'group', 'v1'], 'proposal', data) as {
      proposal: {
        groupPolicyAddress: string;
        groupPolicyAddressAccount: { address: string };
        messages: Record<string, unknown>[];
      };
    };
    expect(proposal.groupPolicyAddressAccount.address).toBe(proposal.groupPolicyAddress);
    const [message] = proposal.messages as {
      typed: { __typename: string; toAddress: string; toAddressAccount: { address: string } };
    }[];
    expect(message!.typed.__typename).toBe('CosmosBankV1beta1MsgSend');
    expect(message!.typed.toAddressAccount.address).toBe(message!.typed.toAddress);
  });

  it('reads at the height of its root', async () => {
    const query =
      '{ cosmos { group { v1 { proposal(proposalId: 1) { proposal { id } } } } } at(height: 26) { cosmos { group { v1 { proposal(proposalId: 1) { proposal { id } } } } } } }';
    // The proposal existed at height 26, and had been deleted by height 58.
    const { data } = await ask(query, {}, 58n);
    const at = (root: unknown): unknown => answerOf(['cosmos', 'group', 'v1'], 'proposal', root);
    expect([at(data), at((data as { at: unknown }).at)]).toEqual([null, { proposal: { id: '1' } }]);
  });
});

describe('an argument', () => {
  const argumentsOf = (type: string, values: object) =>
    argumentsJson(fieldsOf(pool.message(type)!, new TypeTable(baseSchema)), values);

  it('has decimals as the integers of the wire', () => {
    const params = 'cosmos.distribution.v1beta1.Params';
    const json = argumentsOf(params, { communityTax: '0.02', withdrawAddrEnabled: true });
    const bytes = toBinary(pool.message(params)!, fromJson(pool.message(params)!, json as never));
    expect(messageJson(pool.registry, pool.message(params)!, bytes)).toMatchObject({
      communityTax: '0.020000000000000000',
      withdrawAddrEnabled: true,
    });
  });

  it('of a `oneof` is the member that is given', () => {
    const single = { mode: 'SIGN_MODE_DIRECT' };
    expect(argumentsOf('cosmos.tx.signing.v1beta1.SignatureDescriptor.Data', { sum: { single } })).toEqual({ single });
  });

  it('with more decimal places than the chain has is BAD_USER_INPUT, by its name', () => {
    expect(() => argumentsOf('cosmos.distribution.v1beta1.Params', { communityTax: '0.0000000000000000001' })).toThrow(
      expect.objectContaining({ code: 'BAD_USER_INPUT', facts: expect.objectContaining({ argument: 'communityTax' }) }),
    );
  });
});

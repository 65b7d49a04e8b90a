import { readFileSync } from 'node:fs';
import { composeServices as composeByApollo } from '@apollo/composition';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';
import { composeServices as composeByGuild } from '@theguild/federation-composition';
import {
  buildSchema,
  type GraphQLObjectType,
  type GraphQLSchema,
  isObjectType,
  parse,
  printSchema,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { createDescriptorPool } from '../../../src/chain/descriptors/descriptorPool.ts';
import { isQueryService } from '../../../src/chain/simulation/execution.ts';
import { schema as baseSchema, schemaText } from '../../../src/graphql/schema.ts';
import { addChainTypes } from '../../../src/modules/typed/schema.ts';
import { readBytes } from '../../recordings/recording.ts';
import { runsAll, some } from '../../support/atRandom.ts';

function typedSchema(descriptors: Uint8Array): GraphQLSchema {
  const pool = createDescriptorPool(descriptors);
  return addChainTypes(baseSchema, pool, pool.services.filter(isQueryService));
}

const notes = readFileSync(new URL('../../../examples/supergraph/notes.graphql', import.meta.url), 'utf8');

const composers = ['@theguild/federation-composition', '@apollo/composition'] as const;

/** The supergraph of a schema and another subgraph. */
function composed(schema: GraphQLSchema, composer: (typeof composers)[number]): GraphQLSchema {
  const compose = composer === '@apollo/composition' ? composeByApollo : composeByGuild;
  const { supergraphSdl, errors } = compose([
    { name: 'stele', url: 'http://stele/graphql', typeDefs: parse(schemaText(schema)) },
    { name: 'notes', url: 'http://notes/graphql', typeDefs: parse(notes) },
  ]);
  expect(errors).toBeUndefined();
  return buildSchema(supergraphSdl!, { assumeValid: true, assumeValidSDL: true });
}

/** The types that a schema has and the one without a chain's types has not. */
const ownTypes = (schema: GraphQLSchema): readonly string[] =>
  Object.keys(schema.getTypeMap()).filter((name) => baseSchema.getType(name) === undefined);

const chains = [
  { chain: 'Provenance 1.29', file: 'descriptors.binpb', types: 1104, root: ['cosmos', 'provenance'] },
  { chain: 'wasmd 0.61', file: 'wasmd-descriptors.binpb', types: 688, root: ['cosmos', 'cosmwasm'] },
  { chain: 'Cosmos EVM 0.7.3', file: 'evm-descriptors.binpb', types: 627, root: ['cosmos', 'ibc'] },
];

describe.each(chains)('the typed schema of $chain, from its descriptors alone', (each) => {
  const { file, types, root } = each;
  const schema = typedSchema(readBytes(file));

  it('is valid, and its text parses to the same schema', () => {
    expect(validateSchema(schema)).toEqual([]);
    expect(Object.keys(schema.getQueryType()!.getFields())).toEqual(expect.arrayContaining(root));
    const text = printSchema(schema);
    expect(printSchema(buildSchema(text))).toBe(text);
  });

  it('has a type for each message and enum that its queries and transactions reach', () => {
    expect(ownTypes(schema)).toHaveLength(types);
    // No names collide.
    expect(ownTypes(schema).filter((name) => name.endsWith('_'))).toEqual([]);
  });

  it.runIf(runsAll).each(composers)('is composed with another subgraph by %s', (name) => {
    const supergraph = composed(schema, name);
    const missing = ownTypes(schema).filter((type) => supergraph.getType(type) === undefined);
    expect(missing).toEqual([]);
    const account = supergraph.getType('Account');
    expect(isObjectType(account) && Object.keys(account.getFields())).toEqual(expect.arrayContaining(['label', 'balances']));
  });
});

describe('the schema of the Cosmos EVM', () => {
  const schema = typedSchema(readBytes('evm-descriptors.binpb'));
  const fieldsOf = (type: string) => (schema.getType(type) as GraphQLObjectType).getFields();

  it('has the comments of its descriptors as descriptions', () => {
    expect(fieldsOf('CosmosEvmVmV1Queries').account?.description).toBe(
      'Account queries an Ethereum account.\n\nThe query cosmos.evm.vm.v1.Query/Account.',
    );
    expect(fieldsOf('CosmosEvmVmV1QueryAccountResponse').balance?.description).toBe(
      'balance is the balance of the EVM denomination.',
    );
    expect(schema.getType('CosmosEvmVmV1AccessType')?.description).toMatch(
      /^AccessType defines .*\n\nThe enum cosmos.evm.vm.v1.AccessType.$/s,
    );
  });
});

describe('names that collide', () => {
  const { OPTIONAL, REPEATED } = FieldDescriptorProto_Label;
  const { MESSAGE, STRING, ENUM, BOOL } = FieldDescriptorProto_Type;
  const field = (name: string, number: number, more: object = {}) => ({
    name,
    number,
    label: OPTIONAL,
    type: STRING,
    jsonName: name,
    ...more,
  });
  const message = (name: string, number: number, typeName: string) => field(name, number, { type: MESSAGE, typeName });
  const paging = create(FileDescriptorProtoSchema, {
    name: 'cosmos/base/query/v1beta1/pagination.proto',
    package: 'cosmos.base.query.v1beta1',
    syntax: 'proto3',
    messageType: [{ name: 'PageRequest' }, { name: 'PageResponse' }],
  });
  const file = create(FileDescriptorProtoSchema, {
    name: 'foo/bar.proto',
    package: 'foo.bar',
    syntax: 'proto3',
    dependency: [paging.name],
    messageType: [
      { name: 'Queries', field: [field('text', 1)] },
      {
        name: 'Nested',
        nestedType: [{ name: 'Input', field: [field('text', 1)] }],
        field: [message('input', 1, '.foo.bar.Nested.Input')],
      },
      { name: 'Nested_Input', field: [field('other', 1)] },
      {
        name: 'Request',
        field: [
          message('nested', 1, '.foo.bar.Nested'),
          field('reverse', 2, { type: BOOL }),
          message('pagination', 3, '.cosmos.base.query.v1beta1.PageRequest'),
          field('byName', 4, { oneofIndex: 0 }),
          field('byText', 5, { oneofIndex: 0 }),
        ],
        oneofDecl: [{ name: 'choice' }],
      },
      {
        name: 'Response',
        field: [
          message('queries', 1, '.foo.bar.Queries'),
          message('nested', 2, '.foo.bar.Nested'),
          message('other', 3, '.foo.bar.Nested_Input'),
          field('totalCount', 4),
          message('pagination', 5, '.cosmos.base.query.v1beta1.PageResponse'),
          field('kinds', 6, { type: ENUM, typeName: '.foo.bar.Kind', label: REPEATED }),
          field('type', 7, { jsonName: '@type' }),
        ],
      },
    ],
    enumType: [
      {
        name: 'Kind',
        value: [
          { name: 'null', number: 0 },
          { name: 'KIND', number: 1 },
        ],
      },
    ],
    service: [{ name: 'Query', method: [{ name: 'Read', inputType: '.foo.bar.Request', outputType: '.foo.bar.Response' }] }],
  });
  const outer = create(FileDescriptorProtoSchema, {
    name: 'account.proto',
    package: 'head',
    syntax: 'proto3',
    dependency: [file.name],
    messageType: [{ name: 'Request' }],
    service: [{ name: 'Query', method: [{ name: 'Read', inputType: '.head.Request', outputType: '.foo.bar.Response' }] }],
  });
  const schema = typedSchema(
    toBinary(FileDescriptorSetSchema, create(FileDescriptorSetSchema, { file: [paging, file, outer] })),
  );

  it('are told apart, and the description of each names the other', () => {
    expect(validateSchema(schema)).toEqual([]);
    const collisions = ownTypes(schema).flatMap((name) => {
      const { description } = schema.getType(name)!;
      return description?.includes('is that of another type') ? [description] : [];
    });
    expect(collisions.toSorted()).toEqual([
      'The message foo.bar.Nested.Input. The name FooBarNested_Input is that of another type.',
      'The message foo.bar.Nested_Input. The name FooBarNested_Input is that of another type.',
      'The message foo.bar.Queries. The name FooBarQueries is that of another type.',
    ]);
  });

  it('of fields and arguments do not hide one another', () => {
    const fieldsOf = (type: string) => (schema.getType(type) as GraphQLObjectType).getFields();
    expect(Object.keys(fieldsOf('Query'))).toEqual(expect.arrayContaining(['head', 'head_', 'foo']));
    expect(fieldsOf('FooBarQueries').read?.args.map(({ name }) => name)).toEqual([
      ...['nested', 'reverse_', 'choice', 'first', 'after', 'offset', 'reverse'],
    ]);
    const response = Object.values(fieldsOf('FooBarResponse')).map(({ name, type }) => `${name}: ${type}`);
    expect(response).toEqual([
      'queries: FooBarQueries_',
      'nested: FooBarNested',
      'other: FooBarNested_Input__',
      'totalCount: String!',
      'pageInfo: PageInfo',
      'kinds: [FooBarKind]!',
      'type: String!',
    ]);
    expect(printSchema(schema)).toContain('enum FooBarKind {\n  null_\n  KIND\n}');
    const text = printSchema(schema);
    expect(printSchema(buildSchema(text))).toBe(text);
  });

  it.each(some(composers, 2))('and inputs with one member do not prevent that %s composes the schema', (name) => {
    expect(printSchema(schema)).toContain('input FooBarRead_choice_Input @oneOf {\n  byName: String\n  byText: String\n}');
    expect(composed(schema, name).getType('FooBarQueries')).toBeDefined();
  });
});

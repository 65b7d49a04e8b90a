import { readFileSync } from 'node:fs';
import { type ConstDirectiveNode, type GraphQLNamedType, getOperationAST, isObjectType, parse, print, validate } from 'graphql';
import { describe, expect, it } from 'vitest';
import { subgraph } from '../../scripts/schemaChanges.ts';
import { createCostOf, type OperationCost } from '../../src/graphql/documents/operationChecks.ts';
import { schema, schemaText } from '../../src/graphql/schema.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** Prints the federation directives of a node, in order. */
function marks(node: { readonly directives?: readonly ConstDirectiveNode[] | undefined } | null | undefined): string {
  return (node?.directives ?? [])
    .filter(({ name }) => name.value !== 'specifiedBy')
    .map(print)
    .join(' ');
}

/** The fields of `Query` that are read at a height. */
function heightFields(): string[] {
  const others = ['at', '_entities', '_service'];
  return Object.values(schema.getQueryType()!.getFields())
    .filter(({ name, description }) => !others.includes(name) && !description!.includes('Not read at a height'))
    .map(({ name }) => name);
}

describe('the schema', () => {
  it('is committed in schema/schema.graphql', () => {
    expect(schemaText()).toBe(read('../../schema/schema.graphql'));
  });
});

describe('Snapshot', () => {
  it('has each field of Query that is read at a height, with equal definitions, and `height`', () => {
    const [query, snapshot] = ['Query', 'Snapshot'].map((name) => {
      const type = schema.getType(name);
      return isObjectType(type) ? type.getFields() : {};
    });
    expect(heightFields().length).toBeGreaterThan(40);
    expect(Object.keys(snapshot!).toSorted()).toEqual([...heightFields(), 'height'].toSorted());
    for (const name of heightFields()) {
      const { args, ...field } = snapshot![name]!;
      const wanted = query![name]!;
      expect({ name, type: field.type, description: field.description, extensions: field.extensions.live }).toEqual({
        name,
        type: wanted.type,
        description: wanted.description,
        extensions: wanted.extensions.live,
      });
      expect(args.map((arg) => [arg.name, String(arg.type), arg.defaultValue])).toEqual(
        wanted.args.map((arg) => [arg.name, String(arg.type), arg.defaultValue]),
      );
    }
  });

  it('costs the same as Query plus one point', () => {
    const costOf = createCostOf(schema, 100);
    const cost = (text: string): OperationCost => {
      const document = parse(text);
      return costOf(document, getOperationAST(document)!, {});
    };
    for (const selection of [
      'head { height }',
      'groups(first: 50) { totalCount nodes { id members(first: 20) { nodes { weight } } } }',
      'attributeScan(account: "tp1", suffix: "x", first: 10) { nodes { name } }',
    ]) {
      const alone = cost(`{ head { height } ${selection.replaceAll('height', 'hash')} }`);
      const under = cost(`{ head { height } at(height: 1) { height ${selection} } }`);
      expect(under).toEqual({ ...alone, points: alone.points + 1 });
    }
  });
});

describe('asOfHeight', () => {
  it('is on every type that has a federation key or an id of type ID', () => {
    const has = (type: GraphQLNamedType, field: string): boolean => isObjectType(type) && field in type.getFields();
    const printed = subgraph(schemaText());
    const wanted = Object.values(printed.getTypeMap()).filter(
      (type) => isObjectType(type) && (marks(type.astNode).includes('@key') || String(type.getFields().id?.type) === 'ID!'),
    );
    expect(wanted.length).toBeGreaterThan(9);
    // What users keep on a server is not read at a height.
    const ofServer = ['DeletedWebhook', 'Webhook'];
    expect(wanted.filter((type) => !has(type, 'asOfHeight') && !ofServer.includes(type.name))).toEqual([]);
  });
});

describe('schema/operations.graphql', () => {
  it('schema/operations.graphql is valid', () => {
    expect(validate(schema, parse(read('../../schema/operations.graphql')))).toEqual([]);
  });
});

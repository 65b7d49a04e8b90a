import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type ConstDirectiveNode,
  type GraphQLNamedType,
  type GraphQLSchema,
  getOperationAST,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  parse,
  print,
  validate,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { createCostOf, type OperationCost } from '../../src/graphql/limits/cost.ts';
import { schema, schemaText } from '../../src/graphql/schema.ts';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

/** What a subgraph imports from the federation specification. */
const imported = `
  directive @link(url: String!, import: [String!]) repeatable on SCHEMA
  directive @key(fields: String!) repeatable on OBJECT
  directive @shareable on OBJECT
  directive @inaccessible on FIELD_DEFINITION | OBJECT
`;

/** A schema from the text of a subgraph. */
function subgraph(text: string): GraphQLSchema {
  return buildSchema(imported + text);
}

/** The federation directives that something carries, in their order. */
function marks(node: { readonly directives?: readonly ConstDirectiveNode[] | undefined } | null | undefined): string {
  return (node?.directives ?? [])
    .filter(({ name }) => name.value !== 'specifiedBy')
    .map(print)
    .join(' ');
}

/** A default value. An integer of 64 bits is printed as text, as in answers; the contract writes it as a number. */
function shown(value: unknown): string | undefined {
  return JSON.stringify(typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value);
}

/** Every type, field, argument directive and enum value of a schema as lines that can be compared. */
function linesOf(of: GraphQLSchema): Map<string, string> {
  const lines = new Map([['schema', of.extensionASTNodes.map(marks).join(' ')]]);
  const folded = (text: string | null | undefined): string => (text ?? '').replace(/\s+/g, ' ').trim();
  for (const type of Object.values(of.getTypeMap())) {
    if (type.name.startsWith('__') || isSpecifiedScalarType(type)) continue;
    lines.set(type.name, `${type.constructor.name} "${folded(type.description)}"`);
    if (isScalarType(type)) lines.set(type.name, `scalar ${type.specifiedByURL ?? ''} "${folded(type.description)}"`);
    if (isInputObjectType(type)) {
      lines.set(type.name, `input "${folded(type.description)}"`);
      for (const field of Object.values(type.getFields())) {
        const value = `${field.type} = ${shown(field.defaultValue)}`;
        lines.set(`${type.name}.${field.name}`, `${value} "${folded(field.description)}"`);
      }
    }
    if (isEnumType(type)) {
      lines.set(type.name, `enum "${folded(type.description)}"`);
      for (const value of type.getValues()) lines.set(`${type.name}.${value.name}`, folded(value.description));
    }
    if (isObjectType(type) || isInterfaceType(type)) {
      const kind = isObjectType(type) ? 'type' : 'interface';
      const interfaces = type.getInterfaces().map(({ name }) => name);
      lines.set(type.name, `${kind} ${interfaces.join()} ${marks(type.astNode)} "${folded(type.description)}"`);
      for (const field of Object.values(type.getFields())) {
        const args = field.args.map((arg) => `${arg.name}: ${arg.type} = ${shown(arg.defaultValue)}`).sort();
        lines.set(
          `${type.name}.${field.name}`,
          `(${args.join(', ')}): ${field.type} ${marks(field.astNode)} "${folded(field.description)}"`,
        );
      }
    }
  }
  return lines;
}

/** The types that other subgraphs name by a key. */
const keyed = ['Account', 'Block', 'Group', 'GroupPolicy', 'Marker', 'Proposal', 'Scope', 'Transaction', 'Validator'];

/** The fields of `Query` that are read at a height. */
function heightFields(): string[] {
  const others = ['at', '_entities', '_service'];
  return Object.values(schema.getQueryType()!.getFields())
    .filter(({ name, description }) => !others.includes(name) && !description!.includes('Not of a height'))
    .map(({ name }) => name);
}

function reasoned(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]));
}

/** Where the graph differs from the contract on purpose, with the reason. */
const differences: Readonly<Record<string, string>> = {
  ...reasoned('carries the description of its interface, for readers of the playground', [
    ...['ThresholdDecisionPolicy', 'PercentageDecisionPolicy', 'OtherDecisionPolicy'].flatMap((type) =>
      ['type', 'windows', 'json'].map((field) => `${type}.${field}`),
    ),
    ...['BasicAllowance', 'PeriodicAllowance', 'AllowedMsgAllowance', 'OtherFeeAllowance'].flatMap((type) =>
      ['type', 'json'].map((field) => `${type}.${field}`),
    ),
    ...['Transaction', 'UnconfirmedTransaction'].flatMap((type) =>
      ['hash', 'tx', 'timeoutHeight', 'json'].map((field) => `${type}.${field}`),
    ),
  ]),
  ...reasoned('at(height:) returned Query, which client caches take for the root', [
    'Query.at',
    'Snapshot',
    'Snapshot.height',
    ...heightFields().map((field) => `Snapshot.${field}`),
  ]),
  ...reasoned(
    'tells client caches the objects of two heights apart',
    [...keyed, 'ScopeSpecification'].map((type) => `${type}.asOfHeight`),
  ),
  'Query.validator': 'is null for a validator that the chain does not know; it was never null',
  Decimal: 'has one form, without trailing zeros',
};

describe('the schema', () => {
  it('is what is committed in schema/schema.graphql', () => {
    expect(schemaText()).toBe(read('../../schema/schema.graphql'));
  });

  it('is the contract, word for word', () => {
    const wanted = linesOf(subgraph(read('./contract.graphql')));
    const mine = linesOf(subgraph(schemaText()));
    const unlike = [...new Set([...wanted.keys(), ...mine.keys()])].filter((name) => wanted.get(name) !== mine.get(name));
    const unexpected = unlike.filter((name) => differences[name] === undefined);
    expect(unexpected.map((name) => ({ name, line: mine.get(name), contract: wanted.get(name) }))).toEqual([]);
    // And what is listed differs.
    expect(Object.keys(differences).filter((name) => !unlike.includes(name))).toEqual([]);
    expect(mine.size).toBeGreaterThan(1_000);
  });
});

describe('Snapshot', () => {
  it('has every field of Query that is read at a height, as Query has it, and `height`', () => {
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

  it('costs what Query costs, and one point for itself', () => {
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
    expect(wanted.filter((type) => !has(type, 'asOfHeight'))).toEqual([]);
  });
});

describe('the documents of the pages', () => {
  it('are valid', () => {
    expect(validate(schema, parse(read('../../schema/operations.graphql')))).toEqual([]);
  });
});

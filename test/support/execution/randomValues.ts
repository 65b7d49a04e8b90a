import {
  GraphQLBoolean,
  type GraphQLInputType,
  GraphQLNonNull,
  type GraphQLScalarType,
  type GraphQLSchema,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isScalarType,
  type OperationDefinitionNode,
  parseValue,
  typeFromAST,
} from 'graphql';
import { hash, type Random } from './random.ts';

/** The arguments and variables of one random document. */
export interface RandomValues {
  /** A literal of this type. */
  literal(type: GraphQLInputType): string;
  /** A variable for a place of this type. */
  variable(type: GraphQLInputType): string;
  /** A variable for `@skip` or `@include`. */
  condition(): string;
  /** The definitions of the variables used so far; empty if there are none. */
  definitions(): string;
  /** Values of the variables, with wrong and missing ones. */
  given(): Record<string, unknown>;
}

const literals = [
  '1',
  '"1"',
  '"text"',
  '2.5',
  'true',
  '"2026-01-01T00:00:00Z"',
  '"AA=="',
  '"00"',
  '{ __typename: "Group", id: "1" }',
  '[1]',
];
const conditionType = new GraphQLNonNull(GraphQLBoolean);
const wrong: readonly unknown[] = ['text', -1, { a: [1] }, [[]], true, null, 1e30];

/** Creates the values of a document. */
export function createRandomValues(random: Random): RandomValues {
  const used = new Map<
    string,
    { readonly definition: string; readonly type: GraphQLInputType; readonly isOptional: boolean }
  >();

  function literal(type: GraphQLInputType): string {
    if (!isNonNullType(type) && random.chance(0.1)) return 'null';
    const bare = getNullableType(type);
    if (isListType(bare)) return `[${Array.from({ length: random.below(3) }, () => literal(bare.ofType)).join(', ')}]`;
    if (isEnumType(bare)) return random.pick(bare.getValues()).name;
    if (isInputObjectType(bare)) {
      const fields = Object.values(bare.getFields()).filter(({ type: own }) => isNonNullType(own) || random.chance(0.5));
      return `{ ${fields.map(({ name, type: own }) => `${name}: ${literal(own)}`).join(', ')} }`;
    }
    return isScalarType(bare) ? random.pick(literals.filter((text) => isLiteralOf(bare, text))) : 'null';
  }

  function define(type: GraphQLInputType): string {
    const isRequired = isNonNullType(type);
    // A variable with a default may be used where null is not allowed.
    const withDefault = random.chance(0.4);
    const text = withDefault && isRequired && random.chance(0.5) ? String(type.ofType) : String(type);
    const name = `v${hash(text, random.below(2)) % 1_000}${withDefault ? 'd' : ''}`;
    if (used.has(name)) return `$${name}`;
    let value = withDefault ? literal(type) : '';
    if (withDefault && isRequired) while (value === 'null') value = literal(type);
    const isOptional = withDefault || !text.endsWith('!');
    used.set(name, { definition: `$${name}: ${text}${withDefault ? ` = ${value}` : ''}`, type, isOptional });
    return `$${name}`;
  }

  return {
    literal,
    variable: define,
    condition: () => define(conditionType),
    definitions: () => (used.size === 0 ? '' : `(${[...used.values()].map(({ definition }) => definition).join(', ')})`),
    given() {
      const values: Record<string, unknown> = {};
      for (const [name, { type, isOptional }] of used) {
        if (random.chance(isOptional ? 0.4 : 0.01)) continue;
        values[name] = random.chance(0.01) ? random.pick(wrong) : json(type, random);
      }
      return values;
    },
  };
}

function isLiteralOf(type: GraphQLScalarType, text: string): boolean {
  try {
    return type.parseLiteral(parseValue(text)) !== undefined;
  } catch {
    return false;
  }
}

/** A value in JSON. */
function json(type: GraphQLInputType, random: Random): unknown {
  if (!isNonNullType(type) && random.chance(0.1)) return null;
  const bare = getNullableType(type);
  if (isListType(bare)) return Array.from({ length: random.below(3) }, () => json(bare.ofType, random));
  if (isEnumType(bare)) return random.pick(bare.getValues()).name;
  if (isInputObjectType(bare))
    return Object.fromEntries(Object.values(bare.getFields()).map(({ name, type: own }) => [name, json(own, random)]));
  const values: unknown[] = [
    '1',
    1,
    'text',
    2.5,
    true,
    '2026-01-01T00:00:00Z',
    'AA==',
    false,
    { __typename: 'Group', id: '1' },
  ];
  return isScalarType(bare) ? random.pick(values.filter((value) => isValueOf(bare, value))) : null;
}

function isValueOf(type: GraphQLScalarType, value: unknown): boolean {
  try {
    return type.parseValue(value) !== undefined;
  } catch {
    return false;
  }
}

/** Variables for an operation, with wrong and missing ones. */
export function randomVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  random: Random,
): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const { variable, type: node, defaultValue } of variableDefinitions) {
    const type = typeFromAST(schema, node);
    const isOptional = defaultValue !== undefined || !isNonNullType(type);
    if (!isInputType(type) || random.chance(isOptional ? 0.4 : 0.01)) continue;
    values[variable.name.value] = random.chance(0.01) ? random.pick(wrong) : json(type, random);
  }
  return values;
}

import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
  TypeNameMetaFieldDef,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';
import { isJsonObject, type JsonObject, type JsonValue } from '../../chain/wire/json.ts';

/** A part of a result: how its JSON is described, and where it has texts from the chain. */
type Shape = { readonly isNullable: boolean } & (
  | { readonly kind: 'object'; readonly members: ReadonlyMap<string, Member> }
  | { readonly kind: 'list'; readonly item: Shape }
  /** A value that anybody can have written to the chain: text, or the JSON of a message. */
  | { readonly kind: 'text' | 'json' }
  | { readonly kind: 'value'; readonly schema: JsonObject }
);

interface Member {
  readonly shape: Shape;
  /** Whether it may be absent: it is in a fragment of another type, or has `@include` or `@skip`. */
  readonly isOptional: boolean;
}

/** Fields with one name in the result, whose selections are merged. */
interface Group {
  type: GraphQLOutputType;
  readonly selections: { readonly parent: GraphQLOutputType; readonly set: SelectionSetNode }[];
  isOptional: boolean;
}

/**
 * Addresses and numbers: no one can write a sentence in them. All other values of the type `String` count as texts of strangers, because names, denoms and
 * labels are free texts too.
 */
const harmlessPattern = '^([a-z]{1,20}1[02-9ac-hj-np-z]{38,100}|-?[0-9]{0,78}(\\.[0-9]{1,78})?)$';
const harmless = new RegExp(harmlessPattern);

const numbers: Readonly<Record<string, string>> = { Int: 'integer', Float: 'number', Boolean: 'boolean' };

/** The shape of the data of an operation of a valid document. */
export function shapeOf(schema: GraphQLSchema, document: DocumentNode, operation: OperationDefinitionNode): Shape {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const each of document.definitions) if (each.kind === Kind.FRAGMENT_DEFINITION) fragments.set(each.name.value, each);

  function fieldType(parent: GraphQLOutputType, { name }: FieldNode): GraphQLOutputType {
    const field = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields()[name.value] : undefined;
    return (field ?? TypeNameMetaFieldDef).type;
  }

  function collect(parent: GraphQLOutputType, set: SelectionSetNode, isOptional: boolean, groups: Map<string, Group>): void {
    for (const selection of set.selections) {
      const isConditional = isOptional || (selection.directives ?? []).length > 0;
      if (selection.kind === Kind.FIELD) {
        const key = (selection.alias ?? selection.name).value;
        const type = fieldType(parent, selection);
        const group = groups.get(key) ?? { type, selections: [], isOptional: isConditional };
        groups.set(key, group);
        group.isOptional &&= isConditional;
        if (selection.selectionSet) group.selections.push({ parent: getNamedType(type), set: selection.selectionSet });
        continue;
      }
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? fragments.get(selection.name.value) : selection;
      if (fragment === undefined) continue;
      const condition = fragment.typeCondition && schema.getType(fragment.typeCondition.name.value);
      const type = condition && isCompositeType(condition) ? condition : parent;
      collect(type, fragment.selectionSet, isConditional || type !== parent, groups);
    }
  }

  function objectOf(selections: Group['selections'], isNullable: boolean): Shape {
    const groups = new Map<string, Group>();
    for (const { parent, set } of selections) collect(parent, set, false, groups);
    const members = [...groups].map(
      ([key, { type, selections: own, isOptional }]) => [key, { shape: outputOf(type, own), isOptional }] as const,
    );
    return { kind: 'object', members: new Map(members), isNullable };
  }

  function outputOf(type: GraphQLOutputType, selections: Group['selections'], isNullable = true): Shape {
    // `__typename` is a `String` that no stranger writes.
    if (type === TypeNameMetaFieldDef.type) return { kind: 'value', schema: { type: 'string' }, isNullable: false };
    if (isNonNullType(type)) return outputOf(type.ofType, selections, false);
    if (isListType(type)) return { kind: 'list', item: outputOf(type.ofType, selections), isNullable };
    if (isCompositeType(type)) return objectOf(selections, isNullable);
    if (isEnumType(type)) {
      const names = type.getValues().map(({ name }) => name);
      return { kind: 'value', schema: { type: 'string', enum: names }, isNullable };
    }
    if (type.name === 'String' || type.name === 'JSON') return { kind: type.name === 'JSON' ? 'json' : 'text', isNullable };
    return { kind: 'value', schema: { type: numbers[type.name] ?? 'string' }, isNullable };
  }

  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`the schema has no ${operation.operation}`);
  return objectOf([{ parent: root, set: operation.selectionSet }], false);
}

/** The JSON Schema of marked data (JSON Schema 2020-12). `$defs` must be {@link markedSchemas}. */
export function schemaOfShape(shape: Shape): JsonObject {
  const schema = notNullSchema(shape);
  return shape.isNullable ? { anyOf: [schema, { type: 'null' }] } : schema;
}

function notNullSchema(shape: Shape): JsonObject {
  if (shape.kind === 'value') return shape.schema;
  if (shape.kind === 'list') return { type: 'array', items: schemaOfShape(shape.item) };
  if (shape.kind !== 'object') return { $ref: `#/$defs/${shape.kind}` };
  const entries = [...shape.members];
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([key, member]) => [key, schemaOfShape(member.shape)])),
    required: entries.flatMap(([key, { isOptional }]) => (isOptional ? [] : [key])),
  };
}

const untrustedSchema = (value: JsonObject): JsonObject => ({
  type: 'object',
  properties: { untrusted: value },
  required: ['untrusted'],
});

/** The schemas of marked values, which {@link schemaOfShape} refers to. */
export const markedSchemas: JsonObject = {
  text: { anyOf: [{ type: 'string', pattern: harmlessPattern }, untrustedSchema({ type: 'string' })] },
  json: untrustedSchema({}),
};

/** Wraps each text that a stranger may have written to the chain: `{"untrusted": "…"}`. */
export function markData(value: JsonValue | undefined, shape: Shape): JsonValue {
  if (value === null || value === undefined) return null;
  if (shape.kind === 'list') return Array.isArray(value) ? value.map((item) => markData(item, shape.item)) : null;
  if (shape.kind === 'object') {
    if (!isJsonObject(value)) return null;
    const members = Object.entries(value).flatMap(([key, each]) => {
      const member = shape.members.get(key);
      return member === undefined ? [] : [[key, markData(each, member.shape)] as const];
    });
    return Object.fromEntries(members);
  }
  if (shape.kind === 'value' || (typeof value === 'string' && shape.kind === 'text' && harmless.test(value))) return value;
  return { untrusted: value };
}

/** The JSON Schema of the variables of an operation. */
export function variablesSchema(schema: GraphQLSchema, { variableDefinitions = [] }: OperationDefinitionNode): JsonObject {
  const properties: JsonObject = {};
  const required: string[] = [];
  for (const { variable, type: typeNode, defaultValue, description } of variableDefinitions) {
    const type = typeFromAST(schema, typeNode as Parameters<typeof typeFromAST>[1]);
    const name = variable.name.value;
    const described = { ...inputSchema(type as GraphQLInputType, []) };
    if (description !== undefined) described.description = description.value;
    if (defaultValue !== undefined) described.default = valueFromASTUntyped(defaultValue) as JsonValue;
    properties[name] = described;
    if (typeNode.kind === Kind.NON_NULL_TYPE && defaultValue === undefined) required.push(name);
  }
  return { type: 'object', properties, required, additionalProperties: false };
}

/** The JSON Schema of an input. An object within itself is any object. */
function inputSchema(type: GraphQLInputType, parents: readonly string[]): JsonObject {
  if (isNonNullType(type)) return inputSchema(type.ofType, parents);
  if (isListType(type)) return { type: 'array', items: inputSchema(type.ofType, parents) };
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) };
  if (isInputObjectType(type)) {
    if (parents.includes(type.name)) return { type: 'object' };
    const fields = Object.values(type.getFields());
    const properties = fields.map((field) => {
      const fieldSchema = inputSchema(field.type, [...parents, type.name]);
      return [field.name, field.description ? { ...fieldSchema, description: field.description } : fieldSchema] as const;
    });
    const required = fields.filter((field) => isNonNullType(field.type) && field.defaultValue === undefined);
    return { type: 'object', properties: Object.fromEntries(properties), required: required.map(({ name }) => name) };
  }
  if (type.name === 'JSON') return {};
  return { type: numbers[type.name] ?? 'string' };
}

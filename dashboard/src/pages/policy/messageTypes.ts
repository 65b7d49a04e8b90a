import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { descriptors } from '../../actions/descriptors.ts';
import type { InputInfo, TypeInfo, TypeMap, TypeRef } from '../explore/model/types.ts';

// This file is loaded with the first message that is neither a payment nor an action of a member.

/** The types that a field of any type can have, by the names of such fields. Other fields of any type are JSON. */
const choices: Readonly<Record<string, readonly string[]>> = {
  decision_policy: ['cosmos.group.v1.ThresholdDecisionPolicy', 'cosmos.group.v1.PercentageDecisionPolicy'],
};

/** The names of fields that hold addresses. Guess: the descriptors in the page do not say which do. */
const addresses =
  /(^|_)(address|admin|administrator|authority|contract|recipient|sender|voter|executor|grantee|granter|buyer|seller)$/;

const scalars: Readonly<Partial<Record<ScalarType, string>>> = {
  [ScalarType.BOOL]: 'Boolean',
  [ScalarType.BYTES]: 'Base64',
  [ScalarType.DOUBLE]: 'Float',
  [ScalarType.FLOAT]: 'Float',
  [ScalarType.INT32]: 'Int',
  [ScalarType.SINT32]: 'Int',
  [ScalarType.SFIXED32]: 'Int',
  [ScalarType.UINT32]: 'UInt32',
  [ScalarType.FIXED32]: 'UInt32',
  [ScalarType.INT64]: 'Int64',
  [ScalarType.SINT64]: 'Int64',
  [ScalarType.SFIXED64]: 'Int64',
  [ScalarType.UINT64]: 'UInt64',
  [ScalarType.FIXED64]: 'UInt64',
};

const wellKnown: Readonly<Record<string, string>> = {
  'google.protobuf.Timestamp': 'DateTime',
  'google.protobuf.Duration': 'Duration',
  'google.protobuf.Any': 'JSON',
};

const typeOf = (name: string): TypeRef => ({ kind: 'NAMED', name });

/** The type of a text. `prefix` begins the addresses of accounts. */
function textType({ name, parent }: DescField, prefix: string): string {
  if (parent.typeName === 'cosmos.base.v1beta1.Coin' && name === 'amount') return 'BaseUnits';
  if (!addresses.test(name)) return 'String';
  return `Address ${prefix}${name.startsWith('validator_') ? 'valoper' : ''}`;
}

/** The name of the type of a field, or of the items of a list. */
function itemType(field: DescField, prefix: string): string {
  if (field.enum !== undefined) return field.enum.typeName;
  if (field.message !== undefined)
    return choices[field.name] === undefined ? (wellKnown[field.message.typeName] ?? field.message.typeName) : field.name;
  return scalars[field.scalar ?? ScalarType.STRING] ?? textType(field, prefix);
}

function memberOf(field: DescField, prefix: string): InputInfo {
  const type = typeOf(field.fieldKind === 'map' ? 'JSON' : itemType(field, prefix));
  return {
    name: field.name,
    description: null,
    type: field.fieldKind === 'list' ? { kind: 'LIST', name: null, ofType: type } : type,
    defaultValue: null,
  };
}

const input = (name: string, inputFields: readonly InputInfo[], isOneOf = false): TypeInfo => ({
  ...{ kind: 'INPUT_OBJECT', name, isOneOf, fields: null, inputFields, enumValues: null },
});

/** What a form needs to ask for a message: its fields, and the types within them. undefined if its type has no descriptor. */
export interface MessageForm {
  readonly members: readonly InputInfo[];
  readonly types: TypeMap;
}

/** The form of a type of messages. `prefix` begins the addresses of accounts. */
export function messageForm(type: string, prefix: string): MessageForm | undefined {
  const schema = descriptors.getMessage(type.slice(1));
  if (schema === undefined) return undefined;
  const types = new Map<string, TypeInfo>();
  const add = (message: DescMessage): void => {
    if (types.has(message.typeName)) return;
    types.set(
      message.typeName,
      input(
        message.typeName,
        message.fields.map((field) => memberOf(field, prefix)),
      ),
    );
    for (const field of message.fields) {
      const [name, inner] = [field.name, choices[field.name]?.flatMap((each) => descriptors.getMessage(each) ?? [])];
      if (field.enum !== undefined)
        types.set(field.enum.typeName, {
          ...{ kind: 'ENUM', name: field.enum.typeName, isOneOf: null, fields: null, inputFields: null },
          enumValues: field.enum.values.map((value) => ({ name: value.name })),
        });
      else if (field.message !== undefined && inner !== undefined) {
        const members = inner.map((each) => ({ ...memberOf(field, prefix), name: each.typeName, type: typeOf(each.typeName) }));
        types.set(name, input(name, members, true));
        inner.forEach(add);
      } else if (field.message !== undefined && wellKnown[field.message.typeName] === undefined) add(field.message);
    }
  };
  add(schema);
  return { members: schema.fields.map((field) => memberOf(field, prefix)), types };
}

/** The JSON of what was entered: the chosen type of a field of any type becomes its `@type`. */
export function withTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTypes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const [chosen] = choices[name] === undefined || typeof each !== 'object' || each === null ? [] : Object.entries(each);
      return [name, chosen === undefined ? withTypes(each) : { '@type': `/${chosen[0]}`, ...Object(withTypes(chosen[1])) }];
    }),
  );
}

const isEmpty = (value: unknown): boolean => JSON.stringify(value) === '{}';

/** What a form shows of JSON: the reverse of {@link withTypes}. Empty objects are left out: they have no type yet. */
export function withoutTypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => !isEmpty(each)).map(withoutTypes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const { '@type': type, ...fields } = Object(each);
      if (choices[name] === undefined) return [name, isEmpty(each) ? undefined : withoutTypes(each)];
      return [name, typeof type === 'string' ? { [type.slice(1)]: withoutTypes(fields) } : undefined];
    }),
  );
}

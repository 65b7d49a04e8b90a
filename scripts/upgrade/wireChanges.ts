import { readdirSync } from 'node:fs';
import type { DescEnum, DescField, DescFile, DescMessage, DescMethod, DescService } from '@bufbuild/protobuf';
import { ScalarType } from '@bufbuild/protobuf';
import type { DescriptorPool } from '../../src/chain/descriptors/descriptorPool.ts';
import { isQueryService } from '../../src/chain/simulation/execution.ts';
import { customTypeOf } from '../../src/chain/wire/protoJson.ts';

const generated = new URL('../../src/proto/', import.meta.url);

/** The files of descriptors in src/proto, which the types by hand are decoded with. */
export async function readOwnFiles(): Promise<readonly DescFile[]> {
  const names = readdirSync(generated, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('_pb.js'));
  const modules = await Promise.all(
    names.map((name): Promise<Record<string, unknown>> => import(new URL(name, generated).href)),
  );
  return modules.flatMap((module) => Object.values(module).filter(isFile));
}

function isFile(value: unknown): value is DescFile {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'file';
}

/** A change of what is on the wire between two sets of descriptors, in a method, field or value that src/proto has. */
export type WireChange = {
  /** Its full name in protobuf: `cosmos.group.v1.Query/GroupInfo`, `cosmos.group.v1.GroupInfo.metadata`, `cosmos.group.v1.VoteOption.VOTE_OPTION_YES`. */
  readonly element: string;
  /** What became of it, such as `is gone`. */
  readonly what: string;
} & (
  | { readonly kind: 'method'; readonly paths: readonly string[] }
  | { readonly kind: 'message'; readonly typeName: string }
  | { readonly kind: 'field'; readonly field: DescField }
  | { readonly kind: 'value'; readonly typeName: string; readonly number: number }
);

/** The type of a field on the wire and in Go, as text. */
export function typeText(field: DescField): string {
  const { message, enum: ofEnum, scalar } = field;
  const one = message?.typeName ?? ofEnum?.typeName ?? ScalarType[scalar ?? ScalarType.STRING].toLowerCase();
  const type = field.fieldKind === 'map' ? `map<${ScalarType[field.mapKey].toLowerCase()}, ${one}>` : one;
  const custom = customTypeOf(field);
  return `${field.fieldKind === 'list' ? 'repeated ' : ''}${type}${custom === undefined ? '' : ` (${custom})`}`;
}

function withNested(messages: readonly DescMessage[]): readonly DescMessage[] {
  return messages.flatMap((message) => [message, ...withNested(message.nestedMessages)]);
}

/** What became of a field; undefined if it is the same on the wire. A field with another name is the same. */
function changeOf(before: DescField, after: DescMessage): string | undefined {
  const named = after.fields.find(({ name }) => name === before.name);
  if (named === undefined) {
    const renamed = after.fields.find(({ number }) => number === before.number);
    return renamed !== undefined && typeText(renamed) === typeText(before) ? undefined : 'is gone';
  }
  if (named.number !== before.number) return `has the number ${named.number} instead of ${before.number}`;
  const [type, typeBefore] = [typeText(named), typeText(before)];
  return type === typeBefore ? undefined : `has the type ${type} instead of ${typeBefore}`;
}

/** The messages that a message contains, itself included. */
function reachable(message: DescMessage, names = new Set<string>()): ReadonlySet<string> {
  if (names.has(message.typeName)) return names;
  names.add(message.typeName);
  for (const { message: inner } of message.fields) if (inner !== undefined) reachable(inner, names);
  return names;
}

/** The changes of the methods of a service that src/proto has: of the service as a whole if it is gone. */
function methodChanges(
  own: DescService,
  before: DescriptorPool,
  after: DescriptorPool,
  changed: ReadonlySet<string>,
): WireChange[] {
  const [serviceBefore, serviceAfter] = [before.service(own.typeName), after.service(own.typeName)];
  if (serviceBefore === undefined) return [];
  const pathOf = ({ name }: DescMethod): string => `/${own.typeName}/${name}`;
  const kept = own.methods.filter(({ name }) => serviceBefore.methods.some((method) => method.name === name));
  if (serviceAfter === undefined) return [{ kind: 'method', element: own.typeName, what: 'is gone', paths: kept.map(pathOf) }];
  return kept.flatMap((method): WireChange[] => {
    const element = pathOf(method).slice(1);
    if (!serviceAfter.methods.some(({ name }) => name === method.name))
      return [{ kind: 'method', element, what: 'is gone', paths: [pathOf(method)] }];
    const changes = [...reachable(method.input)].filter((name) => changed.has(name));
    return changes.length === 0
      ? []
      : [{ kind: 'method', element, what: `reads other requests: ${changes.join(', ')} changed`, paths: [pathOf(method)] }];
  });
}

function valueChanges(own: DescEnum, before: DescriptorPool, after: DescriptorPool): WireChange[] {
  const [enumBefore, enumAfter] = [before.registry.getEnum(own.typeName), after.registry.getEnum(own.typeName)];
  if (enumBefore === undefined || enumAfter === undefined) return [];
  return own.values.flatMap(({ name, number }): WireChange[] => {
    if (!enumBefore.values.some((value) => value.name === name && value.number === number)) return [];
    const value = enumAfter.values.find((each) => each.name === name);
    if (value?.number === number) return [];
    const what = value === undefined ? 'is gone' : `has the number ${value.number} instead of ${number}`;
    return [{ kind: 'value', element: `${own.typeName}.${name}`, what, typeName: own.typeName, number }];
  });
}

/**
 * Compares two sets of descriptors in what src/proto has of them. What src/proto has and the descriptors before have not, or have otherwise, is left out: it
 * did not work before.
 */
export function wireChanges(own: readonly DescFile[], before: DescriptorPool, after: DescriptorPool): readonly WireChange[] {
  const messages = own
    .flatMap((file) => withNested(file.messages))
    .filter(({ typeName }) => !typeName.startsWith('google.protobuf.'));
  const ofMessages = messages.flatMap((message): WireChange[] => {
    const [messageBefore, messageAfter] = [before.message(message.typeName), after.message(message.typeName)];
    if (messageBefore === undefined) return [];
    if (messageAfter === undefined)
      return [{ kind: 'message', element: message.typeName, what: 'is gone', typeName: message.typeName }];
    return message.fields.flatMap((field): WireChange[] => {
      const fieldBefore = messageBefore.fields.find(({ name }) => name === field.name);
      if (fieldBefore?.number !== field.number) return [];
      const what = changeOf(fieldBefore, messageAfter);
      return what === undefined ? [] : [{ kind: 'field', element: `${message.typeName}.${field.name}`, what, field }];
    });
  });
  const changed = new Set(
    ofMessages.map((change) => (change.kind === 'field' ? change.field.parent.typeName : change.element)),
  );
  const queries = own.flatMap(({ services }) => services.filter(({ typeName }) => isQueryService(typeName)));
  const ofQueries = new Set(
    queries.flatMap(({ methods }) => methods.flatMap(({ input, output }) => [...reachable(input), ...reachable(output)])),
  );
  const enums = [...own.flatMap((file) => file.enums), ...messages.flatMap(({ nestedEnums }) => nestedEnums)];
  return [
    ...queries.flatMap((service) => methodChanges(service, before, after, changed)),
    // Messages of queries that are gone are named with their query.
    ...ofMessages.filter(({ kind, element }) => kind !== 'message' || !ofQueries.has(element)),
    ...enums.flatMap((each) => valueChanges(each, before, after)),
  ];
}

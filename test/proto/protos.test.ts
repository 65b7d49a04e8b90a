import { type DescEnum, type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { readOwnFiles } from '../../scripts/upgrade/wireChanges.ts';
import { customTypeOf } from '../../src/chain/wire/protoJson.ts';
import { readRegistry } from '../recordings/registry.ts';

const chain = readRegistry();

function withNested(messages: readonly DescMessage[]): DescMessage[] {
  return messages.flatMap((message) => [message, ...withNested(message.nestedMessages)]);
}

/** Formats the properties of a field that affect its wire format. */
function wire(field: DescField): string {
  const kind = field.fieldKind === 'list' ? `repeated ${field.listKind}` : field.fieldKind;
  const type =
    field.fieldKind === 'map'
      ? 'map'
      : (field.message?.typeName ?? field.enum?.typeName ?? (field.scalar === undefined ? '?' : ScalarType[field.scalar]));
  const packed = field.fieldKind === 'list' && field.packed ? ' packed' : '';
  return `${kind} ${type} ${field.name} = ${field.number} (${field.jsonName})${packed} presence ${field.presence}${field.oneof === undefined ? '' : ` of ${field.oneof.name}`}`;
}

function values(desc: DescEnum): string[] {
  return desc.values.map((value) => `${value.name} = ${value.number}`).sort();
}

const files = await readOwnFiles();
const messages = files.flatMap((file) => withNested(file.messages));
const enums = files.flatMap((file) => [...file.enums, ...withNested(file.messages).flatMap((message) => message.nestedEnums)]);
const services = files.flatMap((file) => file.services);

/** Fields that are newer than the recorded chain. An entry fails as soon as the recording has the field. */
const newer: Readonly<Record<string, readonly string[]>> = {
  // Added in Provenance v1.30.
  'provenance.marker.v1.MarkerAccount': ['require_deposit_access'],
};

/** Messages that only chains with older modules have. An entry fails as soon as the recording has the message. */
const older: ReadonlySet<string> = new Set([
  // Before version 10 of ibc-go.
  'ibc.applications.transfer.v1.QueryDenomTraceResponse',
]);

describe('the generated protobuf code matches a recorded chain', () => {
  it('finds generated messages and enums', () => {
    expect(messages.map((message) => message.typeName)).toContain('cosmos.group.v1.Proposal');
    expect(enums.map((desc) => desc.typeName)).toContain('cosmos.group.v1.VoteOption');
  });

  it.each(messages.map((message) => [message.typeName, message] as const))('%s', (name, own) => {
    const theirs = chain.getMessage(name);
    if (older.has(name)) return expect(theirs).toBeUndefined();
    expect(theirs, `the chain describes ${name}`).toBeDefined();
    const fields = new Map(theirs!.fields.map((field) => [field.number, wire(field)]));
    const expected = own.fields.filter((field) => newer[name]?.includes(field.name) !== true);
    expect(expected.map(wire)).toEqual(expected.map((field) => fields.get(field.number)));
    for (const field of newer[name] ?? []) expect(theirs!.fields.map((each) => each.name)).not.toContain(field);
  });

  it.each(messages.map((message) => [message.typeName, message] as const))(
    '%s has fields of the same Go types',
    (name, own) => {
      const theirs = new Map(chain.getMessage(name)?.fields.map((field) => [field.number, customTypeOf(field)]));
      expect(own.fields.map((field) => [field.name, customTypeOf(field)])).toEqual(
        // Message fields have no custom Go type.
        own.fields.map((field) => [field.name, field.message === undefined ? theirs.get(field.number) : undefined]),
      );
    },
  );

  it.each(enums.map((desc) => [desc.typeName, desc] as const))('%s has every value', (name, own) => {
    const theirs = chain.getEnum(name);
    expect(theirs, `the chain describes ${name}`).toBeDefined();
    expect(values(own)).toEqual(values(theirs!));
  });

  it.each(
    services.flatMap((service) => service.methods.map((method) => [`${service.typeName}/${method.name}`, method] as const)),
  )('the generated code of %s matches a recorded chain', (_, own) => {
    const theirs = chain.getService(own.parent.typeName)?.method[own.localName];
    expect([theirs?.input.typeName, theirs?.output.typeName]).toEqual([own.input.typeName, own.output.typeName]);
  });
});

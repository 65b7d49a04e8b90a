import type { DescEnum, DescMessage } from '@bufbuild/protobuf';
import { bech32 } from '@scure/base';
import { type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from 'graphql';
import { scalarNameOf } from '../../chain/wire/protoJson.ts';
import type { Pinned } from '../../reads/pin.ts';
import { accountOf } from '../account/schema.ts';
import { entryName, fieldsOf, type TypedField, type TypedMessage, type TypeNames } from './values.ts';

/** The page of a list that a message is, in a field of the message. */
export const pageResponseType = 'cosmos.base.query.v1beta1.PageResponse';

/** A field that is added to the schema. */
export interface AddedField {
  // A method, because each resolver has parents and arguments of its own type.
  resolve(parent: Pinned<object>, args: object, context: object, info: GraphQLResolveInfo): unknown;
  readonly extensions?: Readonly<Record<string, unknown>>;
}

/** A full name of protobuf in PascalCase: `cosmos.bank.v1beta1.Metadata` is CosmosBankV1beta1Metadata. */
export function pascal(path: string): string {
  return path
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}

/** The name of a type before collisions: its package in PascalCase, then its own. A nested type has the names of its parents with `_`. */
function nameOf({ file, typeName }: DescMessage | DescEnum): string {
  const { package: path } = file.proto;
  const inPackage = path === '' ? typeName : typeName.slice(path.length + 1);
  return `${pascal(path)}${inPackage.replaceAll('.', '_')}`;
}

/** A description in the text of a schema. */
export const described = (text: string): string => JSON.stringify(text);

/** The account of an address; null if the text is none. The address of a validator's operator is that of its account, with another prefix. */
function linkedAccount(parent: Pinned<object>, address: unknown): unknown {
  if (typeof address !== 'string') return null;
  const decoded = bech32.decodeUnsafe(address, 128);
  if (decoded === undefined) return null;
  const prefix = decoded.prefix.replace(/valoper$/, '');
  return accountOf(parent, prefix === decoded.prefix ? address : bech32.encode(prefix, decoded.words, 128));
}

/** The field with the account of an address; undefined for other fields. */
function linkOf(field: TypedField): { readonly name: string; readonly type: string; readonly field: AddedField } | undefined {
  const { desc, name } = field;
  if (!['cosmos.AddressString', 'cosmos.ValidatorAddressString'].includes(scalarNameOf(desc) ?? '')) return undefined;
  if (desc.fieldKind === 'scalar') {
    const resolve = (parent: Pinned<TypedMessage>): unknown => linkedAccount(parent, field.resolve(parent));
    return { name: `${name}Account`, type: 'Account', field: { resolve } };
  }
  const resolve = (parent: Pinned<TypedMessage>): unknown => {
    const addresses = field.resolve(parent);
    return Array.isArray(addresses) ? addresses.map((address) => linkedAccount(parent, address)) : [];
  };
  return { name: `${name}Accounts`, type: '[Account]!', field: { resolve } };
}

/**
 * Collects the GraphQL types of a chain's messages and enums: their definitions as text, and the resolvers of their fields. A type is named after its full
 * name in PascalCase. If a type of `base` or an earlier one has this name, it is followed by `_`.
 */
export class TypeTable implements TypeNames {
  /** The definitions of the types that were named, in the language of schemas. */
  readonly definitions: string[] = [];
  readonly #base: GraphQLSchema;
  /** The names of GraphQL types, by full names of protobuf. */
  readonly #nameByType = new Map<string, string>();
  readonly #names = new Set<string>();
  readonly #fields = new Map<string, Map<string, AddedField>>();
  readonly #pending: (() => void)[] = [];

  constructor(base: GraphQLSchema) {
    this.#base = base;
  }

  output(desc: DescMessage): string {
    return this.#name(nameOf(desc), desc.typeName, (name) => this.#defineOutput(name, desc));
  }

  input(desc: DescMessage): string {
    return this.#name(`${nameOf(desc)}_Input`, `input ${desc.typeName}`, (name) => this.#defineInput(name, desc));
  }

  enum(desc: DescEnum): string {
    return this.#name(nameOf(desc), desc.typeName, (name) => {
      const values = new Set(desc.values.map((value) => value.name));
      this.definitions.push(`${described(`The enum ${desc.typeName}.`)} enum ${name} { ${[...values].join(' ')} }`);
    });
  }

  /** Adds the resolver of a field. */
  add(type: string, name: string, field: AddedField): void {
    const ofType = this.#fields.get(type) ?? new Map<string, AddedField>();
    ofType.set(name, field);
    this.#fields.set(type, ofType);
  }

  /** Whether a field was added to a type. */
  has(type: string, name: string): boolean {
    return this.#fields.get(type)?.has(name) === true;
  }

  /** Defines all types that were named, and those that they name. */
  complete(): void {
    for (let define = this.#pending.pop(); define !== undefined; define = this.#pending.pop()) define();
  }

  /** Gives the fields of a schema with these types their resolvers. */
  resolveIn(schema: GraphQLSchema): void {
    for (const [typeName, added] of this.#fields) {
      const type = schema.getType(typeName);
      const fields = isObjectType(type) ? type.getFields() : {};
      for (const [name, { resolve, extensions }] of added) {
        const field = fields[name];
        if (field === undefined) throw new Error(`the schema lacks ${typeName}.${name}`);
        field.resolve = resolve;
        if (extensions !== undefined) field.extensions = extensions;
      }
    }
  }

  #name(firstChoice: string, key: string, define: (name: string) => void): string {
    const earlier = this.#nameByType.get(key);
    if (earlier !== undefined) return earlier;
    let name = firstChoice;
    while (this.#base.getType(name) !== undefined || this.#names.has(name)) name += '_';
    this.#names.add(name);
    this.#nameByType.set(key, name);
    this.#pending.push(() => define(name));
    return name;
  }

  #defineOutput(name: string, desc: DescMessage): void {
    const lines: string[] = [];
    const fields = fieldsOf(desc, this);
    const fieldNames = new Set(fields.map((field) => field.name));
    for (const field of fields) {
      if (field.desc.message?.typeName === pageResponseType && field.desc.fieldKind === 'message') {
        lines.push('pageInfo: PageInfo', 'totalCount: UInt64');
        this.add(name, 'pageInfo', { resolve: ({ page }: Pinned<TypedMessage>) => page ?? null });
        this.add(name, 'totalCount', { resolve: ({ page }: Pinned<TypedMessage>) => page?.totalCount ?? null });
        continue;
      }
      lines.push(`${field.name}: ${field.output}`);
      this.add(name, field.name, { resolve: field.resolve });
      if (field.desc.fieldKind === 'map') this.#defineEntry(field);
      const link = linkOf(field);
      if (link !== undefined && !fieldNames.has(link.name)) {
        lines.push(`${link.name}: ${link.type}`);
        this.add(name, link.name, link.field);
      }
    }
    // A type of GraphQL has at least one field.
    if (lines.length === 0) {
      lines.push('_empty: Boolean');
      this.add(name, '_empty', { resolve: () => null });
    }
    this.definitions.push(`${described(`The message ${desc.typeName}.`)} type ${name} { ${lines.join(' ')} }`);
  }

  #defineEntry({ desc, item }: TypedField): void {
    const value = `${item.output}${item.isNullable ? '' : '!'}`;
    this.definitions.push(
      `${described(`An entry of ${desc.parent.typeName}.${desc.name}.`)} type ${entryName(desc, this)} { key: String! value: ${value} }`,
    );
  }

  #defineInput(name: string, desc: DescMessage): void {
    const lines = this.inputLines(name, fieldsOf(desc, this));
    if (lines.length === 0) lines.push('_empty: Boolean');
    this.definitions.push(`${described(`The message ${desc.typeName}, as an argument.`)} input ${name} { ${lines.join(' ')} }`);
  }

  /** The members of an input object or of a list of arguments, one text each. The fields of a `oneof` are in an object of their own, named after `owner`. */
  inputLines(owner: string, fields: readonly TypedField[]): string[] {
    const lines: string[] = [];
    const choices = new Map<string, string[]>();
    for (const { desc, name, input, item } of fields) {
      if (desc.fieldKind === 'map')
        this.definitions.push(`input ${entryName(desc, this)}_Input { key: String! value: ${item.input}! }`);
      const line = `${name}: ${input}`;
      if (desc.oneof === undefined) lines.push(line);
      else choices.set(desc.oneof.localName, [...(choices.get(desc.oneof.localName) ?? []), line]);
    }
    for (const [choice, members] of choices) {
      const type = `${owner}_${choice}_Input`;
      lines.push(`${choice}: ${type}`);
      this.definitions.push(`input ${type} @oneOf { ${members.join(' ')} }`);
    }
    return lines;
  }
}

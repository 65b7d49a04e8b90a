import type { DescEnum, DescField, DescMessage } from '@bufbuild/protobuf';
import { bech32 } from '@scure/base';
import { type GraphQLResolveInfo, type GraphQLSchema, isObjectType } from 'graphql';
import { commentOf } from '../../chain/descriptors/comments.ts';
import { scalarNameOf } from '../../chain/wire/protoJson.ts';
import type { Pinned } from '../../reads/pin.ts';
import { accountOf } from '../account/schema.ts';
import { validatorOfConsensusAddress, validatorOfOperator } from '../staking/schema.ts';
import { entryName, enumValueName, fieldsOf, type TypedField, type TypedMessage, type TypeNames } from './values.ts';

/** The page of a list that a message is, in a field of the message. */
export const pageResponseType = 'cosmos.base.query.v1beta1.PageResponse';

const isPage = ({ message, fieldKind }: DescField): boolean => fieldKind === 'message' && message.typeName === pageResponseType;

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

/** A description in the text of a schema: the comment of the chain before `text`, if its descriptors have one. */
export function described(text: string, comment?: string): string {
  return JSON.stringify(comment === undefined ? text : `${comment}\n\n${text}`);
}

/** The comment of a member, as its description. Empty if there is none. */
const commented = (comment: string | undefined): string => (comment === undefined ? '' : `${JSON.stringify(comment)} `);

/** The account of an address; null if the text is none. The address of a validator's operator is that of its account, with another prefix. */
function linkedAccount(parent: Pinned<object>, address: unknown): unknown {
  if (typeof address !== 'string') return null;
  const decoded = bech32.decodeUnsafe(address, 128);
  if (decoded === undefined) return null;
  const prefix = decoded.prefix.replace(/valoper$/, '');
  return accountOf(parent, prefix === decoded.prefix ? address : bech32.encode(prefix, decoded.words, 128));
}

/** A field beside the field of an address: what the address identifies. */
interface Link {
  /** What follows the name of the field of the address, with an `s` if it has a list. Also the type. */
  readonly type: 'Account' | 'Validator';
  readonly find: (parent: Pinned<object>, address: unknown) => unknown;
}

const toAccount: Link = { type: 'Account', find: linkedAccount };
const toOperator: Link = {
  type: 'Validator',
  find: (parent, address) => (typeof address === 'string' ? validatorOfOperator(parent, address) : null),
};
const toConsensusAddress: Link = {
  type: 'Validator',
  find: (parent, address) => (typeof address === 'string' ? validatorOfConsensusAddress(parent, address) : null),
};

/** The links of an address, by what the chain says that its text is. */
const links: Readonly<Record<string, readonly Link[]>> = {
  'cosmos.AddressString': [toAccount],
  'cosmos.ValidatorAddressString': [toAccount, toOperator],
  'cosmos.ConsensusAddressString': [toConsensusAddress],
};

/** The fields with what an address identifies, or with what each address of a list does. Empty for other fields. */
function linksOf(
  field: TypedField,
): readonly { readonly name: string; readonly type: string; readonly resolve: AddedField['resolve'] }[] {
  const { desc, name } = field;
  return (links[scalarNameOf(desc) ?? ''] ?? []).map(({ type, find }) => {
    if (desc.fieldKind === 'scalar') {
      const resolve = (parent: Pinned<TypedMessage>): unknown => find(parent, field.resolve(parent));
      return { name: `${name}${type}`, type, resolve };
    }
    const resolve = (parent: Pinned<TypedMessage>): unknown => {
      const addresses = field.resolve(parent);
      return Array.isArray(addresses) ? addresses.map((address) => find(parent, address)) : [];
    };
    return { name: `${name}${type}s`, type: `[${type}]!`, resolve };
  });
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
      const values = new Map(
        desc.values.map((value) => [enumValueName(value), `${commented(commentOf(value))}${enumValueName(value)}`]),
      );
      this.definitions.push(
        `${this.#describedType(`The enum ${desc.typeName}.`, name, nameOf(desc), desc)} enum ${name} { ${[...values.values()].join(' ')} }`,
      );
    });
  }

  /** Takes a name that no other type has: this one, or with `_` at its end. */
  free(firstChoice: string): string {
    let name = firstChoice;
    while (this.#base.getType(name) !== undefined || this.#names.has(name)) name += '_';
    this.#names.add(name);
    return name;
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
    const name = this.free(firstChoice);
    this.#nameByType.set(key, name);
    this.#pending.push(() => define(name));
    return name;
  }

  /** The description of a type. It names the type that has the name without `_`. */
  #describedType(about: string, name: string, firstChoice: string, desc: DescMessage | DescEnum): string {
    const collision = name === firstChoice ? '' : ` The name ${firstChoice} is that of another type.`;
    return described(`${about}${collision}`, commentOf(desc));
  }

  #defineOutput(name: string, desc: DescMessage): void {
    const lines: string[] = [];
    const fields = fieldsOf(desc, this);
    const fieldNames = new Set(fields.map((field) => field.name));
    for (const field of fields) {
      if (isPage(field.desc)) {
        const ofPage: readonly (readonly [string, string, AddedField['resolve']])[] = [
          ['pageInfo', 'PageInfo', ({ page }: Pinned<TypedMessage>) => page ?? null],
          ['totalCount', 'UInt64', ({ page }: Pinned<TypedMessage>) => page?.totalCount ?? null],
        ];
        for (const [own, type, resolve] of ofPage) {
          // A field of the message with this name stays.
          if (fieldNames.has(own) || this.has(name, own)) continue;
          lines.push(`${own}: ${type}`);
          this.add(name, own, { resolve });
        }
        continue;
      }
      lines.push(`${commented(commentOf(field.desc))}${field.name}: ${field.output}`);
      this.add(name, field.name, { resolve: field.resolve });
      if (field.desc.fieldKind === 'map') this.#defineEntry(field);
      for (const { name: linkName, type, resolve } of linksOf(field)) {
        if (fieldNames.has(linkName)) continue;
        lines.push(`${linkName}: ${type}`);
        this.add(name, linkName, { resolve });
      }
    }
    // A type of GraphQL has at least one field.
    if (lines.length === 0) {
      lines.push('_empty: Boolean');
      this.add(name, '_empty', { resolve: () => null });
    }
    this.definitions.push(
      `${this.#describedType(`The message ${desc.typeName}.`, name, nameOf(desc), desc)} type ${name} { ${lines.join(' ')} }`,
    );
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
    const about = `The message ${desc.typeName}, as an argument.`;
    this.definitions.push(
      `${this.#describedType(about, name, `${nameOf(desc)}_Input`, desc)} input ${name} { ${lines.join(' ')} }`,
    );
  }

  /** The members of an input object or of a list of arguments, one text each. The fields of a `oneof` are in an object of their own, named after `owner`. */
  inputLines(owner: string, fields: readonly TypedField[]): string[] {
    const lines: string[] = [];
    const choices = new Map<string, string[]>();
    for (const { desc, name, input, item } of fields) {
      if (desc.fieldKind === 'map')
        this.definitions.push(`input ${entryName(desc, this)}_Input { key: String! value: ${item.input}! }`);
      const line = `${commented(commentOf(desc))}${name}: ${input}`;
      if (desc.oneof === undefined) lines.push(line);
      else choices.set(desc.oneof.localName, [...(choices.get(desc.oneof.localName) ?? []), line]);
    }
    for (const [choice, members] of choices) {
      const type = this.free(`${owner}_${choice}_Input`);
      lines.push(`${choice}: ${type}`);
      this.definitions.push(`input ${type} @oneOf { ${members.join(' ')} }`);
    }
    return lines;
  }
}

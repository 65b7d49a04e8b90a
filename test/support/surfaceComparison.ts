import { createRequire } from 'node:module';
import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { bech32 } from '@scure/base';
import { type JsonObject, type JsonValue, quoteLongIntegers } from '../../src/chain/wire/json.ts';
import { castTypeOf, customTypeOf } from '../../src/chain/wire/protoJson.ts';

/** A message type of protobufjs, which encodes and decodes independently of the server. */
interface IndependentType {
  fromObject(object: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): JsonObject;
}

/** The type `FileDescriptorSet` of protobufjs. */
interface IndependentDescriptors {
  decode(bytes: Uint8Array): { readonly file: { extension: object[] }[] };
}

/** The types of a chain, read by protobufjs from the same descriptors. */
export interface IndependentCodec {
  decode(type: string, bytes: Uint8Array): JsonObject;
  encode(type: string, value: object): Uint8Array;
}

/** Reads descriptors (the bytes of a `FileDescriptorSet`) with protobufjs. */
export function createIndependentCodec(descriptors: Uint8Array): IndependentCodec {
  const require = createRequire(import.meta.url);
  const { Root } = require('protobufjs') as {
    Root: { fromDescriptor(set: object): { lookupType(name: string): IndependentType } };
  };
  const { FileDescriptorSet } = require('protobufjs/ext/descriptor') as { FileDescriptorSet: IndependentDescriptors };
  const set = FileDescriptorSet.decode(descriptors);
  // Only options have extensions, and protobufjs looks for what each of them extends in all packages: that takes 5 s of CPU time.
  for (const file of set.file) file.extension = [];
  const root = Root.fromDescriptor(set);
  const shown = { longs: String, enums: String, bytes: String, defaults: true };
  return {
    decode(name, bytes) {
      const type = root.lookupType(name);
      return type.toObject(type.decode(bytes), shown);
    },
    encode(name, value) {
      const type = root.lookupType(name);
      return type.encode(type.fromObject(value)).finish();
    },
  };
}

/**
 * Formats of messages: `wire` as protobufjs decodes them, `decoded` as in queries.json, `module` as GraphQL, `rest` as the REST API of a node,
 * `documented` as the documented REST dialect.
 */
export type Format = 'wire' | 'decoded' | 'module' | 'rest' | 'documented';

/** One message on one surface. */
export interface Reading {
  readonly surface: string;
  readonly format: Format;
  readonly json: JsonValue | undefined;
}

/** Pairs of values of one field on two surfaces. */
export interface Comparison {
  pairs: number;
  /** Pairs that differ in their text, by reason. */
  readonly differing: Record<string, number>;
  /** Pairs that differ without a reason. */
  readonly unexplained: string[];
}

const none = (value: unknown): value is undefined | null => value === undefined || value === null;
const isObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const unbase64 = (text: unknown): Buffer => Buffer.from(String(text ?? ''), 'base64');

/** The names of wasmd for `AccessType`, by their names in protobuf. */
const accessTypes: Readonly<Record<string, string>> = {
  ACCESS_TYPE_UNSPECIFIED: 'Unspecified',
  ACCESS_TYPE_NOBODY: 'Nobody',
  ACCESS_TYPE_EVERYBODY: 'Everybody',
  ACCESS_TYPE_ANY_OF_ADDRESSES: 'AnyOfAddresses',
};

/** Parses JSON with the integers of 64 bits as strings, as the documented dialect needs it. */
export const exactJson = (text: string): JsonValue => JSON.parse(quoteLongIntegers(text)) as JsonValue;

/** Returns the value of a field in the canonical text of all formats, and the name of the rule if the format has one of its own. */
function canonical(field: DescField, format: Format, value: JsonValue | undefined): { text: string; rule: string } {
  const custom = customTypeOf(field);
  const cast = castTypeOf(field);
  const isBytes = field.scalar === ScalarType.BYTES;
  const isText = format === 'rest' || format === 'documented';
  if (custom === 'LegacyDec') {
    if (none(value) || value === '') return { text: 'absent', rule: 'an absent decimal is null, and empty on the wire' };
    const said = isBytes && (format === 'wire' || format === 'decoded') ? unbase64(value).toString() : String(value);
    if (format !== 'wire' && format !== 'decoded') {
      const [whole, places = ''] = said.split('.');
      return { text: places.length === 18 ? BigInt(`${whole}${places}`).toString() : `not a decimal: ${said}`, rule: '' };
    }
    return { text: said, rule: 'a decimal is an integer on the wire' };
  }
  if (custom === 'Int') {
    if (none(value) || value === '') return { text: '0', rule: 'an absent integer is 0 or null, and empty on the wire' };
    const said = isBytes && (format === 'wire' || format === 'decoded') ? unbase64(value).toString() : String(value);
    return {
      text: said,
      rule: isBytes ? 'an integer is text in bytes on the wire' : 'an absent integer is 0 or null, and empty on the wire',
    };
  }
  if (custom === 'MetadataAddress') {
    const bytes =
      isText && !none(value) && value !== ''
        ? bech32.fromWords(bech32.decode(String(value) as `a1${string}`, 128).words)
        : unbase64(value);
    return { text: base64(bytes), rule: 'a metadata address is bech32 over REST, and base64 in protobuf JSON' };
  }
  if (cast === 'RawContractMessage') {
    const decodes = format === 'rest' || format === 'module';
    const json = decodes ? value : none(value) || value === '' ? value : (JSON.parse(unbase64(value).toString()) as JsonValue);
    const text = none(json) || json === '' ? '' : JSON.stringify(json);
    return { text, rule: 'a contract message is its JSON over a node’s REST and in GraphQL, and base64 elsewhere' };
  }
  if (cast === 'HexBytes' && isBytes) {
    const bytes = format === 'rest' ? Buffer.from(String(value ?? ''), 'hex') : unbase64(value);
    return { text: base64(bytes), rule: 'HexBytes are hexadecimal over a node’s REST, and base64 elsewhere' };
  }
  if (isBytes) return { text: none(value) ? '' : String(value), rule: 'empty bytes are null over a node’s REST' };
  if (field.enum?.typeName === 'cosmwasm.wasm.v1.AccessType') {
    return { text: accessTypes[String(value)] ?? String(value), rule: 'access types have wasmd’s names over a node’s REST' };
  }
  return { text: none(value) ? 'absent' : String(value), rule: 'an absent optional value is null' };
}

/** The text of a time or duration that protobufjs decodes to seconds and nanoseconds. */
function clockText(type: string, value: JsonObject): string {
  const seconds = BigInt(String(value.seconds ?? 0));
  const nanos = Number(value.nanos ?? 0);
  const fraction =
    nanos === 0
      ? ''
      : `.${String(nanos)
          .padStart(9, '0')
          .replace(/(000){1,2}$/, '')}`;
  if (type === 'google.protobuf.Duration') return `${seconds}${fraction}s`;
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}${fraction}Z`;
}

/** Compares one message on several surfaces, value by value, each surface with each other. */
export function compareMessages(
  desc: DescMessage,
  readings: readonly Reading[],
  codec: IndependentCodec,
  messageOf: (name: string) => DescMessage | undefined,
  result: Comparison,
  path = desc.typeName,
): void {
  function pair(values: readonly { surface: string; raw: string; text: string; rule: string }[], where: string): void {
    values.forEach((a, index) => {
      for (const b of values.slice(index + 1)) {
        result.pairs += 1;
        if (a.raw === b.raw && a.text === b.text) continue;
        const reason = a.text === b.text ? a.rule || b.rule : '';
        if (reason === '') result.unexplained.push(`${where}: ${a.surface} ${a.raw}, ${b.surface} ${b.raw}`);
        else result.differing[reason] = (result.differing[reason] ?? 0) + 1;
      }
    });
  }

  const rawOf = (value: JsonValue | undefined): string =>
    none(value) ? 'absent' : typeof value === 'object' ? JSON.stringify(value) : String(value);

  function leaf(field: DescField, values: readonly Reading[], where: string): void {
    pair(
      values.map(({ surface, format, json }) => ({ surface, raw: rawOf(json), ...canonical(field, format, json) })),
      where,
    );
  }

  function clock(type: string, values: readonly Reading[], where: string): void {
    const texts = values.map(({ surface, format, json }) => {
      const text = format === 'wire' && isObject(json) ? clockText(type, json) : String(json);
      return { surface, raw: rawOf(json), text, rule: 'times are seconds and nanoseconds on the wire' };
    });
    pair(texts, where);
  }

  function anyOf(values: readonly Reading[], where: string): void {
    const typed = values.map((each) => {
      const json = isObject(each.json) ? each.json : {};
      const type = each.format === 'wire' ? json.type_url : each.format === 'documented' ? json.type : json['@type'];
      return { ...each, fields: json, type: String(type ?? '') };
    });
    pair(
      typed.map(({ surface, type }) => ({ surface, raw: type, text: type, rule: '' })),
      `${where}/@type`,
    );
    const opaque = typed.filter(({ format }) => format === 'wire' || format === 'documented');
    pair(
      opaque.map(({ surface, fields }) => ({ surface, raw: String(fields.value), text: String(fields.value), rule: '' })),
      `${where}/value`,
    );
    const type = typed[0]?.type.replace(/^.*\//, '') ?? '';
    const inner = messageOf(type);
    if (inner === undefined || inner.typeName.startsWith('google.protobuf.')) return;
    const opened = typed
      .filter(({ format }) => format !== 'documented')
      .map((each) => (each.format === 'wire' ? { ...each, json: codec.decode(type, unbase64(each.fields.value)) } : each));
    compareMessages(inner, opened, codec, messageOf, result, `${where}<${type}>`);
  }

  function value(field: DescField, message: DescMessage | undefined, values: readonly Reading[], where: string): void {
    if (message === undefined) {
      leaf(field, values, where);
      return;
    }
    const present = values.filter(({ json }) => !none(json));
    if (present.length < values.length) {
      // Only the node's format writes what is unset, with the defaults of its Go type.
      const isExplained = present.every(({ format }) => format === 'rest');
      pair(
        values.map(({ surface, json }) => ({
          surface,
          raw: none(json) ? 'absent' : 'default',
          text: isExplained ? '' : rawOf(json),
          rule: 'an unset message that cannot be null has its defaults over a node’s REST',
        })),
        where,
      );
    } else if (message.typeName === 'google.protobuf.Any') anyOf(values, where);
    else if (/^google\.protobuf\.(Timestamp|Duration)$/.test(message.typeName)) clock(message.typeName, values, where);
    else if (!message.typeName.startsWith('google.protobuf.'))
      compareMessages(message, values, codec, messageOf, result, where);
  }

  for (const field of desc.fields) {
    const where = `${path}.${field.name}`;
    const found = readings.flatMap((each) => {
      if (!isObject(each.json)) return [];
      const name = each.format === 'module' || each.format === 'documented' ? field.jsonName : field.name;
      return [{ ...each, json: each.json[name] }];
    });
    // Of a oneof, the surfaces write the member that is set.
    if (field.oneof !== undefined && found.every(({ format, json }) => none(json) || format === 'wire')) continue;
    // Attributes have their text in the documented dialect.
    const isAttributeValue = desc.typeName === 'provenance.attribute.v1.Attribute' && field.name === 'value';
    const kept = isAttributeValue ? found.filter(({ format }) => format !== 'documented') : found;
    if (isAttributeValue && kept.length < found.length) {
      const reason = 'the value of an attribute is text in the documented dialect, as in GraphQL';
      result.pairs += kept.length;
      result.differing[reason] = (result.differing[reason] ?? 0) + kept.length;
    }
    if (field.fieldKind === 'list') {
      const lists = kept.map((each) => ({ ...each, items: Array.isArray(each.json) ? each.json : [] }));
      pair(
        lists.map(({ surface, items }) => ({ surface, raw: `${items.length}`, text: `${items.length}`, rule: '' })),
        `${where}.length`,
      );
      for (const index of lists[0]?.items.keys() ?? [])
        value(
          field,
          field.message,
          lists.map((each) => ({ ...each, json: each.items[index] })),
          `${where}[]`,
        );
    } else if (field.fieldKind === 'map') {
      // protobufjs reads maps of descriptors as lists of entries.
      const maps = kept
        .filter(({ format }) => format !== 'wire')
        .map((each) => ({ ...each, entries: isObject(each.json) ? each.json : {} }));
      for (const key of Object.keys(maps[0]?.entries ?? {}))
        value(
          field,
          field.message,
          maps.map((each) => ({ ...each, json: each.entries[key] })),
          `${where}{}`,
        );
    } else value(field, field.message, kept, where);
  }
}

/**
 * Makes a message of a type with every field set but maps, as protobufjs takes it. Numbers and texts differ from field to field.
 */
export function sampleOf(
  desc: DescMessage,
  codec: IndependentCodec,
  messageOf: (name: string) => DescMessage | undefined,
): JsonObject {
  let count = 0;
  function scalar(field: DescField): JsonValue | Uint8Array {
    count += 1;
    const custom = customTypeOf(field);
    const cast = castTypeOf(field);
    const text =
      custom === 'LegacyDec'
        ? `${count}50000000000000000`
        : custom === 'Int'
          ? `${count}000000000000000000000`
          : cast === 'RawContractMessage'
            ? `{"transfer":{"amount":"${count}","id":${count}}}`
            : `text ${count}`;
    switch (field.scalar ?? ScalarType.STRING) {
      case ScalarType.STRING:
        return text;
      case ScalarType.BYTES:
        return custom === 'MetadataAddress' ? Uint8Array.from([0, ...Array<number>(16).fill(count % 256)]) : Buffer.from(text);
      case ScalarType.BOOL:
        return true;
      case ScalarType.INT64:
      case ScalarType.UINT64:
      case ScalarType.FIXED64:
      case ScalarType.SFIXED64:
      case ScalarType.SINT64:
        return `900719925474${1000 + count}`;
      default:
        return count;
    }
  }
  function one(field: DescField, depth: number): JsonValue | Uint8Array | object {
    if (field.enum !== undefined) return field.enum.values.at(-1)?.number ?? 0;
    return field.message === undefined ? scalar(field) : message(field.message, depth);
  }
  function message(of: DescMessage, depth: number): JsonObject {
    count += 1;
    if (of.typeName === 'google.protobuf.Any') {
      // Types with decimals, integers and a contract message. Deeper ones would make a circle.
      const held = ['cosmos.staking.v1beta1.Validator', 'cosmwasm.wasm.v1.MsgExecuteContract', 'cosmos.base.v1beta1.DecCoin'];
      const type = (depth < 4 ? held[count % held.length] : undefined) ?? 'cosmos.base.v1beta1.DecCoin';
      const inner = messageOf(type);
      if (inner === undefined) throw new Error(`${type} is not described`);
      return { type_url: `/${type}`, value: base64(codec.encode(type, message(inner, depth + 2))) };
    }
    if (/^google\.protobuf\.(Timestamp|Duration)$/.test(of.typeName))
      return { seconds: `${1_700_000_000 + count}`, nanos: 5_000_000 };
    if (of.typeName.startsWith('google.protobuf.')) return {};
    const fields = of.fields.filter(
      (field) => field.fieldKind !== 'map' && (field.oneof === undefined || field.oneof.fields[0] === field),
    );
    return Object.fromEntries(
      fields.flatMap((field): [string, JsonValue][] => {
        if (field.message !== undefined && depth > 5) return [];
        const made = one(field, depth + 1);
        const set = field.fieldKind === 'list' ? [made, one(field, depth + 1)] : made;
        return [[field.name, set as JsonValue]];
      }),
    );
  }
  return message(desc, 0);
}

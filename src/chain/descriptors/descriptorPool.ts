import { setImmediate } from 'node:timers/promises';
import {
  createFileRegistry,
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  fromBinary,
  type Registry,
} from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { malformed } from '../wire/decode.ts';

/** The types that a chain describes. A file is decoded when one of its types is first asked for. */
export interface DescriptorPool {
  /** By full name, without a leading slash; undefined when the chain does not describe it. */
  message(name: string): DescMessage | undefined;
  service(name: string): DescService | undefined;
  /** Full names of all services, in alphabetical order. Not every one is served (chain.md finding 18). */
  readonly services: readonly string[];
  /** The same types for the protobuf library. It finds by name, and does not list. */
  readonly registry: Registry;
  /** Bytes of the descriptors. */
  readonly size: number;
  /**
   * Decodes every file once, and keeps none of them. Pauses between files, so that no piece holds the event loop for long. Rejects with
   * NODE_INVALID_RESPONSE if a file does not parse.
   */
  check(): Promise<void>;
  /** How many files are decoded, and their bytes. */
  decoded(): { readonly files: number; readonly size: number };
}

/** Where in the bytes a file lies. */
interface Place {
  readonly start: number;
  readonly end: number;
}

/** Field numbers of `FileDescriptorSet`, `FileDescriptorProto` and of the name in each of its members (descriptor.proto). */
const fileField = 1;
const nameField = 1;
const packageField = 2;
const dependencyField = 3;
const messageField = 4;
const enumField = 5;
const serviceField = 6;
const extensionField = 7;

/** What the file at the reader says of itself at its top level; the reader is left behind it. */
function outline(
  reader: BinaryReader,
  end: number,
): { name: string; dependencies: string[]; symbols: string[]; services: string[] } {
  let name = '';
  const dependencies: string[] = [];
  let prefix = '';
  const symbols: string[] = [];
  const services: string[] = [];
  while (reader.pos < end) {
    const [field, wireType] = reader.tag();
    if (field === nameField) name = reader.string();
    else if (field === dependencyField) dependencies.push(reader.string());
    else if (field === packageField) prefix = `${reader.string()}.`;
    else if (field === messageField || field === enumField || field === serviceField || field === extensionField) {
      const stop = reader.uint32() + reader.pos;
      const symbol = nameIn(reader, stop);
      (field === serviceField ? services : symbols).push(symbol);
    } else reader.skip(wireType);
  }
  return {
    name,
    dependencies,
    symbols: symbols.map((symbol) => prefix + symbol),
    services: services.map((service) => prefix + service),
  };
}

function nameIn(reader: BinaryReader, stop: number): string {
  let name = '';
  while (reader.pos < stop) {
    const [field, wireType] = reader.tag();
    if (field === nameField) name = reader.string();
    else reader.skip(wireType);
  }
  return name;
}

/** How long, ms, files are decoded before other work has its turn. One file of a real chain takes a few milliseconds at most. */
const longestPiece = 5;

/** What is found in `get`, if it is of `kind`. */
function ofKind<K extends string, T extends { readonly kind: string }>(
  desc: T | undefined,
  kind: K,
): Extract<T, { kind: K }> | undefined {
  const is = (value: T): value is Extract<T, { kind: K }> => value.kind === kind;
  return desc !== undefined && is(desc) ? desc : undefined;
}

/**
 * Makes the pool of a `FileDescriptorSet`, as the chain sends it: in any order, files before those they import too. Looking the names up takes some 10 ms for a
 * megabyte; decoding all of it would take 130 ms and 17 MB. Throws NODE_INVALID_RESPONSE if the bytes are none, hold no file, or lack a file
 * that another one imports.
 */
export function createDescriptorPool(bytes: Uint8Array): DescriptorPool {
  const files = new Map<string, Place>();
  const imported = new Set<string>();
  const fileOf = new Map<string, string>();
  const services: string[] = [];
  const built = new Map<string, DescFile>();
  let builtSize = 0;

  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [field, wireType] = reader.tag();
      if (field !== fileField) {
        reader.skip(wireType);
        continue;
      }
      const length = reader.uint32();
      const start = reader.pos;
      const file = outline(reader, start + length);
      files.set(file.name, { start, end: start + length });
      for (const symbol of [...file.symbols, ...file.services]) fileOf.set(symbol, file.name);
      services.push(...file.services);
      for (const dependency of file.dependencies) imported.add(dependency);
    }
  } catch (error) {
    throw malformed(`descriptors that are none: ${error instanceof Error ? error.message : ''}`);
  }

  if (files.size === 0) throw malformed('descriptors without a file');
  const missing = [...imported].find((name) => !files.has(name));
  if (missing !== undefined) throw malformed(`descriptors without the file ${missing.slice(0, 100)}`);

  /** A file with all that it imports. */
  function build(name: string): DescFile | undefined {
    const known = built.get(name);
    if (known !== undefined) return known;
    const place = files.get(name);
    if (place === undefined) return undefined;
    const proto = fromBinary(FileDescriptorProtoSchema, bytes.subarray(place.start, place.end));
    const file = createFileRegistry(proto, build).getFile(name);
    if (file === undefined) return undefined;
    built.set(name, file);
    builtSize += place.end - place.start;
    return file;
  }

  /** A type by name: it lies in the file of the outermost message that it is nested in. */
  function get(name: string): DescMessage | DescEnum | DescService | DescExtension | undefined {
    for (let outer = name; outer !== ''; outer = outer.slice(0, Math.max(outer.lastIndexOf('.'), 0))) {
      const fileName = fileOf.get(outer);
      if (fileName === undefined) continue;
      const file = build(fileName);
      return file && typesOf(file).get(name);
    }
    return undefined;
  }

  const indexes = new Map<DescFile, ReadonlyMap<string, DescMessage | DescEnum | DescService | DescExtension>>();
  function typesOf(file: DescFile): ReadonlyMap<string, DescMessage | DescEnum | DescService | DescExtension> {
    const known = indexes.get(file);
    if (known !== undefined) return known;
    const types = new Map<string, DescMessage | DescEnum | DescService | DescExtension>();
    const add = (desc: DescMessage): void => {
      types.set(desc.typeName, desc);
      for (const nested of desc.nestedEnums) types.set(nested.typeName, nested);
      desc.nestedMessages.forEach(add);
    };
    file.messages.forEach(add);
    for (const desc of [...file.enums, ...file.services, ...file.extensions]) types.set(desc.typeName, desc);
    indexes.set(file, types);
    return types;
  }

  const registry: Registry = {
    kind: 'registry',
    [Symbol.iterator]: () => [][Symbol.iterator](),
    get,
    getMessage: (name) => ofKind(get(name), 'message'),
    getEnum: (name) => ofKind(get(name), 'enum'),
    getService: (name) => ofKind(get(name), 'service'),
    getExtension: (name) => ofKind(get(name), 'extension'),
    getExtensionFor: () => undefined,
  };
  return {
    message: registry.getMessage,
    service: registry.getService,
    services: services.toSorted(),
    registry,
    size: bytes.length,
    async check() {
      let begun = performance.now();
      for (const [name, { start, end }] of files) {
        if (performance.now() - begun > longestPiece) {
          await setImmediate();
          begun = performance.now();
        }
        try {
          fromBinary(FileDescriptorProtoSchema, bytes.subarray(start, end));
        } catch (error) {
          const why = error instanceof Error ? error.message : '';
          throw malformed(`descriptors whose file ${name.slice(0, 100)} does not parse: ${why}`);
        }
      }
    },
    decoded: () => ({ files: built.size, size: builtSize }),
  };
}

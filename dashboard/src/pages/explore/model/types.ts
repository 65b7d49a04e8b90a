/** A type as introspection names it: `ofType` is what a list or a non-null type is of. */
export interface TypeRef {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType?: TypeRef | null;
}

/** An argument of a method, or a member of an input object. */
export interface InputInfo {
  readonly name: string;
  /** What the chain says of it; null if it says nothing. */
  readonly description: string | null;
  readonly type: TypeRef;
  /** The default value in GraphQL; null if it has none. */
  readonly defaultValue: string | null;
}

/** A field of an object. */
export interface FieldInfo {
  readonly name: string;
  readonly description: string | null;
  readonly args: readonly InputInfo[];
  readonly type: TypeRef;
}

/** A type of the schema. */
export interface TypeInfo {
  readonly kind: string;
  readonly name: string;
  /** Whether exactly one member of the input object is set. null for other types. */
  readonly isOneOf: boolean | null;
  readonly fields: readonly FieldInfo[] | null;
  readonly inputFields: readonly InputInfo[] | null;
  readonly enumValues: readonly { readonly name: string }[] | null;
}

/** Types by their names. */
export type TypeMap = ReadonlyMap<string, TypeInfo>;

/** Reads types of the schema. Each is read once. */
export interface Types {
  /** The type with a name; undefined if the schema has none. Names that are asked for together are read together. */
  get(name: string): Promise<TypeInfo | undefined>;
}

/** Sends a document, and returns its data. */
export type Ask = (
  document: string,
  variables: Readonly<Record<string, string>>,
) => Promise<Readonly<Record<string, TypeInfo | null>>>;

/** Types in one document. The server allows 20 fields at the root. */
const batchSize = 20;

const fragments = `fragment T on __Type { kind name isOneOf
  fields { name description args { ...I } type { ...R } } inputFields { ...I } enumValues { name } }
fragment I on __InputValue { name description type { ...R } defaultValue }
fragment R on __Type { kind name ofType { kind name ofType { kind name ofType { kind name } } } }`;

/** The document that reads so many types, named by the variables `n0`, `n1`, … */
function typesDocument(size: number): string {
  const indexes = Array.from({ length: size }, (_, index) => index);
  const fields = indexes.map((index) => `t${index}: __type(name: $n${index}) { ...T }`);
  return `query Types(${indexes.map((index) => `$n${index}: String!`).join(' ')}) { ${fields.join(' ')} }\n${fragments}`;
}

/** Creates a reader of types that keeps what it has read. A read that fails is tried again when it is asked for again. */
export function createTypes(ask: Ask): Types {
  const typesByName = new Map<string, Promise<TypeInfo | undefined>>();
  let waiting: { readonly names: string[]; readonly answer: Promise<Readonly<Record<string, TypeInfo | null>>> } | undefined;

  async function send(names: readonly string[]): Promise<Readonly<Record<string, TypeInfo | null>>> {
    // Names that are asked for in the same task are collected first.
    await Promise.resolve();
    waiting = undefined;
    return ask(typesDocument(names.length), Object.fromEntries(names.map((name, index) => [`n${index}`, name])));
  }

  async function read(name: string): Promise<TypeInfo | undefined> {
    if (waiting === undefined || waiting.names.length === batchSize) {
      const names: string[] = [];
      waiting = { names, answer: send(names) };
    }
    const { names, answer } = waiting;
    const place = names.push(name) - 1;
    return (await answer)[`t${place}`] ?? undefined;
  }

  return {
    get(name) {
      const before = typesByName.get(name);
      if (before !== undefined) return before;
      const reading = read(name);
      typesByName.set(name, reading);
      reading.catch(() => typesByName.delete(name));
      return reading;
    },
  };
}

/** The name of a type without its marks of lists and non-null. */
export function nameOf(type: TypeRef): string {
  return type.ofType ? nameOf(type.ofType) : (type.name ?? '');
}

/** The kind of a type without its marks of lists and non-null. */
export function kindOf(type: TypeRef): string {
  return type.ofType ? kindOf(type.ofType) : type.kind;
}

/** A type without the mark of non-null. */
export function nullable(type: TypeRef): TypeRef {
  return type.kind === 'NON_NULL' && type.ofType ? type.ofType : type;
}

/** A type as a document writes it, such as `[String!]`. */
export function typeText(type: TypeRef): string {
  if (type.kind === 'NON_NULL') return `${type.ofType ? typeText(type.ofType) : ''}!`;
  if (type.kind === 'LIST') return `[${type.ofType ? typeText(type.ofType) : ''}]`;
  return type.name ?? '';
}

/** The most types that are read for one method. */
const mostTypes = 240;

/** Reads types, and those that `next` names of each, to a depth. Types that the schema does not have are left out. */
export async function readTypes(
  types: Types,
  names: readonly string[],
  next: (type: TypeInfo) => readonly string[],
  depth: number,
): Promise<TypeMap> {
  const all = new Map<string, TypeInfo>();
  let level = [...new Set(names)];
  for (let at = 0; at < depth && level.length > 0; at += 1) {
    const infos = await Promise.all(level.map((name) => types.get(name)));
    const present = infos.flatMap((info) => info ?? []);
    for (const info of present) all.set(info.name, info);
    level = [...new Set(present.flatMap(next))].filter((name) => !all.has(name)).slice(0, mostTypes - all.size);
  }
  return all;
}

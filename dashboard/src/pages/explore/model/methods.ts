import { type FieldInfo, type InputInfo, kindOf, nameOf, readTypes, type TypeMap, type Types } from './types.ts';

/** A query method of a module of the chain, as the schema has it. */
export interface Method {
  /** The names of its fields from the root, such as `cosmos.bank.v1beta1.balance`. */
  readonly id: string;
  readonly path: readonly string[];
  /** The part of `id` before its own name, such as `cosmos.bank.v1beta1`. */
  readonly module: string;
  /** Its name, such as `balance`. */
  readonly name: string;
  /** The name of the chain, such as `cosmos.bank.v1beta1.Query/Balance`. */
  readonly chainName: string;
  /** What the chain says of it. Empty if it says nothing. */
  readonly about: string;
  /** The arguments of its message. Those of the page are not among them. */
  readonly args: readonly InputInfo[];
  /** The arguments of its page: `first`, `after`, `offset` and `reverse`. Empty if it returns no page. */
  readonly pageArgs: readonly InputInfo[];
  /** The name of the type that it returns. */
  readonly type: string;
  /** Whether it is read at a height. Others return the state of a node, and cannot be live. */
  readonly hasHeight: boolean;
}

/** Methods of one module. */
export interface MethodGroup {
  readonly module: string;
  readonly methods: readonly Method[];
}

const pageNames: readonly string[] = ['first', 'after', 'offset', 'reverse'];

/** The most parts of the name of a package. */
const deepest = 10;

/** Whether a field is a namespace: its type is never null, and is named after the package. */
function isNamespace({ args, type }: FieldInfo): boolean {
  return args.length === 0 && type.kind === 'NON_NULL' && kindOf(type) === 'OBJECT' && /Queries_*$/.test(nameOf(type));
}

/** The last paragraph of the description of a method, which names it: `The query cosmos.bank.v1beta1.Query/Balance. Not read at a height.` */
const naming = /(?:^|\n\n)The query (\S+)\.( Not read at a height\.)?$/;

/** A field of a namespace as a method. undefined if it is a namespace. */
function methodOf(path: readonly string[], field: FieldInfo): Method | undefined {
  const description = (field.description ?? '').trim();
  const [paragraph, chainName, noHeight] = naming.exec(description) ?? [];
  if (paragraph === undefined || chainName === undefined) return undefined;
  const isPaged = pageNames.every((name) => field.args.some((arg) => arg.name === name));
  const isOfPage = ({ name }: InputInfo): boolean => isPaged && pageNames.includes(name);
  return {
    id: [...path, field.name].join('.'),
    path: [...path, field.name],
    module: path.join('.'),
    name: field.name,
    chainName,
    about: description.slice(0, -paragraph.length).trim(),
    args: field.args.filter((arg) => !isOfPage(arg)),
    pageArgs: field.args.filter(isOfPage),
    type: nameOf(field.type),
    hasHeight: noHeight === undefined,
  };
}

const namesOfSpaces = (fields: readonly FieldInfo[] | null): readonly string[] =>
  (fields ?? []).filter(isNamespace).map(({ type }) => nameOf(type));

function collect(types: TypeMap, path: readonly string[], typeName: string): Method[] {
  return (types.get(typeName)?.fields ?? []).flatMap((field) => {
    if (isNamespace(field)) return collect(types, [...path, field.name], nameOf(field.type));
    return path.length === 0 ? [] : (methodOf(path, field) ?? []);
  });
}

/** Reads all methods of the schema, by module. Modules and methods are in the order of their names. */
export async function readMethods(types: Types): Promise<readonly MethodGroup[]> {
  const map = await readTypes(types, ['Query'], ({ fields }) => namesOfSpaces(fields), deepest);
  const methods = collect(map, [], 'Query').sort((one, other) => (one.id < other.id ? -1 : 1));
  const modules = [...new Set(methods.map(({ module }) => module))].sort();
  return modules.map((module) => ({ module, methods: methods.filter((method) => method.module === module) }));
}

/** Reads one method by its id. undefined if the schema has none. */
export async function readMethod(types: Types, id: string): Promise<Method | undefined> {
  const parts = id.split('.');
  const name = parts.pop();
  let space = await types.get('Query');
  for (const part of parts) {
    const field = space?.fields?.find((each) => each.name === part && isNamespace(each));
    space = field && (await types.get(nameOf(field.type)));
  }
  const field = parts.length === 0 ? undefined : space?.fields?.find((each) => each.name === name && !isNamespace(each));
  return field && methodOf(parts, field);
}

/** The methods in whose names each word of a text occurs, in any order. Modules without one are left out. */
export function searchMethods(groups: readonly MethodGroup[], text: string): readonly MethodGroup[] {
  const words = text
    .toLowerCase()
    .split(/[\s./]+/)
    .filter((word) => word !== '');
  if (words.length === 0) return groups;
  const matches = ({ id, chainName }: Method): boolean => {
    const names = `${id} ${chainName}`.toLowerCase();
    return words.every((word) => names.includes(word));
  };
  return groups
    .map(({ module, methods }) => ({ module, methods: methods.filter(matches) }))
    .filter(({ methods }) => methods.length > 0);
}

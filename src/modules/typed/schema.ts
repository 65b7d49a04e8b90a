import { createHash } from 'node:crypto';
import { type DescMessage, type DescMethodUnary, fromBinary } from '@bufbuild/protobuf';
import { extendSchema, type GraphQLSchema, isUnionType, parse } from 'graphql';
import { commentOf } from '../../chain/descriptors/comments.ts';
import type { DescriptorPool } from '../../chain/descriptors/descriptorPool.ts';
import { isQueryService } from '../../chain/simulation/execution.ts';
import { malformed } from '../../chain/wire/json.ts';
import { type AnyMessage, implementsInterface, typeNameOf } from '../../chain/wire/protoJson.ts';
import { pageDefault } from '../../config/bounds.ts';
import { badInput } from '../../reads/errors.ts';
import { encodeCursor, type PageRequest } from '../../reads/page.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { queryLatest } from '../../reads/query.ts';
import { maySimulate } from '../../reads/viewer.ts';
import { liveField, usesContext } from '../../schema/builder.ts';
import { type ConnectionArgs, pageRequest } from '../../schema/connection.ts';
import { encodeRequest, isLiveMethod, methodsOf } from '../any/module.ts';
import { type AddedField, described, pageResponseType, pascal, TypeTable } from './types.ts';
import { argumentsJson, fieldsOf, memberOf, type TypedMessage, type TypedPage, typedMessage } from './values.ts';

const pageRequestType = 'cosmos.base.query.v1beta1.PageRequest';

/** Methods that ignore the key of a page (docs/chain.md, "Page requests"). Their cursors hold an offset. */
const pagedByOffset: readonly string[] = ['/cosmos.group.v1.Query/Groups'];

/** The service whose lists ignore `reverse` (docs/chain.md, "Page requests"). */
const forwardOnly = 'cosmos.group.v1.Query';

/** The arguments of a method that returns a page. */
const pageArguments: Readonly<Record<string, string>> = {
  first: `Int = ${pageDefault}`,
  after: 'String',
  offset: 'Int',
  reverse: 'Boolean = false',
};

/** A page that a method is asked for: its request in protobuf JSON, and the page that a response is. */
interface Paging {
  readonly json: {
    readonly limit: number;
    readonly key?: string;
    readonly offset?: string;
    readonly countTotal?: boolean;
    readonly reverse?: boolean;
  };
  readonly pageOf: (response: object) => TypedPage;
}

/** Makes the page request of a method. `list` is the name of the list in cursors. A list that cannot be reversed is BAD_USER_INPUT. */
function pagingOf(method: DescMethodUnary, path: string, list: string, request: PageRequest): Paging {
  const { first, after, offset = 0n, reverse, count } = request;
  if (reverse && method.parent.typeName === forwardOnly)
    throw badInput('reverse', 'true', 'false: the module reads its lists forwards only');
  const isByOffset = pagedByOffset.includes(path);
  const start = isByOffset ? (after?.place ?? offset) : offset;
  const key = isByOffset || after === undefined ? undefined : Buffer.from(after.key).toString('base64');
  // The chain ignores the total if there is a key.
  const isCounted = count && key === undefined;
  return {
    json: {
      limit: Math.max(first, 1),
      ...(key !== undefined && { key }),
      ...(start > 0n && { offset: start.toString() }),
      ...(isCounted && { countTotal: true }),
      ...(reverse && { reverse }),
    },
    pageOf(response) {
      const page = memberOf(response, method.output.fields.find(isPageOfResponse)?.localName ?? '');
      const [nextKey, total] = [memberOf(page, 'nextKey'), memberOf(page, 'total')];
      const hasNextPage = nextKey instanceof Uint8Array && nextKey.length > 0;
      const cursor = isByOffset ? { key: new Uint8Array(), place: start + BigInt(first) } : { key: nextKey, place: undefined };
      return {
        nodes: [],
        cursorAt: () => '',
        hasNextPage,
        hasPreviousPage: after !== undefined || start > 0n,
        totalCount: isCounted && typeof total === 'bigint' ? total : null,
        endCursor:
          hasNextPage && cursor.key instanceof Uint8Array ? encodeCursor(list, { key: cursor.key, place: cursor.place }) : null,
      };
    },
  };
}

const isPageOfResponse = ({ message }: { readonly message?: DescMessage | undefined }): boolean =>
  message?.typeName === pageResponseType;

/** The text of a path and arguments, by which the cursors of a list are told from others. */
function listName(path: string, args: object): string {
  return `${path} ${createHash('sha256').update(JSON.stringify(args)).digest('base64url').slice(0, 22)}`;
}

/** Adds a method as a field of the type of its namespace. Returns the definition of the field. */
function addMethod(pool: DescriptorPool, types: TypeTable, type: string, method: DescMethodUnary): string {
  const path = `/${method.parent.typeName}/${method.name}`;
  const isLive = isLiveMethod(method.parent.typeName, method.name);
  const pageField = method.input.fields.find(({ message }) => message?.typeName === pageRequestType);
  const fields = fieldsOf(method.input, types)
    .filter(({ desc }) => desc !== pageField)
    .map((field) => (pageField !== undefined && field.name in pageArguments ? { ...field, name: `${field.name}_` } : field));
  const members = method.output.fields.map(({ jsonName }) => jsonName);
  const typename = types.output(method.output);
  let name = method.name.charAt(0).toLowerCase() + method.name.slice(1);
  while (types.has(type, name)) name += '_';

  const resolve: AddedField['resolve'] = usesContext(
    async (root: Pinned<object>, args: ConnectionArgs, { outcome, viewer }, info) => {
      const pin = pinOf(root);
      const json = argumentsJson(fields, args);
      const list = pageField === undefined ? '' : listName(path, json);
      const paging = pageField && pagingOf(method, path, list, pageRequest(pin, list, args, info, members));
      const page = pageField && paging && { [pageField.jsonName]: paging.json };
      const request = encodeRequest(pool.registry, method.input, name, { ...json, ...page });
      if (isLive) outcome.immutable = false;
      const response = isLive
        ? await queryLatest({ client: pin.client, signal: pin.signal, maySimulate: maySimulate(viewer) }, path, request)
        : await pin.state.query(path, request);
      const message = decodeResponse(method.output, response, path);
      const answer: TypedMessage = { __typename: typename, message, ...(paging && { page: paging.pageOf(message) }) };
      return pinned(pin, answer);
    },
  );
  types.add(type, name, { resolve, ...(isLive && { extensions: liveField }) });

  const args = types.inputLines(`${pascal(method.parent.file.proto.package)}${method.name}`, fields);
  if (pageField !== undefined)
    args.push(...Object.entries(pageArguments).map(([argument, ofType]) => `${argument}: ${ofType}`));
  const argsText = args.length === 0 ? '' : `(${args.join(' ')})`;
  const about = `The query ${path.slice(1)}.${isLive ? ' Not read at a height.' : ''}`;
  return `${described(about, commentOf(method))} ${name}${argsText}: ${typename}`;
}

function decodeResponse(desc: DescMessage, bytes: Uint8Array, path: string): object {
  try {
    return fromBinary(desc, bytes);
  } catch {
    throw malformed(`${path} does not return the protobuf message of its method`);
  }
}

/** A part of the names of packages, with the methods of its package and the parts within it. */
interface Namespace {
  readonly path: string;
  readonly within: Map<string, Namespace>;
  readonly methods: DescMethodUnary[];
}

function namespaceOf(methods: readonly DescMethodUnary[]): Namespace {
  const root: Namespace = { path: '', within: new Map(), methods: [] };
  for (const method of methods) {
    let space = root;
    for (const part of method.parent.file.proto.package.split('.')) {
      const inner = space.within.get(part) ?? {
        path: `${space.path}.${part}`.replace(/^\./, ''),
        within: new Map(),
        methods: [],
      };
      space.within.set(part, inner);
      space = inner;
    }
    space.methods.push(method);
  }
  return root;
}

/** Defines the type of a namespace and those within it. Returns its name. */
function addNamespace(pool: DescriptorPool, types: TypeTable, { path, within, methods }: Namespace): string {
  const type = types.free(`${pascal(path)}Queries`);
  const lines: string[] = [];
  for (const [part, inner] of within) {
    lines.push(`${described(`The queries of ${inner.path}.`)} ${part}: ${addNamespace(pool, types, inner)}!`);
    types.add(type, part, { resolve: (root) => root });
  }
  for (const method of methods) lines.push(addMethod(pool, types, type, method));
  types.definitions.push(
    `${described(`The queries of ${path}, as the chain describes them.`)} type ${type} { ${lines.join(' ')} }`,
  );
  return type;
}

/** The messages that an `Any` can hold: those of transactions, and those that implement an interface of a module of the chain. */
function anyMessages(
  pool: DescriptorPool,
  services: readonly string[],
  includes: (name: string) => boolean,
): readonly DescMessage[] {
  const transactions = pool.services.filter((name) => name.endsWith('.Msg'));
  const messages = new Map<string, DescMessage>();
  for (const service of transactions)
    for (const { input } of pool.service(service)?.methods ?? []) messages.set(input.typeName, input);
  const root = (name: string): string => name.slice(0, name.indexOf('.'));
  const roots = new Set([...transactions, ...services].map(root));
  for (const symbol of pool.symbols) {
    const desc = roots.has(root(symbol)) ? pool.message(symbol) : undefined;
    if (desc !== undefined && implementsInterface(desc)) messages.set(symbol, desc);
  }
  return [...messages.values()].filter(({ typeName }) => includes(typeName));
}

/** Adds `AnyMessage.typed`, and the union of these messages. Returns the definitions. */
function addAnyUnion(types: TypeTable, union: string, messages: readonly DescMessage[]): readonly string[] {
  if (messages.length === 0) return [];
  const byName = new Map(messages.map((desc) => [desc.typeName, { desc, typename: types.output(desc) }]));
  types.add('AnyMessage', 'typed', {
    resolve(parent: Pinned<AnyMessage>) {
      const entry = byName.get(typeNameOf(parent.type));
      try {
        return entry ? typedMessage(pinOf(parent), entry.typename, fromBinary(entry.desc, parent.value)) : null;
      } catch {
        return null;
      }
    },
  });
  const names = [...byName.values()].map(({ typename }) => typename);
  return [
    `${described('A message that an `Any` of this chain can hold.')} union ${union} = ${names.join(' | ')}`,
    `extend type AnyMessage { ${described('The message with its type; null if the chain does not describe it, or if its bytes do not decode.')} typed: ${union} }`,
  ];
}

/**
 * Adds the types of a chain to a schema: a field for each query method of `services`, under the names of its package, the messages that they reach, and
 * `AnyMessage.typed`, whose messages are those with a name that `includes` accepts. The resolvers decode with the types of `pool`. Takes about half a second of CPU for the first schema of Provenance.
 */
export function addChainTypes(
  base: GraphQLSchema,
  pool: DescriptorPool,
  services: readonly string[],
  includes: (name: string) => boolean = () => true,
): GraphQLSchema {
  const types = new TypeTable(base);
  const anyUnion = types.free('TypedMessage');
  const methods = services
    .filter(isQueryService)
    .toSorted()
    .flatMap((service) => methodsOf(pool, service));
  const rootFields = base.getQueryType()?.getFields() ?? {};
  const lines: string[] = [];
  for (const [part, space] of namespaceOf(methods).within) {
    const name = part in rootFields ? `${part}_` : part;
    lines.push(
      `${described(`The queries of ${part}, as the chain describes them.`)} ${name}: ${addNamespace(pool, types, space)}!`,
    );
    for (const type of ['Query', 'Snapshot']) types.add(type, name, { resolve: (root) => root });
  }
  const ofAny = addAnyUnion(types, anyUnion, anyMessages(pool, services, includes));
  types.complete();
  const ofRoots = lines.length === 0 ? [] : ['Query', 'Snapshot'].map((type) => `extend type ${type} { ${lines.join(' ')} }`);
  const text = [...types.definitions, ...ofAny, ...ofRoots].join('\n');
  if (text === '') return base;
  const schema = extendSchema(base, parse(text, { noLocation: true }), { assumeValidSDL: true, assumeValid: true });
  types.resolveIn(schema);
  const union = schema.getType(anyUnion);
  if (isUnionType(union)) union.resolveType = ({ __typename }: TypedMessage) => __typename;
  return schema;
}

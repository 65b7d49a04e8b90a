import {
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getDirectiveValues,
  type SelectionNode,
} from 'graphql';
import { pageDefault } from '../config/bounds.ts';
import { badInput } from '../reads/errors.ts';
import { decodeCursor, encodeCursor, type NamedList, type Page, type PageRequest, pageOf, readPage } from '../reads/page.ts';
import {
  type Awaitable,
  andThen,
  type Derivation,
  type Derived,
  derivedKey,
  type Pin,
  type Pinned,
  pinned,
  pinOf,
  Unread,
} from '../reads/pin.ts';
import { type Builder, connectionArgs, createRef, orUnread, type Ref, type UnionRef, usesContext } from './builder.ts';

/** The arguments of a connection, as GraphQL passes them. */
export interface ConnectionArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly offset?: number | null | undefined;
  readonly reverse?: boolean | null | undefined;
}

/** The names that {@link selectedNames} found. Absent for fields that may skip some. */
const namesByField = new WeakMap<GraphQLResolveInfo['fieldNodes'], ReadonlySet<string>>();

/** The names of the fields that a field selects directly or through fragments, considering `@skip` and `@include`. */
function selectedNames({ fieldNodes, fragments, variableValues }: GraphQLResolveInfo): ReadonlySet<string> {
  const keptNames = namesByField.get(fieldNodes);
  if (keptNames !== undefined) return keptNames;
  const names = new Set<string>();
  let hasDirectives = false;
  const nodes: SelectionNode[] = [];
  for (const { selectionSet } of fieldNodes) nodes.push(...(selectionSet?.selections ?? []));
  // The selections of fragments are appended.
  for (const node of nodes) {
    if (node.directives !== undefined && node.directives.length > 0) {
      hasDirectives = true;
      if (getDirectiveValues(GraphQLSkipDirective, node, variableValues)?.if === true) continue;
      if (getDirectiveValues(GraphQLIncludeDirective, node, variableValues)?.if === false) continue;
    }
    if (node.kind === 'Field') names.add(node.name.value);
    else {
      const fragment = node.kind === 'InlineFragment' ? node : fragments[node.name.value];
      nodes.push(...(fragment?.selectionSet.selections ?? []));
    }
  }
  if (!hasDirectives) namesByField.set(fieldNodes, names);
  return names;
}

/** Whether a field selects nothing but `names`, directly or through fragments. */
export function selectsOnly(info: GraphQLResolveInfo, names: readonly string[]): boolean {
  return [...selectedNames(info)].every((name) => names.includes(name));
}

/** Checks the size of a page: BAD_USER_INPUT below 0 or above `page.size.max`. */
export function checkPageSize({ bounds: { pageMax } }: Pin, first: number): void {
  if (first < 0 || first > pageMax) throw badInput('first', String(first), `from 0 to ${pageMax}`);
}

/**
 * The part of the list `name` that the arguments select. Invalid arguments are BAD_USER_INPUT or BAD_CURSOR. Items and total
 * are read only if the operation selects a field that needs them; `also` names further fields of the connection that need the
 * items.
 */
export function pageRequest(
  pin: Pin,
  name: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  also: readonly string[] = [],
): PageRequest {
  const first = args.first ?? pageDefault;
  checkPageSize(pin, first);
  const { offset, after } = args;
  const { offsetMax } = pin.bounds;
  if (offset != null && (offset < 0 || offset > offsetMax)) throw badInput('offset', String(offset), `from 0 to ${offsetMax}`);
  if (offset != null && after != null) throw badInput('offset', String(offset), 'absent when `after` is given');
  const names = selectedNames(info);
  const needsItems = names.has('nodes') || names.has('edges') || names.has('pageInfo') || also.some((each) => names.has(each));
  const count = names.has('totalCount');
  if (count) pin.bounds.onCount?.();
  return {
    first: needsItems ? first : 0,
    reverse: args.reverse ?? false,
    count,
    ...(after != null && { after: decodeCursor(name, after) }),
    ...(offset != null && { offset: BigInt(offset) }),
  };
}

/** A page of a list as GraphQL serves it. */
export interface Connection<T> {
  readonly nodes: readonly T[];
  readonly cursorAt: (index: number) => string;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: bigint | null;
  /** The cursor of the next page, if it differs from the cursor of the last item. */
  readonly endCursor?: string | null;
}

/**
 * The connection of a page that was read. Its items are pinned when they are used. It is a class because only then `nodes` is absent from
 * copies with other nodes.
 */
class PageConnection<T extends object> implements Connection<Pinned<T>>, Derived {
  readonly cursorAt: (index: number) => string;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
  readonly totalCount: bigint | null;
  readonly #pin: Pin;
  readonly #items: readonly T[];
  readonly #source: object | undefined;
  #nodes: readonly Pinned<T>[] | undefined;

  constructor(
    pin: Pin,
    name: string,
    { items, placeAt, hasNext, hasPrevious, total, source }: Page<T>,
    keyOf: (item: T) => Uint8Array,
  ) {
    this.#pin = pin;
    this.#items = items;
    // A page of other items may be a copy.
    this.#source = source?.items === items ? source : undefined;
    this.cursorAt = (index) => {
      const item = items[index];
      if (item === undefined) throw new RangeError(`no item ${index} on this page`);
      pin.use();
      return encodeCursor(name, { key: keyOf(item), place: placeAt(index) });
    };
    this.hasNextPage = hasNext;
    this.hasPreviousPage = hasPrevious;
    this.totalCount = total ?? null;
  }

  /** The read that it consists of, besides its cursors, which use the pin. */
  get [derivedKey](): Derivation | undefined {
    return this.#source && { pin: this.#pin, origin: this.#source };
  }

  get nodes(): readonly Pinned<T>[] {
    this.#nodes ??= this.#items.map((item) => pinned(this.#pin, item));
    return this.#nodes;
  }

  /** The items that are not pinned yet. */
  unread(): readonly Unread<T>[] {
    const items: Unread<T>[] = [];
    for (const item of this.#items) items.push(new Unread(this.#pin, item));
    return items;
  }

  /** The number of items. */
  count(): number {
    return this.#items.length;
  }
}

function countOf(page: Connection<unknown>): number {
  return page instanceof PageConnection ? page.count() : page.nodes.length;
}

interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

const PageInfoRef = createRef<Connection<unknown>>('PageInfo');

/** Adds `PageInfo`. */
export function addPageInfo(builder: Builder): void {
  builder.subgraph.directives.set('PageInfo', '@shareable');
  builder.objectType(PageInfoRef, {
    description:
      'The position of a page in its list. Cursors are opaque and work from any item. A cursor of another list is BAD_CURSOR.\n`totalCount` of a connection is read only if it is selected. It is null if the list cannot be counted.',
    fields: (t) => ({
      hasNextPage: t.exposeBoolean('hasNextPage', { nullable: false }),
      hasPreviousPage: t.exposeBoolean('hasPreviousPage', { nullable: false }),
      startCursor: t.string({ resolve: (page) => (countOf(page) === 0 ? null : page.cursorAt(0)) }),
      endCursor: t.string({
        description: 'The value of `after` for the next page; null on an empty page.',
        resolve: (page) => {
          if (page.endCursor !== undefined) return page.endCursor;
          const count = countOf(page);
          return count === 0 ? null : page.cursorAt(count - 1);
        },
      }),
    }),
  });
}

/** Adds the connection and edge types of a node type. `plural` appears in their descriptions ("proposals"). */
export function addConnection<T>(
  builder: Builder,
  NodeRef: Ref<T> | UnionRef<T>,
  ConnectionRef: Ref<Connection<T>>,
  plural: string,
): void {
  const EdgeRef = createRef<Edge<T>>(`${NodeRef.name}Edge`);
  builder.objectType(EdgeRef, {
    description: `An item on a page of ${plural}, with its cursor.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', { nullable: false }),
      // Pothos cannot infer the node type through a type parameter; the ref determines it.
      node: t.field({ type: NodeRef, nullable: false, resolve: (edge) => edge.node as never }),
    }),
  });
  builder.objectType(ConnectionRef, {
    description: `A page of ${plural}.`,
    fields: (t) => ({
      nodes: t.field({
        type: [NodeRef],
        nullable: false,
        resolve: orUnread(
          (page: Connection<T>) => page.nodes,
          (page) => (page instanceof PageConnection ? page.unread() : undefined),
        ),
      }),
      edges: t.field({
        type: [EdgeRef],
        nullable: false,
        resolve: (page) => page.nodes.map((node, index) => ({ node, cursor: page.cursorAt(index) })),
      }),
      pageInfo: t.field({ type: PageInfoRef, nullable: false, resolve: (page) => page }),
      totalCount: t.field({ type: 'UInt64', resolve: (page) => page.totalCount }),
    }),
  });
}

/** The arguments of a list that can be read in both directions at the same cost. A cursor is valid for one direction only. */
export function direction(
  name: string,
  { reverse, ...args }: ConnectionArgs,
): { name: string; reversed: boolean; args: ConnectionArgs } {
  const reversed = reverse ?? false;
  return { name: reversed ? `${name}/reversed` : name, reversed, args };
}

/** The connection of a page that was read. `name` identifies the list and its arguments; a cursor is valid only for the list it names. */
export function connectionOf<T extends object>(
  pin: Pin,
  name: string,
  page: Page<T>,
  keyOf: (item: T) => Uint8Array,
): Connection<Pinned<T>> {
  return new PageConnection(pin, name, page, keyOf);
}

/** A page of a list of the chain. */
export function chainConnection<T extends object>(
  pin: Pin,
  list: NamedList<T>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<T>>> {
  const part = readPage(list, pageRequest(pin, list.name, args, info));
  return andThen(part, (page) => new PageConnection(pin, list.name, page, list.keyOf));
}

/** The arguments and the resolver of a field that is a page of a list of its object. */
export function pageField<P extends object, T extends object>(
  builder: Builder,
  listOf: (pin: Pin, parent: Pinned<P>) => NamedList<T>,
) {
  return {
    args: connectionArgs(builder),
    resolve: usesContext((parent: Pinned<P>, args: ConnectionArgs, _context, info) =>
      chainConnection(pinOf(parent), listOf(pinOf(parent), parent), args, info),
    ),
  };
}

/** A page of a list that `items` returns whole, ascending by `keyOf`. Checks the arguments before it calls `items`. */
export function derivedConnection<T extends object, N extends readonly T[] | null>(
  pin: Pin,
  name: string,
  items: () => Awaitable<N>,
  keyOf: (item: T) => Uint8Array,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<T>> | null> {
  const request = pageRequest(pin, name, args, info);
  return andThen(items(), (whole) => (whole === null ? null : connectionOf(pin, name, pageOf(whole, keyOf, request), keyOf)));
}

import {
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getArgumentValues,
  type SelectionSetNode,
} from 'graphql';
import { pageDefault } from '../config/bounds.ts';
import { decodeCursor, encodeCursor } from '../reads/cursor.ts';
import { badInput } from '../reads/errors.ts';
import { type ChainList, type Page, type PageRequest, pageOf, readPage } from '../reads/page.ts';
import { type Pin, type Pinned, pinned } from '../reads/pin.ts';
import { type Builder, createRef, type Ref } from './builder.ts';

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

interface Edge<T> {
  readonly cursor: string;
  readonly node: T;
}

/** The arguments of a connection, as GraphQL passes them. */
export interface ConnectionArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly offset?: number | null | undefined;
  readonly reverse?: boolean | null | undefined;
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
      startCursor: t.string({ resolve: (page) => (page.nodes.length === 0 ? null : page.cursorAt(0)) }),
      endCursor: t.string({
        description: 'The value of `after` for the next page; null on an empty page.',
        resolve: ({ nodes, endCursor, cursorAt }) => {
          if (endCursor !== undefined) return endCursor;
          return nodes.length === 0 ? null : cursorAt(nodes.length - 1);
        },
      }),
    }),
  });
}

/** Adds the connection and edge types of a node type. `plural` appears in their descriptions ("proposals"). */
export function addConnection<T>(builder: Builder, NodeRef: Ref<T>, ConnectionRef: Ref<Connection<T>>, plural: string): void {
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
      nodes: t.field({ type: [NodeRef], nullable: false, resolve: (page) => page.nodes }),
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

/** Whether a field selects one of `names` directly or through fragments, considering `@skip` and `@include`. */
function selects(info: GraphQLResolveInfo, names: readonly string[]): boolean {
  const within = (set: SelectionSetNode | undefined): boolean =>
    set?.selections.some((node) => {
      const { variableValues } = info;
      const skip = node.directives?.find(({ name }) => name.value === 'skip');
      if (skip && getArgumentValues(GraphQLSkipDirective, skip, variableValues).if === true) return false;
      const include = node.directives?.find(({ name }) => name.value === 'include');
      if (include && getArgumentValues(GraphQLIncludeDirective, include, variableValues).if === false) return false;
      if (node.kind === 'Field') return names.includes(node.name.value);
      return within(node.kind === 'InlineFragment' ? node.selectionSet : info.fragments[node.name.value]?.selectionSet);
    }) ?? false;
  return info.fieldNodes.some((node) => within(node.selectionSet));
}

/**
 * The part of the list `name` that the arguments select. Invalid arguments are BAD_USER_INPUT or BAD_CURSOR. Items and total
 * are read only if the operation selects a field that needs them; `also` names further fields of the connection that need the
 * items.
 */
export function pageRequest(
  { bounds: { pageMax, offsetMax } }: Pin,
  name: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
  also: readonly string[] = [],
): PageRequest {
  const first = args.first ?? pageDefault;
  if (first < 0 || first > pageMax) throw badInput('first', String(first), `from 0 to ${pageMax}`);
  const { offset, after } = args;
  if (offset != null && (offset < 0 || offset > offsetMax)) throw badInput('offset', String(offset), `from 0 to ${offsetMax}`);
  if (offset != null && after != null) throw badInput('offset', String(offset), 'absent when `after` is given');
  return {
    first: selects(info, ['nodes', 'edges', 'pageInfo', ...also]) ? first : 0,
    reverse: args.reverse ?? false,
    count: selects(info, ['totalCount']),
    ...(after != null && { after: decodeCursor(name, after) }),
    ...(offset != null && { offset: BigInt(offset) }),
  };
}

/** The arguments of a list that can be read in both directions at the same cost. A cursor is valid for one direction only. */
export function direction(
  name: string,
  { reverse, ...args }: ConnectionArgs,
): { name: string; reversed: boolean; args: ConnectionArgs } {
  const reversed = reverse ?? false;
  return { name: reversed ? `${name}/reversed` : name, reversed, args };
}

function connectionOf<T extends object>(
  pin: Pin,
  name: string,
  page: Page<T>,
  keyOf: (item: T) => Uint8Array,
): Connection<Pinned<T>> {
  return {
    nodes: page.items.map((item) => pinned(pin, item)),
    cursorAt: (index) => {
      const item = page.items[index];
      if (item === undefined) throw new RangeError(`no item ${index} on this page`);
      return encodeCursor(name, { key: keyOf(item), place: page.places[index] });
    },
    hasNextPage: page.hasNext,
    hasPreviousPage: page.hasPrevious,
    totalCount: page.total ?? null,
  };
}

/**
 * A page of a list of the chain. `name` identifies the list and its arguments; a cursor is valid only for the list it names.
 */
export async function chainConnection<T extends object>(
  pin: Pin,
  name: string,
  list: ChainList<T>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<T>>> {
  return connectionOf(pin, name, await readPage(list, pageRequest(pin, name, args, info)), list.keyOf);
}

/** A page of a list that `items` returns whole, ascending by `keyOf`. Checks the arguments before it calls `items`. */
export async function derivedConnection<T extends object, N extends readonly T[] | null>(
  pin: Pin,
  name: string,
  items: () => Promise<N>,
  keyOf: (item: T) => Uint8Array,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<T>> | null> {
  const request = pageRequest(pin, name, args, info);
  const whole = await items();
  return whole === null ? null : connectionOf(pin, name, pageOf(whole, keyOf, request), keyOf);
}

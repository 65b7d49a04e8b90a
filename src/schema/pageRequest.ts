import {
  GraphQLIncludeDirective,
  type GraphQLResolveInfo,
  GraphQLSkipDirective,
  getArgumentValues,
  type SelectionSetNode,
} from 'graphql';
import { pageDefault } from '../config/bounds.ts';
import { decodeCursor } from '../reads/cursor.ts';
import { badInput } from '../reads/errors.ts';
import type { PageRequest } from '../reads/page.ts';
import type { Pin } from '../reads/pin.ts';

/** The arguments of a connection, as GraphQL passes them. */
export interface ConnectionArgs {
  readonly first?: number | null | undefined;
  readonly after?: string | null | undefined;
  readonly offset?: number | null | undefined;
  readonly reverse?: boolean | null | undefined;
}

/** The names of the fields that a field selects directly or through fragments. Absent for fields that may skip some. */
const selectedNames = new WeakMap<GraphQLResolveInfo['fieldNodes'], ReadonlySet<string>>();

/** Whether a field selects one of `names` directly or through fragments, considering `@skip` and `@include`. */
function selects(info: GraphQLResolveInfo, names: readonly string[]): boolean {
  const known = selectedNames.get(info.fieldNodes) ?? namesIn(info);
  return known === undefined ? selectsNow(info, names) : names.some((name) => known.has(name));
}

/** Whether a field selects nothing but `names`, directly or through fragments. False if a directive may skip some. */
export function selectsOnly(info: GraphQLResolveInfo, names: readonly string[]): boolean {
  const known = selectedNames.get(info.fieldNodes) ?? namesIn(info);
  return known !== undefined && [...known].every((name) => names.includes(name));
}

/** The names that a field selects in every execution. undefined if a directive may skip some. */
function namesIn({ fieldNodes, fragments }: GraphQLResolveInfo): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  const add = (set: SelectionSetNode | undefined): boolean =>
    set === undefined ||
    set.selections.every((node) => {
      if (node.directives !== undefined && node.directives.length > 0) return false;
      if (node.kind === 'Field') return found.add(node.name.value) && true;
      return add(node.kind === 'InlineFragment' ? node.selectionSet : fragments[node.name.value]?.selectionSet);
    });
  if (!fieldNodes.every((node) => add(node.selectionSet))) return undefined;
  selectedNames.set(fieldNodes, found);
  return found;
}

/** The same for a field with `@skip` or `@include`. */
function selectsNow(info: GraphQLResolveInfo, names: readonly string[]): boolean {
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
  const count = selects(info, ['totalCount']);
  if (count) pin.bounds.onCount?.();
  return {
    first: selects(info, ['nodes', 'edges', 'pageInfo', ...also]) ? first : 0,
    reverse: args.reverse ?? false,
    count,
    ...(after != null && { after: decodeCursor(name, after) }),
    ...(offset != null && { offset: BigInt(offset) }),
  };
}

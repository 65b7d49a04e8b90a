import { malformed } from '../errors.ts';
import type { FieldNode, Query, Selection, Value } from './document.ts';

/** A plain value: of an argument, or in an answer. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The arguments of a field. */
export type Args = Readonly<Record<string, Json>>;

/** Fields of the same name in the answer, which are one field. */
export interface Selected {
  readonly alias: string;
  readonly name: string;
  readonly args: Args;
  readonly selections: readonly Selection[];
}

/** A query with the values of its variables. */
export interface Request {
  readonly query: Query;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The most levels of fields and fragments. */
const maxDepth = 64;

/** A value of a variable as JSON. Throws MALFORMED for what is none. */
function jsonOf(value: unknown, depth = 0): Json {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') return value;
  if (depth > maxDepth) throw malformed('a variable is nested too deeply');
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, depth + 1));
  if (typeof value !== 'object') throw malformed('a variable is not JSON');
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, jsonOf(item, depth + 1)]));
}

/** The value of an argument; undefined for a variable that is absent. */
function literalOf(value: Value, request: Request): Json | undefined {
  switch (value.kind) {
    case 'VARIABLE': {
      const { query, variables } = request;
      if (!query.defaults.has(value.text)) throw malformed(`the document has no variable ${value.text}`);
      const supplied = Object.hasOwn(variables, value.text) ? variables[value.text] : undefined;
      if (supplied !== undefined) return jsonOf(supplied);
      const fallback = query.defaults.get(value.text);
      return fallback?.kind === 'VARIABLE' ? undefined : fallback && literalOf(fallback, request);
    }
    case 'NUMBER': {
      const number = Number(value.text);
      return Number.isSafeInteger(number) ? number : value.text;
    }
    case 'FLAG':
      return value.flag;
    case 'NULL':
      return null;
    case 'LIST':
      return value.values.map((item) => literalOf(item, request) ?? null);
    case 'OBJECT':
      return Object.fromEntries([...value.members].map(([name, item]) => [name, literalOf(item, request) ?? null]));
    default:
      return value.text;
  }
}

function isIncluded({ directives }: Selection, request: Request): boolean {
  return directives.every(({ name, condition }) => {
    const flag = literalOf(condition, request);
    if (typeof flag !== 'boolean') throw malformed(`the condition of @${name} is neither true nor false`);
    return flag === (name === 'include');
  });
}

/**
 * The fields that a selection asks of an object, by their name in the answer, in the order of the answer. `applies` tells whether a fragment on a type concerns it.
 */
export function selectedFields(
  selections: readonly Selection[],
  request: Request,
  applies: (on: string) => boolean,
): readonly Selected[] {
  const groups = new Map<string, { readonly first: FieldNode; readonly args: string; readonly selections: Selection[] }>();
  const collect = (nodes: readonly Selection[], path: readonly string[]): void => {
    for (const node of nodes) {
      if (!isIncluded(node, request)) continue;
      if (node.kind === 'INLINE') {
        if (node.on === undefined || applies(node.on)) collect(node.selections, path);
      } else if (node.kind === 'SPREAD') {
        const fragment = request.query.fragments.get(node.name);
        if (fragment === undefined || path.includes(node.name))
          throw malformed(`the document has no fragment ${node.name}, or one that contains itself`);
        if (applies(fragment.on)) collect(fragment.selections, [...path, node.name]);
      } else {
        const args = JSON.stringify([node.name, ...argsOf(node, request)]);
        const group = groups.get(node.alias) ?? { first: node, args, selections: [] };
        if (group.args !== args) throw malformed(`the document has ${node.alias} for two fields`);
        group.selections.push(...node.selections);
        groups.set(node.alias, group);
      }
    }
  };
  collect(selections, []);
  return [...groups.values()].map((group) => ({
    alias: group.first.alias,
    name: group.first.name,
    args: Object.fromEntries(argsOf(group.first, request)),
    selections: group.selections,
  }));
}

/** The arguments that have a value, by name. */
function argsOf({ args }: FieldNode, request: Request): readonly (readonly [string, Json])[] {
  return [...args].flatMap(([name, value]) => {
    const supplied = literalOf(value, request);
    return supplied === undefined ? [] : [[name, supplied] as const];
  });
}

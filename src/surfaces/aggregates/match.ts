import { badInput } from '../../reads/errors.ts';
import type { Route } from './route.ts';

/** A matching route, and the values of its path parameters, not yet decoded. */
export interface Match {
  readonly route: Route;
  readonly inPath: ReadonlyMap<string, string>;
}

const parameterOf = (segment: string): string | undefined => /^\{(.+)\}$/.exec(segment)?.[1];

function matchOne(route: Route, segments: readonly string[]): Match | undefined {
  const template = route.path.split('/');
  const inPath = new Map<string, string>();
  for (const [index, segment] of template.entries()) {
    const given = segments[index];
    const name = parameterOf(segment);
    if (given === undefined || (name === undefined ? given !== segment : given === '')) return undefined;
    if (name === undefined) continue;
    if (route.parameters[name]?.takesRest === true) {
      inPath.set(name, segments.slice(index).join('/'));
      return { route, inPath };
    }
    inPath.set(name, given);
  }
  return segments.length === template.length ? { route, inPath } : undefined;
}

/** Returns the route that a path matches. undefined if there is none. */
export function matchRoute(routes: readonly Route[], path: string): Match | undefined {
  const segments = path.split('/');
  for (const route of routes) {
    const match = matchOne(route, segments);
    if (match !== undefined) return match;
  }
  return undefined;
}

function decoded(name: string, text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badInput(name, text, 'percent-encoded UTF-8');
  }
}

/**
 * Returns the decoded values of a request's parameters. A list parameter can be repeated, which equals one list separated by
 * commas. Throws BAD_USER_INPUT for an unknown parameter and for any other repeated parameter.
 */
export function parameterTexts({ route, inPath }: Match, query: URLSearchParams): ReadonlyMap<string, string> {
  const texts = new Map([...inPath].map(([name, text]) => [name, decoded(name, text)]));
  const known = Object.entries(route.parameters).flatMap(([name, each]) => (each.in === 'query' ? [name] : []));
  for (const [name, text] of query) {
    if (!known.includes(name)) throw badInput(name, text, `absent: the parameters of this path are ${known.join(', ')}`);
    const earlier = texts.get(name);
    if (earlier !== undefined && route.parameters[name]?.schema.type !== 'array') throw badInput(name, text, 'given once');
    texts.set(name, earlier === undefined ? text : `${earlier},${text}`);
  }
  return texts;
}

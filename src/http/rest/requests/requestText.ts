import { ParameterError } from '../failures/parameterError.ts';

/** A path and a query as texts, escapes resolved once. */
export interface RequestText {
  /** What stands between the slashes of the path. */
  readonly segments: readonly string[];
  /** In the order they came in. */
  readonly query: readonly { readonly name: string; readonly value: string }[];
}

/** The text of an escaped one; undefined where an escape is none, or not of UTF-8. */
function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

// Control characters, of which no name, address or denom has any.
const isControl = (character: string): boolean => character < ' ' || character === '\u007f';

/** What no value of a path has: a step up, an address of the web, a second escape, a parameter of the segment, a backslash. */
const foreign = /(^|\/)\.{1,2}(\/|$)|:\/\/|%[0-9a-f]{2}|;|\\/i;

function refused(where: 'path' | 'query', parameter: string, value: string): ParameterError {
  const bound = where === 'path' ? 'plain segments, each escaped once' : 'plain text, escaped once';
  return new ParameterError({ parameter, value, bound, nodeText: `invalid ${where}`, where });
}

/**
 * Reads path and query of a request. Escapes are resolved once. Throws a {@link ParameterError} for an escape that is none, for control
 * characters, and in a path for `..`, the address of another server and what is escaped twice.
 */
export function readRequestText(path: string, query: string): RequestText {
  const segments = path
    .slice(1)
    .split('/')
    .map((raw) => {
      const segment = unescaped(raw);
      if (segment === undefined || [...segment].some(isControl) || foreign.test(segment)) throw refused('path', 'path', raw);
      return segment;
    });
  const pairs = query === '' ? [] : query.split('&').filter((pair) => pair !== '');
  return {
    segments,
    query: pairs.map((pair) => {
      const [rawName = '', ...rest] = pair.split('=');
      const [name, value] = [rawName, rest.join('=')].map((raw) => unescaped(raw.replaceAll('+', ' ')));
      if (name === undefined || value === undefined || [...value].some(isControl)) throw refused('query', rawName, pair);
      return { name, value };
    }),
  };
}

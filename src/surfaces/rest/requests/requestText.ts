import { ParameterError } from '../failures/parameterError.ts';

/** A path and a query, percent-decoded once. */
export interface RequestText {
  /** The segments of the path. */
  readonly segments: readonly string[];
  /** The parameters in the order of the request. */
  readonly query: readonly { readonly name: string; readonly value: string }[];
}

/** Percent-decodes a text. undefined if an escape is invalid or not UTF-8. */
function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

// No name, address or denom contains control characters.
const isControl = (character: string): boolean => character < ' ' || character === '\u007f';

/** Patterns that no valid path segment contains: `..`, a URL, a second escape, a segment parameter, a backslash. */
const foreign = /(^|\/)\.{1,2}(\/|$)|:\/\/|%[0-9a-f]{2}|;|\\/i;

function refused(where: 'path' | 'query', parameter: string, value: string): ParameterError {
  const bound = where === 'path' ? 'plain segments, each percent-encoded once' : 'plain text, percent-encoded once';
  return new ParameterError({ parameter, value, bound, nodeText: `invalid ${where}`, where });
}

/**
 * Splits and percent-decodes the path and the query of a request. Throws a {@link ParameterError} for invalid escapes and
 * control characters, and in a path for `..`, URLs and double encoding.
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

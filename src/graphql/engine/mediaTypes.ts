import { badInput, type RequestError } from '../../reads/errors.ts';

/** The media types of a single result. */
export type ResultType = 'application/json' | 'application/graphql-response+json' | 'text/event-stream' | 'multipart/mixed';

/** Ascending by preference among the types that one range of an `Accept` header matches. */
const resultTypes = ['application/graphql-response+json', 'application/json'] as const;

/** Media types of streams of results. A single result is sent in them to a client that accepts nothing else. */
const streamTypes = ['text/event-stream', 'multipart/mixed'] as const;

/** The ranges of an `Accept` header without parameters. Results are always UTF-8. */
function rangesOf(accept: string): readonly string[] {
  return accept
    .replace(/\s/g, '')
    .toLowerCase()
    .split(',')
    .filter((range) => !/;charset=(?!"?utf-8)/.test(range))
    .map((range) => range.split(';', 1)[0] ?? '');
}

function isMatch(range: string, type: string): boolean {
  return range === type || range === '*/*' || range === `${type.split('/', 1)[0]}/*`;
}

/**
 * Returns the media type of a single result: of the first range that accepts JSON, else a stream. undefined if the `Accept` header
 * accepts none. An empty header accepts all.
 */
export function resultTypeOf(accept: string): ResultType | undefined {
  if (accept === '' || accept === '*/*') return 'application/json';
  const ranges = rangesOf(accept);
  for (const range of ranges) {
    const type = resultTypes.findLast((each) => isMatch(range, each));
    if (type !== undefined) return type;
  }
  return streamTypes.findLast((type) => ranges.some((range) => isMatch(range, type)));
}

/** BAD_USER_INPUT for an `Accept` header that accepts no media type of a result. */
export function notAcceptable(accept: string): RequestError {
  const bound = `${resultTypes.join(' or ')} for a query or mutation, or ${streamTypes[0]} for a subscription or live query`;
  return badInput('Accept', accept || '*/*', bound);
}

import type { Plugin } from 'graphql-yoga';
import { badInput, type RequestError } from '../../reads/errors.ts';
import { refusal } from '../limits/limitError.ts';
import type { OperationContext } from '../operation/context.ts';
import { shown } from '../request/errors.ts';
import { streamFormatOf } from '../subscriptions/streamFormat.ts';

/** Media types of single results. */
const resultTypes = ['application/graphql-response+json', 'application/json'];

/** Media types of streams of results. */
const streamTypes = ['text/event-stream', 'multipart/mixed'];

/** Whether an `Accept` header accepts one of these media types. Results are always UTF-8. */
function admits(accept: string, types: readonly string[]): boolean {
  return accept
    .replace(/\s/g, '')
    .toLowerCase()
    .split(',')
    .filter((range) => !/;charset=(?!"?utf-8)/.test(range))
    .map((range) => range.split(';', 1)[0] ?? '')
    .some((range) => range === '*/*' || types.some((type) => range === type || range === `${type.split('/', 1)[0]}/*`));
}

function notAcceptable(accept: string): RequestError {
  const bound = `${resultTypes.join(' or ')} for a query or mutation, or ${streamTypes[0]} for a subscription or live query`;
  return badInput('Accept', accept, bound);
}

/**
 * Responds with 406 and a JSON error (BAD_USER_INPUT) if the `Accept` header accepts no media type of the result. If it accepts no media type of any
 * result, the operation is not executed.
 */
export function acceptPlugin(): Plugin<object, OperationContext> {
  const acceptOf = (request: Request): string => request.headers.get('accept') || '*/*';
  return {
    onParams({ request }) {
      const accept = acceptOf(request);
      if (!admits(accept, [...resultTypes, ...streamTypes])) throw refusal(notAcceptable(accept), { status: 406 });
    },
    onResultProcess({ request, resultProcessor, setResultProcessor, serverContext: { record, outcome } }) {
      // `*/*` does not ask for a stream: the client may not be able to read one.
      const isRefusedStream = outcome.subscription !== undefined && streamFormatOf(request.headers.get('accept')) === undefined;
      if (resultProcessor !== undefined && !isRefusedStream) return;
      const { code, message, facts } = notAcceptable(acceptOf(request));
      record.code ??= code;
      const body = JSON.stringify({ errors: [{ message, extensions: { code, ...shown(facts) } }] });
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      setResultProcessor((_, { Response }) => new Response(body, { status: 406, headers }), 'application/json');
    },
  };
}

import type { Plugin } from 'graphql-yoga';
import { badInput } from '../../reads/errors.ts';
import { refusal } from '../limits/limitError.ts';
import type { OperationContext } from '../operation/context.ts';
import { asksForPersisted, noPersistedQueries } from '../request/requestParams.ts';

/**
 * Gives the engine the parameters as the context reads them, in place of its own parsers: a body is parsed once, within bounds. An
 * `operationName` that is no string is BAD_USER_INPUT, before any other plugin reads it. A request for a persisted query is PERSISTED_QUERY_NOT_SUPPORTED.
 */
export function paramsPlugin(): Plugin<object, OperationContext> {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      setRequestParser(() => serverContext.params());
    },
    onParams({ params }) {
      if (asksForPersisted(params)) throw refusal(noPersistedQueries());
      const name: unknown = params.operationName;
      if (name !== undefined && name !== null && typeof name !== 'string')
        throw refusal(badInput('operationName', typeof name, 'a string'));
    },
  };
}

import type { Plugin } from 'graphql-yoga';
import { badInput } from '../../reads/errors.ts';
import { refusal } from '../limits/limitError.ts';
import type { OperationContext } from '../operation/context.ts';

/**
 * Passes the parameters of the context to the engine, instead of the engine's own parsers: a body is parsed once, within bounds. Rejects an
 * `operationName` that is not a string with BAD_USER_INPUT, before another plugin reads it.
 */
export function paramsPlugin(): Plugin<object, OperationContext> {
  return {
    onRequestParse({ serverContext, setRequestParser }) {
      setRequestParser(() => serverContext.params());
    },
    onParams({ params }) {
      const name: unknown = params.operationName;
      if (name !== undefined && name !== null && typeof name !== 'string')
        throw refusal(badInput('operationName', typeof name, 'a string'));
    },
  };
}

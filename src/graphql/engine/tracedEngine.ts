import { getOperationAST } from 'graphql';
import { signalOf } from '../../chain/base/waiting.ts';
import { codeOf, type Span, setScope, type Tracer } from '../../chain/tracing/tracer.ts';
import type { JsonResult } from '../execution/result.ts';
import type { Engine } from './engine.ts';

/** The code of the first error of a result. */
function codeIn({ errors: [first] = [] }: JsonResult): string | undefined {
  if (first === undefined) return undefined;
  const { code } = first.extensions;
  return typeof code === 'string' ? code : codeOf(first);
}

/** Records each operation in a span of its own, by the conventions for GraphQL. Without a tracer that is on, it is the engine itself. */
export function traced(engine: Engine, tracer: Tracer): Engine {
  if (!tracer.isOn) return engine;

  function run(span: Span, execute: () => JsonResult | Promise<JsonResult>): JsonResult | Promise<JsonResult> {
    const ended = (result: JsonResult): JsonResult => {
      span.end(codeIn(result));
      return result;
    };
    const failed = (error: unknown): never => {
      span.end(codeOf(error));
      throw error;
    };
    try {
      const result = execute();
      return result instanceof Promise ? result.then(ended, failed) : ended(result);
    } catch (error) {
      return failed(error);
    }
  }

  return {
    ...engine,
    execute(operation, context, check) {
      const parent = context.record.span;
      if (parent === undefined) return engine.execute(operation, context, check);
      const chosen = getOperationAST(operation.document, operation.operationName);
      if (!chosen) return engine.execute(operation, context, check);
      const name = chosen.name?.value;
      const span = parent.child(name === undefined ? chosen.operation : `${chosen.operation} ${name.slice(0, 128)}`, {
        attributes: {
          'graphql.operation.type': chosen.operation,
          ...(name !== undefined && { 'graphql.operation.name': name.slice(0, 128) }),
          ...(context.height !== undefined && { 'stele.height': Number(context.height) }),
        },
      });
      setScope(signalOf(context.signal), span);
      return run(span, () => engine.execute(operation, context, check));
    },
  };
}

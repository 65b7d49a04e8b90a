import type { Plugin } from 'graphql-yoga';
import type { OperationContext } from '../operation/context.ts';
import { timed } from '../request/caller.ts';

/** Charges the caller for the time of parsing and validation. Must come after the plugins that replace these functions. */
export function timePlugin(): Plugin<OperationContext> {
  return {
    onParse({ context, parseFn, setParseFn }) {
      setParseFn((...args: Parameters<typeof parseFn>) => timed(context, () => parseFn(...args)));
    },
    onValidate({ context, validateFn, setValidationFn }) {
      setValidationFn((...args: Parameters<typeof validateFn>) => timed(context, () => validateFn(...args)));
    },
  };
}

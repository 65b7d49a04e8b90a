import type { Plugin } from 'graphql-yoga';
import type { OperationContext } from '../operation/context.ts';
import { timed } from '../request/caller.ts';

/**
 * Charges the caller of an operation for the time of its synchronous work: parsing, validating, and executing up to the first wait for a
 * node. It stands behind the plugins that replace these functions.
 */
export function timePlugin(): Plugin<OperationContext> {
  return {
    onParse({ context, parseFn, setParseFn }) {
      setParseFn((...args: Parameters<typeof parseFn>) => timed(context, () => parseFn(...args)));
    },
    onValidate({ context, validateFn, setValidationFn }) {
      setValidationFn((...args: Parameters<typeof validateFn>) => timed(context, () => validateFn(...args)));
    },
    onExecute({ args, executeFn, setExecuteFn }) {
      setExecuteFn((given) => timed(args.contextValue, () => executeFn(given)));
    },
  };
}

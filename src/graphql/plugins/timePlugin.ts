import type { Plugin } from 'graphql-yoga';
import type { OperationContext } from '../operation/context.ts';
import { timed } from '../request/caller.ts';

/**
 * Charges the caller for the time of synchronous work: parsing, validation, and execution up to the first wait for a node. Must come after the
 * plugins that replace these functions.
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

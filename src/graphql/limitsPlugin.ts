import { type ValidationRule, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { RequestContext } from './context.ts';
import { createParser } from './documentLimits.ts';
import { briefly } from './errors.ts';
import type { Limits } from './limits.ts';

/** Holds what is executed to the limits: the text of a document before it is parsed, then its shape, then the schema. */
export function limitsPlugin(limits: Limits): Plugin<RequestContext> {
  const parseWithin = createParser(limits);
  const maxErrors = limits['graphql.validationErrors'];
  return {
    onParse: ({ setParseFn }) => setParseFn(parseWithin),
    onValidate({ setValidationFn }) {
      setValidationFn(
        (schema: Parameters<typeof validate>[0], document: Parameters<typeof validate>[1], rules: readonly ValidationRule[]) =>
          // Behind the last one that is told stands that there would have been more.
          validate(schema, document, rules, { maxErrors, hideSuggestions: true }).slice(0, maxErrors).map(briefly),
      );
    },
    onExecute({ args }) {
      // Of the executor's own, beside graphql's.
      Object.assign(args, { hideSuggestions: true });
    },
  };
}

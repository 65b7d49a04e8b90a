import {
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
  getOperationAST,
  type ValidationRule,
  validate,
} from 'graphql';
import type { Plugin } from 'graphql-yoga';
import { rateHeaders, rateLimited } from './caller.ts';
import type { RequestContext } from './context.ts';
import { createCostOf, type OperationCost } from './cost.ts';
import { createParser } from './documentLimits.ts';
import { briefly } from './errors.ts';
import { refusal, tooComplex } from './limitError.ts';
import type { Limits } from './limits.ts';
import { createVariableCheck } from './variableLimits.ts';

/**
 * Holds what is executed to the limits: the text of a document before it is parsed, then its shape, then its variables and its cost, and
 * what its caller has left.
 */
export function limitsPlugin(schema: GraphQLSchema, limits: Limits): Plugin<RequestContext> {
  const parseWithin = createParser(limits);
  const checkVariables = createVariableCheck(limits);
  const costOf = createCostOf(schema, limits['page.size.max']);
  const maxErrors = limits['graphql.validationErrors'];

  /** Behind the last error that is told stands that there would have been more. */
  const validateWithin = (ofSchema: GraphQLSchema, document: DocumentNode, rules: readonly ValidationRule[]) =>
    validate(ofSchema, document, rules, { maxErrors, hideSuggestions: true }).slice(0, maxErrors).map(briefly);

  /** What the operation costs, which its caller has paid; undefined where there is no such operation. */
  function pay({ document, operationName, variableValues }: ExecutionArgs, context: RequestContext): OperationCost | undefined {
    const operation = getOperationAST(document, operationName);
    if (operation == null) return undefined;
    const variables = variableValues ?? {};
    checkVariables(document, operation, variables);
    const cost = costOf(document, operation, variables);
    const { points, broadcasts } = cost;
    context.record.cost = points;
    if (points > limits['graphql.cost']) throw tooComplex(limits, 'graphql.cost', 'points', points);
    // One was taken when the request came.
    const refused = context.caller.take(points - 1, broadcasts);
    if (refused !== undefined) throw refusal(rateLimited(refused), { status: 429, headers: rateHeaders(refused) });
    return cost;
  }

  return {
    onParse({ context, setParseFn }) {
      context.outcome.hasDocument = true;
      setParseFn(parseWithin);
    },
    onValidate: ({ setValidationFn }) => setValidationFn(validateWithin),
    onExecute({ args, executeFn, setExecuteFn }) {
      const context = args.contextValue;
      const cost = pay(args, context);
      if (cost?.counts !== true) return;
      setExecuteFn(async (given) => {
        const end = await context.caller.counting(context.signal);
        try {
          return await executeFn(given);
        } finally {
          end();
        }
      });
    },
    onSubscribe({ args }) {
      pay(args, args.contextValue);
    },
  };
}

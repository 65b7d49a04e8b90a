import { type ExecutionArgs, type GraphQLSchema, getOperationAST, validate } from 'graphql';
import type { Plugin } from 'graphql-yoga';
import type { Limits } from '../../config/limits/limits.ts';
import type { DocumentCache } from '../documents/documentCache.ts';
import { createDocumentReader } from '../documents/documentReader.ts';
import { createLocate } from '../documents/tokenLocations.ts';
import { createCostOf, type OperationCost } from '../limits/cost.ts';
import { refusal, tooComplex } from '../limits/limitError.ts';
import { createVariableCheck } from '../limits/variableLimits.ts';
import type { OperationContext } from '../operation/context.ts';
import { rateHeaders, rateLimited } from '../request/caller.ts';
import { briefly } from '../request/errors.ts';

/**
 * Applies the limits: to the text of a document before it is parsed, then to its shape, variables and cost, and to the remaining points of the
 * caller. Keeps valid documents in `documents`.
 */
export function limitsPlugin(schema: GraphQLSchema, limits: Limits, documents: DocumentCache): Plugin<OperationContext> {
  const reader = createDocumentReader(limits, documents);
  const checkVariables = createVariableCheck(limits);
  const costOf = createCostOf(schema, limits['page.size.max']);
  const maxErrors = limits['graphql.validationErrors'];

  /** Charges the caller for the operation and returns its cost; undefined if the document has no such operation. */
  function pay(
    { document, operationName, variableValues }: ExecutionArgs,
    context: OperationContext,
  ): OperationCost | undefined {
    const operation = getOperationAST(document, operationName);
    if (operation == null) return undefined;
    const variables = variableValues ?? {};
    checkVariables(document, operation, variables);
    const cost = costOf(document, operation, variables);
    const { points, broadcasts } = cost;
    context.record.cost = points + context.record.bytes;
    if (points > limits['graphql.cost']) throw tooComplex(limits, 'graphql.cost', 'points', points);
    // The first point was taken when the request arrived.
    const refused = context.caller.take(points - 1, broadcasts);
    if (refused !== undefined) throw refusal(rateLimited(refused), { status: 429, headers: rateHeaders(refused) });
    return cost;
  }

  return {
    onParse({ context: { outcome }, params, setParseFn }) {
      const text = String(params.source);
      outcome.hasDocument = true;
      outcome.locate = createLocate(text);
      setParseFn(() => reader.parse(text));
    },
    onValidate({ context: { outcome }, params, setResult }) {
      const { schema: ofSchema, documentAST, rules } = params;
      // The last error reports that validation stopped.
      const validateWithin = () => validate(ofSchema, documentAST, rules, { maxErrors, hideSuggestions: true });
      const errors = reader.validate(documentAST, validateWithin);
      setResult(errors.slice(0, maxErrors).map((error) => briefly(error, outcome.locate)));
    },
    onExecute({ args, executeFn, setExecuteFn }) {
      const context = args.contextValue;
      const cost = pay(args, context);
      if (cost === undefined) return;
      const { caller, signal } = context;
      context.outcome.countsLists = cost.counts;
      const inTurn: typeof executeFn = (given) => {
        const turn = caller.turn(cost.points, signal);
        return turn === undefined ? executeFn(given) : turn.then(() => executeFn(given));
      };
      if (!cost.counts) return setExecuteFn(inTurn);
      setExecuteFn(async (given) => {
        const end = await caller.counting(signal);
        try {
          return await inTurn(given);
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

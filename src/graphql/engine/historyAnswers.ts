import { GraphQLError, type GraphQLSchema } from 'graphql';
import type { Report } from '../../answers/errors.ts';
import { createTimeSlicer, signalOf } from '../../chain/base/time.ts';
import { type MemoryBudget, objectBytes, textBytes } from '../../chain/memory/memoryBudget.ts';
import type { Carried } from '../../chain/state/state.ts';
import type { JsonObject } from '../../chain/wire/json.ts';
import { badInput } from '../../reads/errors.ts';
import { type Pin, pinOf } from '../../reads/pin.ts';
import type { ChainSchema } from '../chainSchema.ts';
import { refusal } from '../documents/errors.ts';
import { createLiveFieldCheck } from '../documents/operationChecks.ts';
import type { Execute, ExecutionRequest } from '../execution/execute.ts';
import type { JsonResult } from '../execution/execution.ts';
import { heightOfPlace, pageInput } from '../live/historyRange.ts';
import { executeThoroughly, HistoryFailure, isLateError } from '../live/historyWalk.ts';
import type { LiveResult } from '../live/liveResult.ts';
import { executionOf, type HistoryOperation, openWalk } from '../live/openWalk.ts';
import { createTopicKeys } from '../subscriptions/topic.ts';
import type { OperationContext } from './context.ts';

/** What an operation was computed from at a height. */
interface Origin {
  readonly carried: Carried;
  readonly height: bigint;
}

/** Answers to queries about more than one height: `extensions.history` and `extensions.since` of a request. */
export type HistoryAnswers = ReturnType<typeof createHistoryAnswers>;

export function createHistoryAnswers({
  schema,
  execute,
  memory,
  report,
}: {
  readonly schema: Pick<ChainSchema, 'current' | 'onReplaced'>;
  readonly execute: Execute;
  readonly memory: MemoryBudget;
  readonly report: Report;
}) {
  const turns = createTimeSlicer();
  const toolsOf = (current: GraphQLSchema) => ({
    current,
    checkFields: createLiveFieldCheck(current),
    topicKeyOf: createTopicKeys(current),
  });
  let tools = toolsOf(schema.current());
  schema.onReplaced((replacement) => {
    tools = toolsOf(replacement);
  });
  const origins = memory.cache<Origin>(
    'answers',
    'origins',
    ({ carried }) => 2 * objectBytes + carried.stores.reduce((sum, name) => sum + textBytes(name), 0),
  );

  function operationOf(request: ExecutionRequest, context: OperationContext, argument: string): HistoryOperation {
    const { document, operationName, variableValues } = request;
    const { root, caller, outcome, signal, viewer, limits } = context;
    const wrong = tools.checkFields(document, operationName, argument);
    if (wrong !== undefined) throw refusal(wrong);
    // The answer belongs to its own height, whatever it was computed from.
    context.dependencies.dependsOnHeight();
    return {
      ...{ schema: tools.current, document, operationName, variableValues, root, caller, execute, turns, report },
      countsLists: outcome.countsLists,
      signal: signalOf(signal),
      contextValue: { viewer, broadcastCommit: false, limits, outcome: { immutable: true }, warnings: new Set() },
    };
  }

  /** A page of the history of an answer: the result at `from`, and the changes after it. */
  async function page(request: ExecutionRequest, context: OperationContext, input: object): Promise<JsonResult> {
    const range = pageInput(input, context.limits);
    const operation = operationOf(request, context, 'extensions.history');
    const pin = pinOf(operation.root);
    const { walk, from, to = pin.height } = await openWalk(operation, range, 'extensions.history.', pin.height);
    const changes: JsonObject[] = [];
    let origin: { readonly result: LiveResult; readonly time: string } | undefined;
    try {
      while (origin === undefined || changes.length < range.first) {
        const step = await walk.next(to);
        if (step === undefined) break;
        const { height, time, result, previous } = step;
        if (previous === undefined) origin = { result, time };
        else
          changes.push({
            height: height.toString(),
            time,
            patch: result.patchOf(previous, height).map((each) => ({ ...each })),
          });
      }
    } catch (error) {
      if (error instanceof HistoryFailure) throw error.error;
      if (!isLateError(error) || origin === undefined || walk.covered() === from) throw error;
      // Another attempt may come further.
      context.outcome.immutable = false;
    }
    if (origin === undefined) throw new Error('a history without a first result');
    const through = walk.covered();
    const history = {
      from: from.toString(),
      time: origin.time,
      to: to.toString(),
      through: through.toString(),
      next: through < to ? through.toString() : null,
      executions: walk.executions(),
      changes,
    };
    return { ...resultAt(origin.result, from), extensions: { history } };
  }

  /** The answer at the height of the operation, and what has changed in it since another height. */
  async function since(request: ExecutionRequest, context: OperationContext, text: string): Promise<JsonResult> {
    const operation = operationOf(request, context, 'extensions.since');
    const pin = pinOf(operation.root);
    const { client, height: to } = pin;
    const { signal, caller } = operation;
    const from = await heightOfPlace(client, 'extensions.since', text, to, { signal, caller });
    const { topic } = tools.topicKeyOf(operation, context.viewer.scopes.join(' '));
    const key = `${client.chainKey()} ${topic}`;
    const unchanged: JsonResult = { data: 'null', extensions: { since: { height: from.toString(), unchanged: true } } };
    const knownOrigin = origins.get(key);
    if (knownOrigin !== undefined && (await isSame(pin, knownOrigin, [from, to], operation))) return unchanged;
    const options = { client, caller, signal, execute: executionOf(operation) };
    const executeAt = async (height: bigint) => {
      const charge = (): void => caller.charge(1);
      const executed = await executeThoroughly(options, height, undefined, charge, () => undefined);
      if (executed.failure !== undefined) throw executed.failure;
      return executed;
    };
    const now = await executeAt(to);
    if (now.carried !== undefined) {
      const origin = { carried: now.carried, height: to };
      origins.set(key, origin);
      if (await isSame(pin, origin, [from], operation)) return unchanged;
    }
    caller.charge(now.points);
    const before = await executeAt(from);
    if (before.result.digest === now.result.digest) return unchanged;
    const patch = now.result.patchOf(before.result, to).map((each) => ({ ...each }));
    return { ...resultAt(now.result, to), extensions: { since: { height: from.toString(), patch } } };
  }

  /** Whether an operation has the same result at these heights as where it was executed, by the roots of its stores and the time. */
  async function isSame(
    { client }: Pin,
    { carried: { stores, validUntil }, height }: Origin,
    others: readonly bigint[],
    { signal, caller }: HistoryOperation,
  ): Promise<boolean> {
    const heights = [height, ...others];
    const newest = heights.reduce((high, each) => (each > high ? each : high));
    const onRead = (): void => caller.charge(1);
    try {
      if (validUntil !== null && (await client.timeOf(newest, signal)) >= validUntil) return false;
      return await client.pastRoots.areEqual(stores, heights, { signal, onRead });
    } catch {
      // Without roots, both are executed.
      signal.throwIfAborted();
      return false;
    }
  }

  return { page, since };
}

/** The data and the errors of a result at a height. */
function resultAt(result: LiveResult, height: bigint): JsonResult {
  const { data, errors } = result.parsed(height.toString());
  const list = Array.isArray(errors) ? errors : [];
  return {
    ...(data !== undefined && { data: JSON.stringify(data) }),
    ...(list.length > 0 && { errors: list.map(errorOf) }),
  };
}

function errorOf(value: unknown): GraphQLError {
  const members = new Map<string, unknown>(Object.entries(value ?? {}));
  const [message, path, extensions] = [members.get('message'), members.get('path'), members.get('extensions')];
  return new GraphQLError(String(message), {
    ...(Array.isArray(path) && { path }),
    ...(typeof extensions === 'object' && extensions !== null && { extensions: { ...extensions } }),
  });
}

/** BAD_USER_INPUT for a request that asks for a history in a way that is not allowed. */
export function historyRefused(name: string): Error {
  return refusal(badInput(name, '', 'absent from mutations, subscriptions and live queries, and given without the other one'));
}

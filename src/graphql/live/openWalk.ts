import type { DocumentNode } from 'graphql';
import type { Report } from '../../answers/errors.ts';
import type { TimeSlicer } from '../../chain/base/time.ts';
import { badInput } from '../../reads/errors.ts';
import { pinOf } from '../../reads/pin.ts';
import type { Execute } from '../execution/execute.ts';
import type { SubscriptionOperation } from '../subscriptions/subscriber.ts';
import { dependentField } from './dependentField.ts';
import { heightOfPlace, type RangeInput } from './historyRange.ts';
import { createWalk, executeThoroughly, type Walk } from './historyWalk.ts';
import { createLiveExecution, type ExecuteLive } from './liveResult.ts';

/** An operation whose history is read, and what executes it. */
export interface HistoryOperation
  extends Pick<
    SubscriptionOperation,
    'schema' | 'document' | 'operationName' | 'variableValues' | 'contextValue' | 'root' | 'caller' | 'countsLists'
  > {
  readonly execute: Execute;
  readonly turns: TimeSlicer;
  readonly report: Report;
  readonly signal: AbortSignal;
}

/** The function that executes an operation, or the same operation with another document. */
function executionsOf(operation: HistoryOperation): (document: DocumentNode) => ExecuteLive {
  const { execute, turns, report, root, schema, operationName, variableValues, contextValue, countsLists } = operation;
  const { client, bounds } = pinOf(root);
  const shared = { schema, operationName, variableValues, contextValue };
  return (document) =>
    createLiveExecution({ execute, client, bounds, operation: { ...shared, document }, countsLists, turns, report });
}

/** What executes an operation at one height, as a step of its history does. */
export function executionOf(operation: HistoryOperation): ExecuteLive {
  return executionsOf(operation)(operation.document);
}

/**
 * Opens the history of an operation. `to` is undefined if the range has no end. Rejects with BAD_USER_INPUT, HEIGHT_NOT_YET_AVAILABLE and HEIGHT_PRUNED
 * for the range. `highest`: the highest height that it may name. Default: the newest.
 */
export async function openWalk(
  operation: HistoryOperation,
  range: RangeInput,
  argument = '',
  highest?: bigint,
): Promise<{ readonly walk: Walk; readonly from: bigint; readonly to: bigint | undefined }> {
  const { root, document, operationName, contextValue, caller, signal } = operation;
  const { client, height } = pinOf(root);
  const newest = highest ?? client.head.current()?.height ?? height;
  const place = (name: string, text: string) => heightOfPlace(client, `${argument}${name}`, text, newest, { signal, caller });
  const [from, to] = await Promise.all([place('from', range.from), range.to === undefined ? undefined : place('to', range.to)]);
  if (to !== undefined && from > to) throw badInput(`${argument}from`, range.from, 'a place that is not after `to`');
  const executions = executionsOf(operation);
  const walk = createWalk({
    ...{ client, caller, signal, from, limits: contextValue.limits, every: range.every },
    execute: executions(document),
    fieldOf: (height) =>
      dependentField(document, operationName, async (part) => {
        const options = { client, caller, signal, execute: executions(part) };
        const executed = await executeThoroughly(
          options,
          height,
          undefined,
          () => caller.charge(1),
          () => caller.charge(1),
        );
        return executed.carried === undefined && executed.failure === undefined;
      }),
  });
  return { walk, from, to };
}

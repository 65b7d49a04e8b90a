import type { GraphQLError } from 'graphql';
import { type Caller, rateLimited } from '../../answers/caller.ts';
import { ChainError, isChainError } from '../../chain/base/errors.ts';
import { headerTimeText } from '../../chain/base/time.ts';
import type { Client } from '../../chain/client.ts';
import { decodeAbciReply } from '../../chain/rpc/rpcErrors.ts';
import type { Carried } from '../../chain/state/state.ts';
import type { JsonValue } from '../../chain/wire/json.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { RequestError } from '../../reads/errors.ts';
import type { Executed, ExecuteLive, LiveResult } from './liveResult.ts';

/** A result of a history: the first one, or one that differs from the one before it. */
export interface HistoryResult {
  readonly height: bigint;
  /** The time of the block. */
  readonly time: string;
  readonly result: LiveResult;
  readonly previous: LiveResult | undefined;
}

export interface WalkOptions {
  readonly client: Pick<Client, 'pastRoots' | 'timeOf' | 'heightAt' | 'head' | 'call'>;
  readonly execute: ExecuteLive;
  readonly caller: Caller;
  readonly signal: AbortSignal;
  readonly limits: Limits;
  /** The height of the first result. */
  readonly from: bigint;
  /** With it, there is at most one result in each so many blocks. The operation may then depend on its block. */
  readonly every: bigint | undefined;
  /** The path of a field that depends on the block at a height. */
  readonly fieldOf: (height: bigint) => Promise<string>;
}

/** A history that goes through the past of an answer, in order. */
export interface Walk {
  /**
   * The next result that differs, up to the height `to`. Undefined if there is none: all heights up to `to` are covered. Rejects with HISTORY_LIMIT,
   * HISTORY_DEPENDS_ON_HEIGHT, HEIGHT_PRUNED with the oldest height that can be read, RATE_LIMITED and NODE_….
   */
  next(to: bigint): Promise<HistoryResult | undefined>;
  /** The height up to which everything is covered. */
  covered(): bigint;
  /** The executions so far. */
  executions(): number;
}

/** The oldest height from `low` to `high` whose state a node has. `high` must be one. */
async function oldestState({ call }: Pick<Client, 'call'>, low: bigint, high: bigint, signal: AbortSignal): Promise<bigint> {
  let [lowest, highest] = [low, high];
  while (lowest < highest) {
    const height = (lowest + highest) / 2n;
    const params = { path: '/store/acc/key', data: 'ff', height: height.toString(), prove: false };
    try {
      const decode = (result: JsonValue) => decodeAbciReply(result, height);
      await call('abci_query', params, { height, signal, decode });
      highest = height;
    } catch (error) {
      if (!isChainError(error, 'HEIGHT_PRUNED')) throw error;
      lowest = height + 1n;
    }
  }
  return lowest;
}

/** HISTORY_LIMIT, with the height to continue from. */
export function historyLimit(limit: 'history.executions' | 'history.roots', limits: Limits, next: bigint): RequestError {
  const max = limits[limit];
  const message = `The limit ${limit} of ${max} is reached. All results up to height ${next} were delivered. Continue with \`from: ${next}\`.`;
  return new RequestError('HISTORY_LIMIT', message, { limit, max, next });
}

/** An error of a result, which is converted for the caller already. */
export class HistoryFailure extends Error {
  override readonly name = 'HistoryFailure';
  readonly error: GraphQLError;

  constructor(error: GraphQLError) {
    super(error.message);
    this.error = error;
  }
}

/** Errors after which the results before them are good. */
const lateErrors: readonly unknown[] = ['HISTORY_LIMIT', 'RATE_LIMITED', 'HISTORY_DEPENDS_ON_HEIGHT'];

/** Whether a history ended with an error that leaves the results before it good. The same request from where it ended meets the error again, or goes on. */
export function isLateError(error: unknown): boolean {
  return error instanceof RequestError && lateErrors.includes(error.code);
}

/**
 * Executes an operation at a height, for a history. The roots of the stores that it depends on at `before` are learnt first, so that what has not
 * changed comes from memory.
 */
export async function executeThoroughly(
  { client, execute, caller, signal }: Pick<WalkOptions, 'client' | 'execute' | 'caller' | 'signal'>,
  height: bigint,
  before: Carried | undefined,
  onRead: () => void,
  onExecution: () => void,
): Promise<Executed> {
  const { pastRoots } = client;
  if (before !== undefined) await pastRoots.learn(before.stores, height, { signal, onRead });
  onExecution();
  const executed = await execute(height, signal, caller, true);
  if (executed.lacking.length === 0) return executed;
  await pastRoots.learn(executed.lacking, height, { signal, onRead });
  onExecution();
  return execute(height, signal, caller, true);
}

/** Creates a history. It executes the operation where its stores have changed, and nowhere else. */
export function createWalk(options: WalkOptions): Walk {
  const { client, caller, signal, limits, from, every, fieldOf } = options;
  const { pastRoots, head } = client;
  let covered = from - 1n;
  let last: Executed | undefined;
  let executions = 0;
  let roots = 0;

  function onExecution(): void {
    if (executions >= limits['history.executions']) throw historyLimit('history.executions', limits, covered);
    // The request has paid for the first one. What one costs is known at its end.
    const unpaid = last === undefined ? undefined : caller.takeHere(last.points);
    if (unpaid !== undefined) throw rateLimited(unpaid);
    executions += 1;
  }

  function onRead(): void {
    if (roots >= limits['history.roots']) throw historyLimit('history.roots', limits, covered);
    roots += 1;
    caller.charge(1);
  }

  async function pruned(height: bigint): Promise<ChainError<'HEIGHT_PRUNED'>> {
    const newest = head.current()?.height ?? height;
    const earliestHeight = await oldestState(client, height, newest, signal);
    const message = `The state at height ${height} is pruned. The oldest state that can be read is that of ${earliestHeight}.`;
    return new ChainError('HEIGHT_PRUNED', message, { height, earliestHeight });
  }

  async function executeAt(height: bigint): Promise<{ readonly executed: Executed; readonly time: string }> {
    try {
      const time = await client.timeOf(height, signal);
      pastRoots.noteTime(height, time);
      const executed = await executeThoroughly(options, height, last?.carried, onRead, onExecution);
      if (executed.failure?.extensions.code === 'HEIGHT_PRUNED') throw await pruned(height);
      if (executed.failure !== undefined) throw new HistoryFailure(executed.failure);
      return { executed, time: headerTimeText(time) };
    } catch (error) {
      if (isChainError(error, 'HEIGHT_PRUNED') && error.facts.earliestHeight === undefined) throw await pruned(height);
      throw error;
    }
  }

  /** The first height, up to `to`, whose block is not before a time; undefined if there is none. */
  async function expiryBefore(validUntil: bigint | null, to: bigint): Promise<bigint | undefined> {
    if (validUntil === null) return undefined;
    try {
      const height = (await client.heightAt(validUntil - 1n, { signal, charge: (calls) => caller.charge(calls) })) + 1n;
      return height > to ? undefined : height;
    } catch (error) {
      if (isChainError(error, 'HEIGHT_NOT_YET_AVAILABLE')) return undefined;
      throw error;
    }
  }

  /** The next height, up to `to`, at which the answer may differ. */
  async function candidate({ carried }: Executed, to: bigint): Promise<bigint | undefined> {
    if (carried === undefined) return covered + 1n;
    const expiry = await expiryBefore(carried.validUntil, to);
    try {
      const end = expiry === undefined ? to : expiry - 1n;
      return (await pastRoots.nextChange(carried.stores, covered, end, { signal, onRead })) ?? expiry;
    } catch (error) {
      if (error instanceof RequestError && error.code === 'HISTORY_LIMIT') {
        covered = pastRoots.sameUntil(carried.stores, covered, to);
        throw historyLimit('history.roots', limits, covered);
      }
      throw error;
    }
  }

  /** A height of those that are asked for, not below `height`. */
  function onGrid(height: bigint): bigint {
    if (every === undefined) return height;
    const rest = (height - from) % every;
    return rest === 0n ? height : height + every - rest;
  }

  return {
    async next(to) {
      while (covered < to) {
        signal.throwIfAborted();
        const changedAt = last === undefined ? from : await candidate(last, to);
        const height = changedAt === undefined ? to + 1n : onGrid(changedAt);
        if (height > to) {
          covered = to;
          return undefined;
        }
        covered = height - 1n;
        const { executed, time } = await executeAt(height);
        // Where no node can prove roots, as at height 1, the next height is executed, too.
        if (executed.carried === undefined && executed.lacking.length === 0 && every === undefined) {
          const field = await fieldOf(height);
          const message = `The field \`${field}\` depends on the block itself at height ${height}, so the blocks that change it cannot be found. Remove it, or set \`every\`.`;
          throw new RequestError('HISTORY_DEPENDS_ON_HEIGHT', message, { field, height });
        }
        const previous = last?.result;
        last = executed;
        covered = height;
        if (executed.result.digest !== previous?.digest) return { height, time, result: executed.result, previous };
      }
      return undefined;
    },
    covered: () => covered,
    executions: () => executions,
  };
}

import type { HeightInput } from './documents.ts';
import type { StreamContext } from './events.ts';
import type { Http } from './http.ts';
import { membersOf } from './members.ts';
import { applyPatch, isPatch } from './patch.ts';
import { type RawResult, type Result, resultOf } from './result.ts';
import { withRetries } from './retry.ts';
import { textIn } from './socket.ts';
import { createStream } from './stream.ts';

/** A height, or a time: RFC 3339 in UTC, or a Date. A time stands for the last block that is not after it. */
export type PlaceInput = HeightInput | Date;

/** The part of the past that a history covers. */
export type HistoryRange<Variables = unknown> = {
  readonly from: PlaceInput;
  /** Default: the newest block. */
  readonly to?: PlaceInput | undefined;
  /** Looks at each n-th block only. For queries with fields that depend on the block itself, such as `votingTimeLeft`. */
  readonly every?: number | undefined;
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
} & (Record<never, never> extends Variables ? { readonly variables?: Variables } : { readonly variables: Variables });

/** A result of a history. */
export interface HistoryStep<Data> extends Result<Data> {
  /** The height of the first block with this result. */
  readonly height: string;
  /** The time of this block. */
  readonly time: string;
}

/** A height or a time as text. */
export function placeText(place: PlaceInput): string {
  return place instanceof Date ? place.toISOString() : String(place);
}

/** The results of a history, page by page. The next page is read when the steps of the one before were. */
export function historySteps<Data>(
  query: string,
  variables: Readonly<Record<string, unknown>>,
  { from, to, every, signal: ownSignal }: Omit<HistoryRange, 'variables'>,
  http: Pick<Http, 'query'>,
  { closed, onRetry }: Pick<StreamContext, 'closed' | 'onRetry'>,
): AsyncIterableIterator<HistoryStep<Data>> {
  return createStream<HistoryStep<Data>>(
    async (sink, signal) => {
      /** The end of the first page is that of all. */
      let end = to === undefined ? undefined : placeText(to);
      let state: RawResult | undefined;
      const push = (result: RawResult, height: string, time: string): void => {
        state = result;
        sink.push({ ...resultOf<Data>(result), height, time });
      };
      for (let next: string | undefined = placeText(from); next !== undefined; ) {
        const history = { from: next, to: end, every };
        const operation = { query, variables, extensions: { history } };
        const { extensions, ...result } = await withRetries(() => http.query(operation, signal), { signal, onRetry });
        const page = membersOf(extensions?.history);
        if (state === undefined) push(result, textIn(page.from) ?? next, textIn(page.time) ?? '');
        for (const change of Array.isArray(page.changes) ? page.changes : []) {
          const { height, time, patch } = membersOf(change);
          if (isPatch(patch) && state !== undefined) push(applyPatch(state, patch), textIn(height) ?? '', textIn(time) ?? '');
        }
        end ??= textIn(page.to);
        next = textIn(page.next);
        await sink.drained();
        signal.throwIfAborted();
      }
    },
    [closed, ownSignal],
  );
}

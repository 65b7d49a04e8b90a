import { SteleError } from './errors.ts';
import type { StreamContext } from './events.ts';
import { applyPatch, isPatch } from './patch.ts';
import { type RawResult, type Result, resultOf } from './result.ts';
import { withRetries } from './retry.ts';
import { textIn } from './socket.ts';
import { createStream } from './stream.ts';

/** Options of a live query. */
export interface LiveOptions {
  /** Ends the iteration. */
  readonly signal?: AbortSignal | undefined;
}

function resetError(latestHeight: string | undefined): SteleError {
  return new SteleError('CHAIN_RESET', 'The chain was started again under the same id.', { facts: { latestHeight } });
}

/**
 * The newest result of a live query. A slow reader skips results. After a lost connection it continues with the result that is then the newest; of a query with `from`,
 * with the first one that it has not had. If the chain was started again under the same id, `onReset` is called, and it continues with the results of the new chain.
 */
export function liveResults<Data>(
  query: string,
  variables: Readonly<Record<string, unknown>>,
  { signal: ownSignal }: LiveOptions,
  { socket, closed, onRetry, onReset }: StreamContext,
): AsyncIterableIterator<Result<Data>> {
  return createStream<Result<Data>>(
    async (sink, signal) => {
      let height: string | undefined;
      /** Identifies the chain of the last result. */
      let chain: string | undefined;
      /** The last result without its extensions, as JSON. */
      let last: string | undefined;
      const attempt = async (progress: () => void): Promise<void> => {
        let whole: RawResult | undefined;
        let isFirst = true;
        /** The height of the last result before the connection was lost. */
        const lost = height;
        /** Whether results of the past come again, because the query has `from`. */
        let isPast = lost !== undefined;
        const next = ({ patch, extensions, ...result }: RawResult): boolean => {
          progress();
          whole = whole !== undefined && isPatch(patch) ? applyPatch(whole, patch) : result;
          const { height: ofResult } = resultOf({ extensions });
          if (isPast && lost !== undefined && ofResult !== undefined && BigInt(ofResult) < BigInt(lost)) return true;
          isPast = false;
          height = ofResult;
          const now = textIn(extensions?.chain);
          // The head of the server has moved to another chain meanwhile.
          if (!isFirst && chain !== undefined && now !== chain) onReset(resetError(height));
          chain = now;
          const text = isFirst ? JSON.stringify(whole) : undefined;
          isFirst = false;
          if (text === undefined || text !== last) sink.replace(resultOf({ ...whole, extensions }));
          return true;
        };
        try {
          await socket.run({ query, variables, extensions: { patch: true, minHeight: height, chain } }, { next }, signal);
        } catch (error) {
          if (!(error instanceof SteleError) || error.code !== 'CHAIN_RESET' || height === undefined) throw error;
          [height, chain, last, whole] = [undefined, undefined, undefined, undefined];
          onReset(error);
          return attempt(progress);
        } finally {
          if (!isFirst) last = JSON.stringify(whole);
        }
      };
      await withRetries(attempt, { signal, onRetry });
    },
    [closed, ownSignal],
  );
}

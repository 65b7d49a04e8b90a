import type { StreamContext } from './events.ts';
import type { Http } from './http.ts';
import { resultOf } from './result.ts';
import { withRetries } from './retry.ts';
import { createStream } from './stream.ts';

/** A step of a transaction. */
export interface TransactionUpdate {
  readonly stage: 'CHECKED' | 'PENDING' | 'RESENT' | 'MOVED' | 'INCLUDED' | 'REJECTED' | 'EXPIRED' | 'UNKNOWN';
  /** Whether it is the last step. */
  readonly final: boolean;
  readonly hash: string;
  /** The newest block at this step; for INCLUDED, the block of the transaction. */
  readonly height: string;
  /** The check by a node. Present for CHECKED, and for REJECTED if the check failed. */
  readonly checkTx: { readonly code: number; readonly codespace: string; readonly log: string } | null;
  /** Present for INCLUDED. `code` is 0 if it succeeded. */
  readonly transaction: { readonly code: number; readonly codespace: string; readonly log: string } | null;
}

/** The default document of {@link submitSteps}. */
export const submitDocument = `subscription SubmitTx($tx: String!) {
  submitTx(tx: $tx) { stage final hash height checkTx { code codespace log } transaction { code codespace log } }
}`;

/** Options of `submitTx`. */
export interface SubmitOptions {
  /** Ends the iteration. The transaction was sent all the same. */
  readonly signal?: AbortSignal | undefined;
}

/** Base64 of bytes, with padding. */
export function base64(bytes: Uint8Array): string {
  let text = '';
  for (let start = 0; start < bytes.length; start += 4_096)
    text += String.fromCharCode(...bytes.subarray(start, start + 4_096));
  return btoa(text);
}

/**
 * The steps of a transaction until a block has it or it has failed. After a lost connection the same bytes are sent again, which the server takes as
 * the same transaction; steps that were seen are not repeated.
 */
export function submitSteps(
  bytes: Uint8Array,
  { signal: ownSignal }: SubmitOptions,
  http: Http,
  { closed, onRetry }: Pick<StreamContext, 'closed' | 'onRetry'>,
): AsyncIterableIterator<TransactionUpdate> {
  const operation = { query: submitDocument, variables: { tx: base64(bytes) } };
  return createStream<TransactionUpdate>(
    async (sink, signal) => {
      /** The steps of earlier attempts. */
      const seenUpdates = new Set<string>();
      const attempt = async (progress: () => void): Promise<void> => {
        const now: string[] = [];
        try {
          for await (const result of http.events(operation, signal)) {
            progress();
            const { data } = resultOf<{ readonly submitTx: TransactionUpdate }>(result);
            const { submitTx: step } = data;
            now.push(step.stage);
            if (!seenUpdates.has(step.stage)) sink.push(step);
            // The stream completes after it.
            if (step.final) return;
          }
        } finally {
          for (const stage of now) seenUpdates.add(stage);
        }
      };
      await withRetries(attempt, { signal, onRetry });
    },
    [closed, ownSignal],
  );
}

import { getNumberFromEnv } from '@opentelemetry/core';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import type { SpanEncoder } from './spanEncoder.ts';

/** How spans that have ended left the queue, since the start. */
export interface SpanCounts {
  /** The collector has accepted them. */
  readonly sent: number;
  /** The collector has not accepted them. */
  readonly failed: number;
  /** Too many spans waited. */
  readonly dropped: number;
}

/** Spans that wait to be sent. */
export interface SpanQueue {
  /** Adds a span that has ended. It is dropped if too many wait. */
  add(span: ReadableSpan): void;
  /** Sends what waits, and adds nothing more. Never rejects. */
  close(): Promise<void>;
  counts(): SpanCounts;
}

/** Encoded spans that are sent together. */
interface Batch {
  readonly request: Uint8Array;
  /** Their number. */
  readonly spans: number;
}

/**
 * Creates a queue that sends spans in batches, one after the other, as the variables `OTEL_BSP_…` say. `send` sends a request that the encoder made.
 * `onFailure` is called when it rejects.
 */
export function createSpanQueue(options: {
  readonly encoder: SpanEncoder;
  readonly send: (request: Uint8Array) => Promise<void>;
  readonly onFailure: (error: unknown) => void;
}): SpanQueue {
  const { encoder, send, onFailure } = options;
  const queueMax = getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE') ?? 2_048;
  const batchMax = Math.min(getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE') ?? 512, queueMax);
  const delay = getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY') ?? 5_000;
  const timeout = getNumberFromEnv('OTEL_BSP_EXPORT_TIMEOUT') ?? 30_000;
  /** Batches that are full. */
  const full: Batch[] = [];
  /** Spans of the batch that is not full. */
  let added = 0;
  let timer: NodeJS.Timeout | undefined;
  let sending: Promise<void> | undefined;
  let isClosed = false;
  const counts = { sent: 0, failed: 0, dropped: 0 };

  function taken(): Batch {
    const spans = added;
    added = 0;
    return { request: encoder.take(), spans };
  }

  function sendNext(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending = sendWithin(full.shift() ?? taken());
    return sending;
  }

  async function sendWithin({ request, spans }: Batch): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const over = new Promise<never>((_, reject) => {
      limit = setTimeout(() => reject(new Error('Timeout')), timeout);
    });
    try {
      await Promise.race([send(request), over]);
      counts.sent += spans;
    } catch (error) {
      counts.failed += spans;
      onFailure(error);
    }
    clearTimeout(limit);
    sending = undefined;
    schedule();
  }

  /** Sends a batch that is full now, and one that is not after the delay. */
  function schedule(): void {
    if (sending !== undefined) return;
    if (full.length > 0) void sendNext();
    else if (added > 0) timer ??= setTimeout(sendNext, delay).unref();
  }

  return {
    add(span) {
      if (isClosed || full.length * batchMax + added >= queueMax) {
        counts.dropped += 1;
        return;
      }
      encoder.add(span);
      added += 1;
      if (added >= batchMax) full.push(taken());
      schedule();
    },
    async close() {
      isClosed = true;
      while (sending !== undefined || full.length + added > 0) await (sending ?? sendNext());
    },
    counts: () => ({ ...counts }),
  };
}

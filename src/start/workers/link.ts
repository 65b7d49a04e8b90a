import { onAbort } from '../../chain/base/waiting.ts';
import type { Span } from '../../chain/tracing/tracer.ts';
import { spanOf } from '../../chain/tracing/tracer.ts';
import { closedError } from '../../chain/transports/nodeReplies.ts';
import { type OperationName, type Operations, type ToPrimary, type ToWorker, type UpdateOf, unpackError } from './messages.ts';
import { createOutbox } from './outbox.ts';

/** The connection of a worker to the primary. */
export interface PrimaryLink {
  /**
   * Runs an operation in the primary, below `span`, which is that of the signal by default. Rejects with its error, or with the signal's reason.
   */
  ask<K extends OperationName>(
    name: K,
    args: Operations[K]['args'],
    options?: {
      readonly signal?: AbortSignal | undefined;
      readonly span?: Span | undefined;
      readonly onUpdate?: (update: UpdateOf<K>) => void;
    },
  ): Promise<Operations[K]['result']>;
  /** Calls `listener` with each message of this kind. */
  on<K extends ToWorker['kind']>(kind: K, listener: (message: Extract<ToWorker, { kind: K }>) => void): void;
  tell(message: ToPrimary): void;
  /** Whether the primary runs. */
  isOpen(): boolean;
}

interface Pending {
  resolve(value: never): void;
  reject(error: unknown): void;
  update(value: never): void;
}

/** Connects this process to the primary that has started it. */
export function createPrimaryLink(): PrimaryLink {
  const pending = new Map<number, Pending>();
  const listeners = new Map<string, Set<(message: never) => void>>();
  let count = 0;

  const tell = createOutbox<ToPrimary>((messages) => {
    if (process.connected) process.send?.(messages, undefined, undefined, () => undefined);
  });

  function receive(message: ToWorker): void {
    if (message.kind === 'update') pending.get(message.id)?.update(message.value);
    if (message.kind === 'result') pending.get(message.id)?.resolve(message.value);
    if (message.kind === 'error') pending.get(message.id)?.reject(unpackError(message.error));
    // The message has the kind that the listener was added for.
    for (const listener of listeners.get(message.kind) ?? []) Reflect.apply(listener, undefined, [message]);
  }

  process.on('message', (messages: readonly ToWorker[]) => messages.forEach(receive));
  process.on('disconnect', () => {
    for (const { reject } of [...pending.values()]) reject(closedError());
  });

  return {
    ask(name, args, { signal, span = spanOf(signal), onUpdate } = {}) {
      if (signal?.aborted === true) return Promise.reject(signal.reason);
      if (!process.connected) return Promise.reject(closedError());
      count += 1;
      const id = count;
      return new Promise((resolve, reject) => {
        const end = (): void => {
          pending.delete(id);
          stop();
        };
        const stop = onAbort(signal, () => {
          tell({ kind: 'abort', id });
          end();
          reject(signal?.reason);
        });
        pending.set(id, {
          update: (value) => onUpdate?.(value),
          resolve(value) {
            end();
            resolve(value);
          },
          reject(error) {
            end();
            reject(error);
          },
        });
        Reflect.apply(tell, undefined, [{ kind: 'ask', id, operation: { name, args }, trace: span?.headers() }]);
      });
    },
    on(kind, listener) {
      const known = listeners.get(kind) ?? new Set();
      known.add(listener);
      listeners.set(kind, known);
    },
    tell,
    isOpen: () => process.connected,
  };
}

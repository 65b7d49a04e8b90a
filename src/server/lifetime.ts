import type { ServerResponse } from 'node:http';
import type { Making } from '../answers/answer.ts';
import { leftError } from '../answers/errors.ts';
import { ChainError } from '../chain/base/errors.ts';
import type { LazySignal } from '../chain/base/time.ts';
import { type Scope, setScope } from '../chain/tracing/tracer.ts';

/** How long reads for a caller may run, for the code that reads. */
export interface ReadonlyLifetime {
  /** Aborts the reads. It is created on first access, because most responses are cached and need none. */
  readonly signal: AbortSignal;
}

/** Options of {@link Lifetime}. */
interface LifetimeOptions {
  readonly response?: ServerResponse;
  readonly milliseconds?: number | undefined;
  readonly startedAt?: number | undefined;
  readonly scope?: Scope | undefined;
}

/**
 * A lifetime that ends by {@link Lifetime.cancel}, by {@link Lifetime.end}, or `milliseconds` after it began, which aborts the
 * reads with NODE_TIMEOUT. Without `milliseconds` it has no deadline. It is a class because every request has one: on an object
 * literal, the getter would cost more than the signal that it saves.
 */
export class Lifetime implements ReadonlyLifetime, LazySignal {
  readonly #milliseconds: number | undefined;
  readonly #begun: number;
  readonly #scope: Scope | undefined;
  readonly #response: ServerResponse | undefined;
  /** The listener of the response. undefined while nothing depends on when it closes. */
  #close: (() => void) | undefined;
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #end: 'cancelled' | 'complete' | undefined;
  /** Whether the reads are aborted. */
  aborted = false;
  /** undefined until there is one. */
  #listeners: (() => void)[] | undefined;

  /**
   * `startedAt` is a time of `performance`, by default now. It is not used without `milliseconds`. The reads belong to `scope` in
   * traces. With a `response`, the lifetime ends when its client disconnects as well.
   */
  constructor({ response, milliseconds, startedAt, scope }: LifetimeOptions = {}) {
    this.#milliseconds = milliseconds;
    this.#begun = startedAt ?? (milliseconds === undefined ? 0 : performance.now());
    this.#scope = scope;
    this.#response = response;
  }

  get signal(): AbortSignal {
    if (this.#response !== undefined) this.#follow(this.#response);
    if (this.#controller !== undefined) return this.#controller.signal;
    const controller = new AbortController();
    this.#controller = controller;
    if (this.#scope !== undefined) setScope(controller.signal, this.#scope);
    const milliseconds = this.#milliseconds;
    if (this.#end === 'cancelled') controller.abort(leftError());
    else if (this.#end === undefined && milliseconds !== undefined) {
      const expire = (): void => {
        this.aborted = true;
        controller.abort(
          new ChainError('NODE_TIMEOUT', `The response was not ready within ${milliseconds} ms.`, { milliseconds }),
        );
      };
      this.#timer = setTimeout(expire, this.#begun + milliseconds - performance.now());
    }
    return controller.signal;
  }

  /** Whether the caller has disconnected. */
  get isCancelled(): boolean {
    return this.#end === 'cancelled';
  }

  /** Calls `listener` when the caller disconnects, or at once if it has. */
  onLeave(listener: () => void): void {
    if (this.#response !== undefined) this.#follow(this.#response);
    if (this.#end === 'cancelled') listener();
    else if (this.#end === undefined) {
      this.#listeners ??= [];
      this.#listeners.push(listener);
    }
  }

  /** Ends the lifetime because the caller has disconnected: aborts the reads. */
  cancel(): void {
    if (this.#end !== undefined) return;
    this.#end = 'cancelled';
    this.aborted = true;
    clearTimeout(this.#timer);
    const listeners = this.#listeners ?? [];
    this.#listeners = undefined;
    for (const listener of listeners) listener();
    this.#controller?.abort(leftError());
  }

  /** Ends the lifetime because the response is ready: stops the timer, and aborts nothing. */
  end(): void {
    this.#end ??= 'complete';
    clearTimeout(this.#timer);
    // They may hold a whole execution, and a lifetime may be kept as long as a stream.
    this.#listeners = undefined;
    // A response that has become a stream would keep this lifetime and its signal in memory.
    if (this.#close !== undefined) this.#response?.off('close', this.#close);
  }

  #follow(response: ServerResponse): void {
    if (this.#close !== undefined) return;
    const close = (): void => (response.writableFinished ? this.end() : this.cancel());
    this.#close = close;
    if (response.closed) close();
    else response.once('close', close);
  }
}

/**
 * Runs `make`, which reads as long as `reads` lasts, for several callers that wait for the same result. `making` ends
 * `reads` when the last caller has disconnected. Returns a promise only if `make` does.
 */
export function readShared<T>(
  reads: Lifetime,
  making: Pick<Making, 'onAbandoned'>,
  make: (signal: LazySignal) => T | Promise<T>,
): T | Promise<T> {
  try {
    const result = make(reads);
    if (result instanceof Promise) return readOn(reads, making, result);
    reads.end();
    return result;
  } catch (error) {
    reads.end();
    throw error;
  }
}

/** Waits for the result. No caller can disconnect before the wait. */
async function readOn<T>(reads: Lifetime, making: Pick<Making, 'onAbandoned'>, madeAnswer: Promise<T>): Promise<T> {
  making.onAbandoned(() => reads.cancel());
  try {
    return await madeAnswer;
  } finally {
    reads.end();
  }
}

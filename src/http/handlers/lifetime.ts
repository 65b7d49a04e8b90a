import type { ServerResponse } from 'node:http';
import { ChainError } from '../../chain/base/errors.ts';
import { leftError } from '../../graphql/request/leftError.ts';

/** How long what a caller asked for is read. */
export interface ReadonlyLifetime {
  /** Ends the reads. It is made when it is first asked for: most answers are there already, and need none. */
  readonly signal: AbortSignal;
}

/**
 * A life whose end is told, of `milliseconds` from when it began, which is NODE_TIMEOUT for what still waits; as long as its caller stays if absent.
 * A class, as each request has one: a getter of an object of its own costs more than the signal that it saves.
 */
export class Lifetime implements ReadonlyLifetime {
  readonly #milliseconds: number | undefined;
  readonly #begun: number;
  #controller: AbortController | undefined;
  #timer: NodeJS.Timeout | undefined;
  #end: 'left' | 'answered' | undefined;
  readonly #listeners: (() => void)[] = [];

  /** `begun` is a time of `performance`: now if absent. */
  constructor(milliseconds?: number, begun = performance.now()) {
    this.#milliseconds = milliseconds;
    this.#begun = begun;
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#makeController();
    return this.#controller.signal;
  }

  /** Whether its caller has left. */
  get hasLeft(): boolean {
    return this.#end === 'left';
  }

  /** Calls `listener` when the caller leaves; at once if it has left. */
  onLeave(listener: () => void): void {
    if (this.#end === 'left') listener();
    else this.#listeners.push(listener);
  }

  /** Its caller has left. */
  leave(): void {
    if (this.#end !== undefined) return;
    this.#end = 'left';
    clearTimeout(this.#timer);
    for (const listener of this.#listeners.splice(0)) listener();
    this.#controller?.abort(leftError());
  }

  /** It has its answer: nothing waits for its end any more. */
  end(): void {
    this.#end ??= 'answered';
    clearTimeout(this.#timer);
  }

  #makeController(): AbortController {
    const made = new AbortController();
    const milliseconds = this.#milliseconds;
    if (this.#end === 'left') made.abort(leftError());
    else if (this.#end === undefined && milliseconds !== undefined) {
      const expire = (): void =>
        made.abort(new ChainError('NODE_TIMEOUT', `Not all was read within ${milliseconds} ms.`, { milliseconds }));
      this.#timer = setTimeout(expire, this.#begun + milliseconds - performance.now());
    }
    return made;
  }
}

class ResponseLifetime extends Lifetime {
  readonly #response: ServerResponse;
  #isFollowed = false;

  constructor(response: ServerResponse, milliseconds: number | undefined, begun: number) {
    super(milliseconds, begun);
    this.#response = response;
  }

  override get signal(): AbortSignal {
    if (!this.#isFollowed) this.#follow();
    return super.signal;
  }

  override onLeave(listener: () => void): void {
    if (!this.#isFollowed) this.#follow();
    super.onLeave(listener);
  }

  #follow(): void {
    this.#isFollowed = true;
    const response = this.#response;
    const close = (): void => (response.writableFinished ? this.end() : this.leave());
    if (response.closed) close();
    else response.once('close', close);
  }
}

/**
 * The life of a request: it ends when its caller leaves, or `milliseconds` after `begun` (now if absent), which is NODE_TIMEOUT for
 * what still waits. Without `milliseconds` it has no such end.
 */
export function lifetimeOf(response: ServerResponse, milliseconds?: number, begun = performance.now()): Lifetime {
  return new ResponseLifetime(response, milliseconds, begun);
}

/**
 * Runs `make` with the signal of `reads`, for all callers that wait for its result: `onAbandoned` calls its listener when the last one has
 * left.
 */
export async function readShared<T>(
  reads: Lifetime,
  onAbandoned: (listener: () => void) => void,
  make: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  onAbandoned(() => reads.leave());
  try {
    return await make(reads.signal);
  } finally {
    reads.end();
  }
}

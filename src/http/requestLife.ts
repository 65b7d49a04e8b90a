import type { ServerResponse } from 'node:http';
import { ChainError } from '../chain/errors.ts';
import { leftError } from '../graphql/context.ts';

/** How long what a caller asked for is read. */
export interface Life {
  /** Ends the reads. It is made when it is first asked for: most answers are there already, and need none. */
  readonly signal: AbortSignal;
}

/** A life whose end is told. */
export interface OwnLife extends Life {
  /** Its caller has left. */
  leave(): void;
  /** It has its answer: nothing waits for its end any more. */
  end(): void;
}

/** Makes a life of `milliseconds` from now on, which is NODE_TIMEOUT for what still waits; without an end where that is undefined. */
export function createLife(milliseconds: number | undefined): OwnLife {
  const begun = performance.now();
  let controller: AbortController | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  let hasLeft = false;

  function make(): AbortController {
    const made = new AbortController();
    if (hasLeft) made.abort(leftError());
    else if (!isOver && milliseconds !== undefined) {
      const expire = (): void =>
        made.abort(new ChainError('NODE_TIMEOUT', `Not all was read within ${milliseconds} ms.`, { milliseconds }));
      timer = setTimeout(expire, begun + milliseconds - performance.now());
    }
    return made;
  }

  function end(): void {
    isOver = true;
    clearTimeout(timer);
  }

  return {
    get signal() {
      controller ??= make();
      return controller.signal;
    },
    leave() {
      if (isOver) return;
      end();
      hasLeft = true;
      controller?.abort(leftError());
    },
    end,
  };
}

/**
 * The life of a request: it ends when its caller leaves, or after `milliseconds`, which is NODE_TIMEOUT for what still waits. A stream has no
 * such end.
 */
export function lifeOf(response: ServerResponse, milliseconds: number | undefined): Life {
  const life = createLife(milliseconds);
  const close = (): void => (response.writableFinished ? life.end() : life.leave());
  let follows = false;
  return {
    get signal() {
      if (!follows) {
        follows = true;
        if (response.closed) close();
        else response.once('close', close);
      }
      return life.signal;
    },
  };
}

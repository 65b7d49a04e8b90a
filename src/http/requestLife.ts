import type { ServerResponse } from 'node:http';
import { ChainError } from '../chain/errors.ts';
import { leftError } from '../graphql/context.ts';

/** How long what a caller asked for is read. */
export interface Life {
  /** Ends the reads. */
  readonly signal: AbortSignal;
  /** Its caller has left. */
  leave(): void;
  /** It has its answer: nothing waits for its end any more. */
  end(): void;
}

/** Makes a life of `milliseconds`, which is NODE_TIMEOUT for what still waits; without an end where that is undefined. */
export function createLife(milliseconds: number | undefined): Life {
  const controller = new AbortController();
  const timer =
    milliseconds &&
    setTimeout(() => {
      controller.abort(new ChainError('NODE_TIMEOUT', `Not all was read within ${milliseconds} ms.`, { milliseconds }));
    }, milliseconds);
  const end = (): void => clearTimeout(timer);
  return {
    signal: controller.signal,
    leave() {
      end();
      controller.abort(leftError());
    },
    end,
  };
}

/**
 * A signal that ends the reads of a request: when its caller leaves, or after `milliseconds`, which is NODE_TIMEOUT for what
 * still waits. A stream has no such end.
 */
export function lifeOf(response: ServerResponse, milliseconds: number | undefined): AbortSignal {
  const { signal, leave, end } = createLife(milliseconds);
  response.once('close', () => (response.writableFinished ? end() : leave()));
  return signal;
}

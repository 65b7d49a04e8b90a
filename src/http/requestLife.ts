import type { ServerResponse } from 'node:http';
import { ChainError } from '../chain/errors.ts';
import { leftError } from '../graphql/context.ts';

/**
 * A signal that ends the reads of a request: when its caller leaves, or after `milliseconds`, which is NODE_TIMEOUT for what
 * still waits. A stream has no such end.
 */
export function lifeOf(response: ServerResponse, milliseconds: number | undefined): AbortSignal {
  const controller = new AbortController();
  const timer =
    milliseconds &&
    setTimeout(() => {
      controller.abort(new ChainError('NODE_TIMEOUT', `Not all was read within ${milliseconds} ms.`, { milliseconds }));
    }, milliseconds);
  response.once('close', () => {
    clearTimeout(timer);
    controller.abort(leftError());
  });
  return controller.signal;
}

import type { Writable } from 'node:stream';

/**
 * Calls `sent` once, when a stream has sent all its buffered bytes or is closed. Call it with a stream that needs to drain or
 * is destroyed.
 */
export function onceSent(stream: Writable, sent: () => void): void {
  const done = (): void => {
    stream.off('drain', done);
    stream.off('close', done);
    sent();
  };
  if (stream.destroyed) {
    sent();
    return;
  }
  stream.once('drain', done);
  stream.once('close', done);
}

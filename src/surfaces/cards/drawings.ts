import type { Worker } from 'node:worker_threads';
import { startThread } from '../../chain/base/thread.ts';
import type { Card } from './card.ts';

/** How long the thread waits for another card before it ends, in ms. Its library and faces have some 60 MB. */
const idleTime = 60_000;

type Reply = { readonly png: Uint8Array; readonly error?: undefined } | { readonly error: string; readonly png?: undefined };

/** Draws cards in a thread, one at a time. The thread starts with the first card, ends after a quiet minute, and does not keep the process alive. */
export function createDrawings() {
  /** In the order of the cards, in which the thread replies. */
  const waiting: { resolve(png: Buffer): void; reject(error: Error): void }[] = [];
  let worker: Worker | undefined;
  let idle: NodeJS.Timeout | undefined;

  function end(ended: Worker | undefined, message: string): void {
    if (ended === undefined || worker !== ended) return;
    worker = undefined;
    clearTimeout(idle);
    for (const { reject } of waiting.splice(0)) reject(new Error(message));
    void ended.terminate();
  }

  function start(): Worker {
    const started = startThread('cardWorker', new URL('./worker.ts', import.meta.url));
    started.on('message', ({ png, error }: Reply) => {
      // A thread that was ended may still reply, and others wait for the next one.
      if (worker !== started) return;
      const waiter = waiting.shift();
      if (png !== undefined) waiter?.resolve(Buffer.from(png.buffer, png.byteOffset, png.byteLength));
      else waiter?.reject(new Error(`A card was not drawn: ${error}`));
      if (waiting.length > 0) return;
      started.unref();
      idle = setTimeout(() => end(started, 'The thread of cards is idle.'), idleTime).unref();
    });
    started.on('error', (error) => end(started, `The thread of cards failed: ${error.message}`));
    started.on('exit', () => end(started, 'The thread of cards has ended.'));
    return started;
  }

  return {
    /** The PNG of a card. Rejects if it cannot be drawn. */
    draw(card: Card): Promise<Buffer> {
      clearTimeout(idle);
      return new Promise((resolve, reject) => {
        worker ??= start();
        worker.ref();
        worker.postMessage(card);
        waiting.push({ resolve, reject });
      });
    },
    /** Number of cards that wait, with the one that is being drawn. */
    waiting: () => waiting.length,
    close: (): void => end(worker, 'The server is closed.'),
  };
}

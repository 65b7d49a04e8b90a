import type { Head } from '../../chain/blocks/head.ts';
import { newBlockQuery } from '../../chain/wire/block.ts';
import type { ToWorker } from './messages.ts';

/** Sends what the head of the primary learns to the workers, so that all follow one head. */
export interface HeadRelay {
  /** What a worker that starts must know: whether the primary is subscribed. */
  state(): ToWorker;
  /** Sends whether the primary is subscribed, if that has changed. Also done at each block. */
  checkSubscription(): void;
  stop(): void;
}

/**
 * Starts the relay. `send` sends a message to all workers. A block is sent with its event. One that the primary has read from `status` is sent
 * without, because its event may never come, for example if the block was made while the subscription was reopened.
 */
export function createHeadRelay(head: Head, send: (message: ToWorker) => void): HeadRelay {
  let { isSubscribed } = head.stats();

  function checkSubscription(): void {
    const now = head.stats().isSubscribed;
    if (now !== isSubscribed) send({ kind: 'head', isSubscribed: now });
    isSubscribed = now;
  }

  const stopContent = head.onContent(({ block }) => {
    if (block === undefined) return;
    checkSubscription();
    const data = { type: 'tendermint/event/NewBlock', value: block };
    send({ kind: 'block', event: { query: newBlockQuery, data, events: {} } });
  });
  const stopBlocks = head.onBlock((newest) => {
    checkSubscription();
    if (newest.block === undefined) send({ kind: 'newest', newest });
  });
  const stopRewinds = head.onRewind((rewind) => send({ kind: 'rewind', rewind }));

  return {
    state: () => ({ kind: 'head', isSubscribed }),
    checkSubscription,
    stop() {
      stopContent();
      stopBlocks();
      stopRewinds();
    },
  };
}

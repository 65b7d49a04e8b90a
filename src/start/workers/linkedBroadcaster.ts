import { spanOf } from '../../chain/tracing/tracer.ts';
import type { Broadcaster, BroadcasterCall } from '../../chain/transactions/broadcaster.ts';
import type { TxUpdate } from '../../chain/transactions/resend.ts';
import type { PrimaryLink } from './link.ts';

/** Creates the broadcaster of a worker: the primary sends, so that the transactions of an account stay in order. */
export function createLinkedBroadcaster(link: PrimaryLink): Broadcaster {
  async function* submit(tx: Uint8Array, { signal }: BroadcasterCall = {}): AsyncGenerator<TxUpdate, undefined> {
    const leaving = new AbortController();
    const updates: TxUpdate[] = [];
    let wake: (() => void) | undefined;
    let failure: { readonly error: unknown } | undefined;
    let isOver = false;
    const onUpdate = (update: TxUpdate): void => {
      updates.push(update);
      wake?.();
    };
    link
      .ask('submit', { tx }, { signal: leaving.signal, span: spanOf(signal), onUpdate })
      .catch((error: unknown) => {
        failure = { error };
      })
      .finally(() => {
        isOver = true;
        wake?.();
      });
    try {
      for (;;) {
        const update = updates.shift();
        if (update !== undefined) yield update;
        else if (failure !== undefined) throw failure.error;
        else if (isOver) return undefined;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      leaving.abort();
    }
  }

  return {
    sync: (tx, { signal } = {}) => link.ask('broadcast', { method: 'sync', tx, joinsDuplicate: true }, { signal }),
    async: (tx, { signal } = {}) => link.ask('broadcast', { method: 'async', tx, joinsDuplicate: true }, { signal }),
    commit: (tx, { signal, joinsDuplicate = true } = {}) =>
      link.ask('broadcast', { method: 'commit', tx, joinsDuplicate }, { signal }),
    submit,
    check: (tx, { signal } = {}) => link.ask('check', { tx }, { signal }),
    evidence: (evidence, { signal } = {}) => link.ask('evidence', { evidence }, { signal }),
    rebroadcasts: () => ({ resent: 0, moved: 0, failover: 0, next_block: 0 }),
    close: () => undefined,
  };
}

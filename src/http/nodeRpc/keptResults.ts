import type { Client } from '../../chain/client.ts';
import { createInFlight } from '../../chain/memory/inFlight.ts';
import { objectBytes, textBytes } from '../../chain/memory/sizes.ts';
import type { ReadonlyLifetime } from '../handlers/lifetime.ts';

/** A result that is ready to be sent. */
export interface ReadyResult {
  /** JSON. */
  readonly text: string;
  /** The height that was read; undefined where none was. */
  readonly height?: bigint | undefined;
  /** Whether it will be the same for ever, and so is kept. */
  readonly keep: boolean;
}

/** Results that are ready to be sent. */
export interface KeptResults {
  /** The result named `name`; made when it is not kept, once for all who ask at the same time. */
  read(name: string, lifetime: ReadonlyLifetime, make: (signal: AbortSignal) => Promise<ReadyResult>): Promise<ReadyResult>;
}

/** Makes the place where they are kept, within the memory for answers. All of them are removed when the head is given up. */
export function createKeptResults({ head, memory }: Pick<Client, 'head' | 'memory'>): KeptResults {
  const kept = memory.cache<ReadyResult>('answers', 'rpc', ({ text }) => objectBytes + textBytes(text));
  const inFlight = createInFlight<ReadyResult>();
  head.onRewind(() => kept.clear());
  return {
    read(name, lifetime, make) {
      const key = `${head.generation()} ${name}`;
      const known = kept.get(key);
      if (known !== undefined) return Promise.resolve(known);
      return inFlight.join(key, lifetime.signal, async (joined) => {
        const made = await make(joined);
        if (made.keep) kept.set(key, made);
        return made;
      });
    },
  };
}

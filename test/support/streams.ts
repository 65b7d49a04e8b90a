import type { Client } from '../../src/chain/client.ts';
import { createPin, type Pinned, pinned } from '../../src/reads/pin.ts';
import type { BlockStream } from '../../src/reads/stream.ts';

/** The root of an operation that is read at a height. */
export function rootAt(client: Client, height: bigint): Pinned<object> {
  return pinned(createPin(client, height), {});
}

/** Returns the events of a stream up to a height, or up to its end if that comes first. Closes the stream. */
export async function eventsUpTo<T>(stream: BlockStream<T>, end: bigint): Promise<T[]> {
  const events: T[] = [];
  for (let height = -1n; height < end; ) {
    const step = await stream.nextBlock();
    if (step.done) return events;
    events.push(...step.value.events);
    height = step.value.height;
  }
  await stream.return?.();
  return events;
}

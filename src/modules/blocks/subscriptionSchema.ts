import { startAfter } from '../../reads/height.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type BlockStream, blockStream } from '../../reads/stream.ts';
import type { Builder } from '../../schema/builder.ts';
import { blockAt } from './blockSchema.ts';
import { BlockRef } from './refs.ts';

/** A root for each block after height `after`, pinned to the height of that block. */
function blockRoots(root: Pinned<object>, after: bigint): BlockStream<Pinned<object>> {
  const pin = pinOf(root);
  const { client, signal } = pin;
  return blockStream({
    blocks: client.blocks.from(after, { signal }),
    step: ({ header }) => ({ events: [pinned(pin.at(header.height), {})] }),
  });
}

/** Adds `Subscription.newBlock`. */
export function addNewBlock(builder: Builder): void {
  builder.subscriptionField('newBlock', (t) =>
    t.field({
      type: BlockRef,
      nullable: false,
      description: 'Every block, exactly once and in order. With `after`, first the blocks after that height.',
      args: { after: t.arg({ type: 'Int64' }) },
      subscribe: (root, { after }) => blockRoots(root, startAfter(root, after)),
      resolve: (event) => blockAt(event, pinOf(event).height),
    }),
  );
}

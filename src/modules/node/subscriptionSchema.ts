import type { Builder } from '../../graphql/builder.ts';
import { badInput } from '../errors.ts';
import { type Pinned, pinned, pinOf } from '../pin.ts';
import { blockAt } from './blockSchema.ts';
import { BlockRef } from './refs.ts';

/** A root for each block above `after`, pinned to that block: every event is read at its own height. */
async function* blockRoots(root: Pinned<object>, after: bigint): AsyncGenerator<Pinned<object>> {
  const pin = pinOf(root);
  for await (const { header } of pin.client.blocks.from(after, { signal: pin.signal })) yield pinned(pin.at(header.height), {});
}

/** Adds the subscriptions of the node module. */
export function addSubscriptions(builder: Builder): void {
  builder.subscriptionField('newBlock', (t) =>
    t.field({
      type: BlockRef,
      nullable: false,
      description: 'Every block, exactly once, in order.',
      args: { after: t.arg({ type: 'Int64' }) },
      subscribe: (root, { after }) => {
        if (after != null && after < 0n) throw badInput('after', after.toString(), 'a height of at least 0');
        return blockRoots(root, after ?? pinOf(root).height);
      },
      resolve: (event) => blockAt(event, pinOf(event).height),
    }),
  );
}

import type { Client } from '../chain/client.ts';
import { badInput } from '../modules/errors.ts';
import { checkHeight } from '../modules/height.ts';
import { createPin, type Pinned, pinned, unpinned } from '../modules/pin.ts';

/** Name of the header that names a height, both ways; routers forward it (chain.md 6.2). */
export const heightHeader = 'x-cosmos-block-height';

/** What is decided about a request before its document is looked at. */
export interface RequestContext {
  /** The height that the operation is read at; undefined when none could be picked. */
  readonly height: bigint | undefined;
  /** Root value of the operation. */
  readonly root: Pinned<object>;
  /** Body as received; undefined for a request without one. */
  readonly body: Buffer | undefined;
}

/** How long a request waits for the first block that this server sees. */
const firstBlockWait = 2_000;

/**
 * Picks the height: the one that the caller named, else the newest block this server has seen. A bad one, or a chain that
 * cannot be reached, gives a root whose every read fails with the reason.
 */
export async function pickRoot(
  client: Client,
  named: string | undefined,
  signal: AbortSignal,
): Promise<{ readonly height: bigint | undefined; readonly root: Pinned<object> }> {
  try {
    const head = client.head.current() ?? (await client.head.ready({ milliseconds: firstBlockWait }));
    const height = named === undefined ? head.height : checkHeight(heightHeader, heightIn(named), head.height);
    return { height, root: pinned(createPin(client, height, signal), {}) };
  } catch (error) {
    return { height: undefined, root: unpinned(error) };
  }
}

function heightIn(text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  throw badInput(heightHeader, text, 'a height in decimal');
}

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
  /** Told while it is executed: whether the same request at the same height will have the same answer for ever. */
  readonly outcome: { immutable: boolean };
}

/** How long a request waits for the first block that this server sees. */
const firstBlockWait = 2_000;

/** A height that was picked, or why none could be: every read of the operation then fails with it. */
export type Picked = { readonly height: bigint; readonly chainId: string } | { readonly error: unknown };

/** Picks the height of an operation: the one that the caller named, else the newest block this server has seen. Never rejects. */
export async function pickHeight(client: Client, named: string | undefined): Promise<Picked> {
  try {
    const head = client.head.current() ?? (await client.head.ready({ milliseconds: firstBlockWait }));
    const height = named === undefined ? head.height : checkHeight(heightHeader, heightIn(named), head.height);
    return { height, chainId: head.chainId };
  } catch (error) {
    return { error };
  }
}

/** The context of a request whose height is picked; `signal` ends its reads. */
export function createRequestContext(
  client: Client,
  picked: Picked,
  body: Buffer | undefined,
  signal: AbortSignal,
): RequestContext {
  if ('error' in picked) return { height: undefined, root: unpinned(picked.error), body, outcome: { immutable: false } };
  const { height } = picked;
  return { height, root: pinned(createPin(client, height, signal), {}), body, outcome: { immutable: false } };
}

function heightIn(text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  throw badInput(heightHeader, text, 'a height in decimal');
}

import type { Client } from '../../chain/client.ts';
import type { Bounds } from '../../config/bounds.ts';
import type { Limits } from '../../config/limits/limits.ts';
import { createPin } from '../../reads/createPin.ts';
import { badInput } from '../../reads/errors.ts';
import { checkHeight } from '../../reads/height.ts';
import { type Pinned, pinned, unpinned } from '../../reads/pin.ts';
import type { Session } from '../../reads/viewer.ts';
import { type Locate, locateNothing } from '../documents/tokenLocations.ts';
import type { Caller } from '../request/caller.ts';
import type { RequestParams } from '../request/requestParams.ts';
import type { RequestRecord } from '../request/requestRecord.ts';
import type { OpenSubscription } from '../subscriptions/subscriptions.ts';

/** Name of the header that names a height, both ways; routers forward it (chain.md 6.2). */
export const heightHeader = 'x-cosmos-block-height';

/** What is decided about a request before its document is looked at. */
export interface OperationContext {
  readonly session: Session;
  readonly record: RequestRecord;
  /** The height that the operation is read at; undefined when none could be picked. */
  readonly height: bigint | undefined;
  /** Root value of the operation. */
  readonly root: Pinned<object>;
  /** The parameters of the request, of which an operation on a WebSocket needs none. */
  readonly params: RequestParams;
  /** Who pays for it. */
  readonly caller: Caller;
  /** Ends its reads. */
  readonly signal: AbortSignal;
  readonly outcome: Outcome;
}

/** What is told of a request while it is executed. */
export interface Outcome {
  /** Whether the same request at the same height will have the same answer for ever. Setting it to false tells `cannotShare`. */
  immutable: boolean;
  /** A subscription that was opened, to be begun or dropped; undefined for all else. */
  subscription: OpenSubscription | undefined;
  /** Whether it was a request of GraphQL: it had a document. */
  hasDocument: boolean;
  /** Whether the caller asked for its cost. */
  wantsCost: boolean;
  /** Locates errors in the text of its document. */
  locate: Locate;
}

/** Name of the header that asks for a block not older than a height; `extensions.minHeight` of the body says the same. */
export const minHeightHeader = 'x-min-height';

/** How long a request waits for the first block that this server sees. */
const firstBlockWait = 2_000;

/** A height that was picked, with the chain as keys of caches have it ({@link Client.chainKey}), or why none could be: every read of the operation then fails with it. */
export type Picked = { readonly height: bigint; readonly chain: string } | { readonly error: unknown };

/** The heights that a request names, as it names them. */
export interface NamedHeights {
  /** To be read at. */
  readonly height: string | undefined;
  /** To be waited for, so that a write can be read through any server. */
  readonly minHeight: string | undefined;
}

/**
 * Picks the height of an operation: the one that the caller named, else the newest block this server has seen, which is first
 * waited for (`request.freshness`) when the caller asks for a minimum. The wait ends with the signal of `life`, which is only read if there is a wait. Never
 * rejects: what went wrong (HEIGHT_NOT_YET_AVAILABLE, BAD_USER_INPUT, no node, the caller has left) is the error of every read.
 */
export async function pickHeight(
  client: Client,
  named: NamedHeights,
  limits: Limits,
  life: { readonly signal: AbortSignal },
): Promise<Picked> {
  try {
    const minimum = named.minHeight === undefined ? undefined : heightIn(minHeightHeader, named.minHeight);
    const newest = client.head.current() ?? (await client.head.ready({ milliseconds: firstBlockWait, signal: life.signal }));
    const head =
      minimum === undefined || newest.height >= minimum
        ? newest
        : await client.head.waitFor(minimum, { milliseconds: limits['request.freshness'], signal: life.signal });
    const height =
      named.height === undefined ? head.height : checkHeight(heightHeader, heightIn(heightHeader, named.height), head.height);
    return { height, chain: client.chainKey() };
  } catch (error) {
    return { error };
  }
}

/** `extensions.minHeight` of a request with this text: its body, or its URL if it has none. undefined if it names none, or is no GraphQL request. */
export function minHeightOf(text: Buffer | string, params: RequestParams): string | undefined {
  // Parameters of a URL may be encoded in any way.
  if (typeof text === 'string' ? !text.includes('extensions=') : !text.includes('"minHeight"')) return undefined;
  try {
    return minHeightIn(params().extensions);
  } catch {
    return undefined;
  }
}

/** The same of these extensions, as text; of a list or an object, whose text may be more than the stack holds, that it is one. */
export function minHeightIn(extensions: Readonly<Record<string, unknown>> | null | undefined): string | undefined {
  const minHeight = extensions?.minHeight;
  if (minHeight === undefined || minHeight === null) return undefined;
  return typeof minHeight === 'object' ? typeof minHeight : String(minHeight);
}

/** What pages may be, of the limits in force. */
export function boundsOf(limits: Limits): Bounds {
  return { pageMax: limits['page.size.max'], offsetMax: limits['page.offset'] };
}

/** The context of a request whose height is picked; `signal` ends its reads. */
export function createOperationContext({
  client,
  picked,
  limits,
  cannotShare,
  ...request
}: Omit<OperationContext, 'height' | 'root' | 'outcome'> & {
  readonly client: Client;
  readonly picked: Picked;
  readonly limits: Limits;
  /** Called when it is known that the answer is for this request only; it may be called several times. */
  readonly cannotShare?: () => void;
}): OperationContext {
  const { signal } = request;
  const outcome = createOutcome(cannotShare);
  if ('error' in picked) return { ...request, height: undefined, root: unpinned(picked.error, { client, signal }), outcome };
  const { height } = picked;
  return { ...request, height, root: pinned(createPin(client, height, signal, boundsOf(limits)), {}), outcome };
}

function createOutcome(cannotShare: () => void = () => undefined): Outcome {
  let immutable = false;
  return {
    get immutable() {
      return immutable;
    },
    set immutable(value) {
      immutable = value;
      if (!value) cannotShare();
    },
    subscription: undefined,
    hasDocument: false,
    wantsCost: false,
    locate: locateNothing,
  };
}

function heightIn(name: string, text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  throw badInput(name, text, 'a height in decimal');
}

import { checkFingerprint, readFingerprint } from '../chain/blocks/head.ts';
import type { Client } from '../chain/client.ts';
import type { Limits } from '../config/limits/limits.ts';
import { badInput } from '../reads/errors.ts';
import { checkHeight } from '../reads/height.ts';
import { timeInput } from '../reads/input.ts';
import type { Caller } from './caller.ts';

// Picks the height of a request on every surface: GraphQL over HTTP and WebSockets (the header, `extensions`, or `height` in the URL), REST and `/v1` (the
// header; `restHandler.ts` also reads that of a node's gateway), and the node RPC (its argument).

/** The header that names a height in requests and responses. Routers forward it (docs/chain.md, "Heights of application queries"). */
export const heightHeader = 'x-cosmos-block-height';

/** The header that names a time, RFC 3339 in UTC. The height is that of the last block that is not after it. */
export const timeHeader = 'x-block-time';

/** The header that names a minimum height to wait for. `extensions.minHeight` in the body is equivalent. */
export const minHeightHeader = 'x-min-height';

/** How long a request waits for the first block after the start, in ms. */
const firstBlockWait = 2_000;

/** A picked height, with the chain as keys of answers name it ({@link answerChain}); or the error with which every read of the operation fails. */
export type Picked = PickedHeight | { readonly error: unknown };

interface PickedHeight {
  readonly height: bigint;
  readonly chain: string;
}

/** The heights that a request names, as text. */
export interface NamedHeights {
  /** The height to read at. */
  readonly height: string | undefined;
  /** The time to read at, in place of a height. */
  readonly time?: string | undefined;
  /** The minimum height to wait for, so that a client can read its own writes through any server. */
  readonly minHeight: string | undefined;
  /** The chain that the request belongs to, as `extensions.chain` of an earlier result names it. */
  readonly chain?: string | undefined;
  /** Whether the answer needs a proof, which exists once the next header is verified. Default false. */
  readonly needsProof?: boolean | undefined;
}

/**
 * Picks the height of an operation: the height that the request names, or that of the time that it names, else the newest block that this server has
 * seen. With a proof, the newest height is the newest that can be proven, and a height above it waits for the next block. `caller` is charged a point for each call that the search of a time makes. If the request names a minimum height, waits for it first, up to `request.freshness`. If it names another chain, the error is CHAIN_RESET. The signal of `life` aborts the wait and is read only if there is one. Returns a
 * promise only if it may have to wait, which never rejects: a failure (HEIGHT_NOT_YET_AVAILABLE, BAD_USER_INPUT, no node, the caller has left) becomes the error of every read.
 */
export function pickHeight(
  client: Client,
  namedHeights: NamedHeights,
  limits: Limits,
  life: { readonly signal: AbortSignal },
  caller: Pick<Caller, 'charge'>,
): Picked | Promise<Picked> {
  const newest = client.head.current();
  const isOwn = namedHeights.chain === undefined || namedHeights.chain === client.head.fingerprint();
  const isNow = namedHeights.minHeight === undefined && namedHeights.time === undefined && namedHeights.needsProof !== true;
  if (newest === undefined || !isNow || !isOwn) return pickOnceReached(client, namedHeights, limits, life, caller);
  try {
    return pickUpTo(newest.height, client, namedHeights);
  } catch (error) {
    return { error };
  }
}

/** Picks the height once the minimum height is reached, and the chain is the one that is named. */
async function pickOnceReached(
  client: Client,
  namedHeights: NamedHeights,
  limits: Limits,
  life: { readonly signal: AbortSignal },
  caller: Pick<Caller, 'charge'>,
): Promise<Picked> {
  try {
    const time = timeNamed(namedHeights);
    const minimum = namedHeights.minHeight === undefined ? undefined : heightIn(minHeightHeader, namedHeights.minHeight);
    const newest = client.head.current() ?? (await client.head.ready({ milliseconds: firstBlockWait, signal: life.signal }));
    const wait = { milliseconds: limits['request.freshness'], signal: life.signal };
    if (namedHeights.chain !== undefined && namedHeights.chain !== client.head.fingerprint())
      await checkFingerprint(client, chainIn(namedHeights.chain), wait);
    const behind = namedHeights.needsProof === true ? (client.answerProofs?.behind ?? 0n) : 0n;
    const least = (minimum ?? 1n) + behind;
    const head = newest.height >= least ? newest : await client.head.waitFor(least, wait);
    const charge = (calls: number): void => caller.charge(calls);
    const picked =
      time === undefined
        ? pickUpTo(head.height, client, namedHeights, behind)
        : { height: await client.heightAt(time, { signal: life.signal, charge }), chain: answerChain(client) };
    if (picked.height + behind > head.height) await client.head.waitFor(picked.height + behind, wait);
    return picked;
  } catch (error) {
    return { error };
  }
}

/** The time that is named; undefined if none is. A time beside a height is BAD_USER_INPUT. */
function timeNamed({ time, height }: NamedHeights): bigint | undefined {
  if (time === undefined) return undefined;
  if (height !== undefined) throw badInput(timeHeader, time, 'absent, because a height is named');
  return timeInput(timeHeader, time);
}

/** Picks the height that is named, else the one that is so many blocks behind the newest. */
function pickUpTo(newest: bigint, client: Client, { height: named }: NamedHeights, behind = 0n): PickedHeight {
  const height = named === undefined ? newest - behind : checkHeight(heightHeader, heightIn(heightHeader, named), newest);
  return { height, chain: answerChain(client) };
}

/**
 * The parameters `height` and `time` of a URL, as text. undefined if one is absent or empty, or if the height is 0, which means the latest
 * height.
 */
export function heightsOfUrl(url: string): { readonly height: string | undefined; readonly time: string | undefined } {
  if (!url.includes('height=') && !url.includes('time=')) return noHeights;
  const { searchParams } = new URL(url, 'http://localhost');
  const height = searchParams.get('height') ?? '';
  return { height: /^0{0,19}$/.test(height) ? undefined : height, time: searchParams.get('time') || undefined };
}

/**
 * `height`, `blockTime`, `minHeight` and `chain` of these extensions, as text. For a list or an object, the text is `object`: printing a deep value could overflow
 * the stack. A `height` of 0 means the newest, as in the header.
 */
export function heightsIn(extensions: Readonly<Record<string, unknown>> | null | undefined): NamedHeights {
  const height = textOf(extensions?.height);
  return {
    height: isNewest(height) ? undefined : height,
    time: textOf(extensions?.blockTime),
    minHeight: textOf(extensions?.minHeight),
    chain: textOf(extensions?.chain),
  };
}

/** A request that names no height. */
export const noHeights = { height: undefined, time: undefined, minHeight: undefined, chain: undefined } satisfies NamedHeights;

function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'object' ? typeof value : String(value);
}

/** Whether the text of a height is 0, which means the newest height, as on a node. */
export function isNewest(height: string | undefined): boolean {
  return height !== undefined && /^0{1,19}$/.test(height);
}

/**
 * The chain as keys of answers name it. The records at a height change only when the archive begins to cover other blocks before it, which its
 * generation counts.
 */
export function answerChain(client: Client): string {
  const archive = client.archive();
  return archive === undefined ? client.chainKey() : `${client.chainKey()} ${archive.generation}`;
}

function chainIn(text: string): NonNullable<ReturnType<typeof readFingerprint>> {
  const read = readFingerprint(text);
  if (read === undefined) throw badInput('extensions.chain', text, '`extensions.chain` of an earlier result');
  return read;
}

function heightIn(name: string, text: string): bigint {
  if (/^\d{1,19}$/.test(text)) return BigInt(text);
  throw badInput(name, text, 'a height in decimal');
}

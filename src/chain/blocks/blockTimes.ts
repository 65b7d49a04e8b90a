import { ChainError, isChainError } from '../base/errors.ts';
import { abortable, type Nanoseconds, parseTime, timeText } from '../base/time.ts';
import type { BlockTime, KeptPast } from '../past/keptPast.ts';
import type { Transport } from '../transports/transport.ts';
import { decodeHeader } from '../wire/block.ts';
import { arrayAt, asObject, type JsonObject, type JsonValue, malformed, objectAt } from '../wire/json.ts';
import type { Head } from './head.ts';

/** Options of a search by time. */
export interface TimeSearch {
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of calls to nodes, before they are made. */
  readonly charge?: ((calls: number) => void) | undefined;
}

/** Most headers in one response of `blockchain` (docs/chain.md, "Methods of the node RPC"). */
const rangeMax = 20n;

/** The rounds that a search is to end in. In the last one, all heights that are left are read, {@link rangeMax} with each call. */
const roundsWanted = 3;

/** Heights between the bounds that are read at once, in the first rounds and in the last: 8 and 256 calls. */
const few = 8n * rangeMax;
const most = 256n * rangeMax;

/** The number of even steps between bounds by which each round has about as many calls as the next, however irregular the times are. */
function stepsFor(between: bigint, round: number): bigint {
  const roundsLeft = Math.max(roundsWanted - round, 1);
  return BigInt(Math.ceil((Number(between) / Number(rangeMax)) ** (1 / (roundsLeft + 1))));
}

/** The distance of the first probes from the interpolated height, and the factor between further ones. */
const nearest = 8n;
const factor = 4n;

/** Rounds after which a search fails. Each leaves a small part of the heights that the one before has left. */
const maxRounds = 12;

/** Times that are kept, about 100 bytes each. Beyond that, every second one is dropped. */
const maxKept = 20_000;

/** The index of the last of these, by ascending time, that is not after `time`. -1 if all are after it. */
function lastNotAfter(times: readonly BlockTime[], time: Nanoseconds): number {
  let [low, high] = [0, times.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((times[middle]?.time ?? time) <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The height at which blocks of even intervals between two others would have this time, strictly between them. */
function interpolated(low: BlockTime, high: BlockTime, time: Nanoseconds): bigint {
  const guess = low.height + ((high.height - low.height) * (time - low.time)) / (high.time - low.time);
  if (guess <= low.height) return low.height + 1n;
  return guess >= high.height ? high.height - 1n : guess;
}

/** Heights strictly between two others: ever further from `guess`, and in even steps. */
function probesBetween(low: bigint, high: bigint, guess: bigint, even: bigint): readonly bigint[] {
  const heights = new Set([guess]);
  for (let distance = nearest; distance < high - low; distance *= factor)
    for (const height of [guess - distance, guess + distance]) heights.add(height);
  for (let step = 1n; step <= even; step += 1n) heights.add(low + ((high - low) * step) / (even + 1n));
  return [...heights].filter((height) => height > low && height < high);
}

function decodeTime(json: JsonObject): BlockTime {
  const { height, time } = decodeHeader(objectAt(json, 'header'));
  return { height, time: parseTime(time) };
}

function tooLate(time: Nanoseconds, { height, time: latest }: BlockTime): ChainError<'HEIGHT_NOT_YET_AVAILABLE'> {
  const latestTime = timeText(latest);
  const message = `There is no block after ${timeText(time)} yet. The newest is ${height}, of ${latestTime}.`;
  return new ChainError('HEIGHT_NOT_YET_AVAILABLE', message, { height: height + 1n, latestHeight: height, latestTime });
}

function tooEarly(time: Nanoseconds, { height, time: earliest }: BlockTime): ChainError<'HEIGHT_PRUNED'> {
  const earliestTime = timeText(earliest);
  const oldest = height === 1n ? 'The first block' : 'The oldest available block';
  const message = `No node has a block as early as ${timeText(time)}. ${oldest} is ${height}, of ${earliestTime}.`;
  return new ChainError('HEIGHT_PRUNED', message, { height: height - 1n, earliestHeight: height, earliestTime });
}

/** The search of blocks by time. */
export type BlockTimes = ReturnType<typeof createBlockTimes>;

/**
 * Creates the search of blocks by time. Times of blocks ascend and never change, so those that were read are kept until the chain starts again.
 * A search makes three rounds of calls over ten million heights at most, and none between neighbours that are kept. Searches are made one after
 * another, because each finds what the ones before it have read.
 */
export function createBlockTimes({
  head,
  transport,
  kept = () => undefined,
}: {
  readonly head: Pick<Head, 'current' | 'ready' | 'onRewind' | 'generation'>;
  readonly transport: Pick<Transport, 'call'>;
  /** What is looked up before a node is asked. */
  readonly kept?: (() => KeptPast | undefined) | undefined;
}) {
  /** By ascending height. */
  let blocks: BlockTime[] = [];
  let lastSearch: Promise<unknown> = Promise.resolve();

  head.onRewind(() => {
    blocks = [];
  });

  /** The index of the first block that is not below a height. */
  function placeOf(height: bigint): number {
    let [low, high] = [0, blocks.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((blocks[middle]?.height ?? height) < height) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Keeps the time of a block. If it is not between the times of the blocks around it, forgets all and throws NODE_INVALID_RESPONSE. */
  function keep(block: BlockTime): void {
    const { height, time } = block;
    const before = lastNotAfter(blocks, time);
    const [earlier, later] = [blocks[before], blocks[before + 1]];
    if (earlier?.height === height && earlier.time === time) return;
    const isAfter = earlier === undefined || (earlier.height < height && earlier.time < time);
    if (!isAfter || (later !== undefined && later.height <= height)) {
      blocks = [];
      throw malformed('a block whose time is not between those of its neighbours');
    }
    blocks.splice(before + 1, 0, block);
    if (blocks.length > maxKept) blocks = blocks.filter((_, index) => index % 2 === 0);
  }

  async function readOne(height: bigint, signal: AbortSignal | undefined): Promise<readonly BlockTime[]> {
    const decode = (json: JsonValue): BlockTime => decodeTime(asObject(json, 'header'));
    const block = await transport.call('header', { height: height.toString() }, { height, signal, decode });
    if (block.height !== height) throw malformed(`header ${block.height} instead of ${height}`);
    return [block];
  }

  /** Reads the times of these blocks, {@link rangeMax} at most. */
  function readRange(low: bigint, high: bigint, signal: AbortSignal | undefined): Promise<readonly BlockTime[]> {
    const decode = (json: JsonValue): readonly BlockTime[] => {
      const range = arrayAt(asObject(json, 'blockchain'), 'block_metas').map((meta) => decodeTime(asObject(meta, 'meta')));
      if (range.length !== Number(high - low + 1n) || range.some(({ height }, index) => height !== high - BigInt(index)))
        throw malformed('blockchain returned blocks of another range');
      return range;
    };
    const params = { minHeight: low.toString(), maxHeight: high.toString() };
    return transport.call('blockchain', params, { height: high, signal, decode });
  }

  /** The reads of one round between two blocks. Without the lower one, `floor` is the lowest height. */
  function readsBetween(low: BlockTime | undefined, high: BlockTime, time: Nanoseconds, floor: bigint, round: number) {
    if (low === undefined) {
      const isShort = high.height - floor <= few;
      const middle = (floor + high.height) / 2n;
      const steps = stepsFor(high.height - floor, round);
      const probes = isShort ? [] : probesBetween(floor - 1n, high.height, middle, steps);
      return [...new Set([floor, ...probes])].map((height) => (signal?: AbortSignal) => readOne(height, signal));
    }
    const between = high.height - low.height - 1n;
    if (between > few && (round < roundsWanted || between > most)) {
      const guess = interpolated(low, high, time);
      const probes = probesBetween(low.height, high.height, guess, stepsFor(between, round));
      return probes.map((height) => (signal?: AbortSignal) => readOne(height, signal));
    }
    const reads: ((signal?: AbortSignal) => Promise<readonly BlockTime[]>)[] = [];
    for (let bottom = low.height + 1n; bottom < high.height; bottom += rangeMax) {
      const top = bottom + rangeMax < high.height ? bottom + rangeMax - 1n : high.height - 1n;
      reads.push((signal) => readRange(bottom, top, signal));
    }
    return reads;
  }

  /** Keeps what these reads return. Returns the lowest height that nodes have if they have pruned some of it, else `floor`. */
  async function readRound(
    reads: ReturnType<typeof readsBetween>,
    floor: bigint,
    signal: AbortSignal | undefined,
  ): Promise<bigint> {
    const generation = head.generation();
    const outcomes = await Promise.allSettled(reads.map((read) => read(signal)));
    if (generation !== head.generation()) return 1n;
    let lowest = floor;
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected') {
        const { reason } = outcome;
        if (!isChainError(reason, 'HEIGHT_PRUNED')) throw reason;
        const { height, earliestHeight = height + 1n } = reason.facts;
        if (earliestHeight > lowest) lowest = earliestHeight;
      } else for (const block of outcome.value) keep(block);
    }
    return lowest;
  }

  /** The height that the kept times give; the blocks to search between if they do not. */
  function lookUp(time: Nanoseconds) {
    const index = lastNotAfter(blocks, time);
    const [low, high] = [blocks[index], blocks[index + 1]];
    if (low !== undefined && (high === undefined || high.height === low.height + 1n)) return { height: low.height };
    return { height: undefined, low, high };
  }

  async function newestBlock(signal: AbortSignal | undefined): Promise<BlockTime> {
    const { height, time } = head.current() ?? (await head.ready(signal && { signal }));
    const block = { height, time: parseTime(time) };
    keep(block);
    return block;
  }

  async function search(time: Nanoseconds, { signal, charge }: TimeSearch): Promise<bigint> {
    let floor = 1n;
    const generation = head.generation();
    const past = (await kept()?.around(time)) ?? [];
    if (generation === head.generation()) for (const block of past) keep(block);
    for (let round = 1; round <= maxRounds; round += 1) {
      signal?.throwIfAborted();
      const newest = await newestBlock(signal);
      if (time > newest.time) throw tooLate(time, newest);
      const { height, low, high = newest } = lookUp(time);
      if (height !== undefined) return height;
      if (low === undefined && high.height <= floor) throw tooEarly(time, high);
      const reads = readsBetween(low, high, time, floor, round);
      charge?.(reads.length);
      floor = await readRound(reads, floor, signal);
    }
    throw malformed('blocks whose times do not ascend');
  }

  return {
    /**
     * The height of the last block whose time is not after `time`. Rejects with HEIGHT_NOT_YET_AVAILABLE if `time` is after that of the newest block,
     * and with HEIGHT_PRUNED if it is before that of the oldest block that nodes have. Both errors have the time of that block.
     */
    async heightAt(time: Nanoseconds, options: TimeSearch = {}): Promise<bigint> {
      const { height } = lookUp(time);
      // The newest block that is kept may have a successor that is not.
      if (height !== undefined && height !== blocks.at(-1)?.height) return height;
      const mine = lastSearch.then(() => search(time, options));
      lastSearch = mine.catch(() => undefined);
      return abortable(mine, options.signal);
    },
    /** The time of the block at a height. Rejects with HEIGHT_PRUNED if no node has it. */
    async timeOf(height: bigint, signal?: AbortSignal): Promise<Nanoseconds> {
      const keptBlock = blocks[placeOf(height)];
      if (keptBlock?.height === height) return keptBlock.time;
      const generation = head.generation();
      const keptTime = await kept()?.timeOf(height);
      if (keptTime !== undefined) {
        if (generation === head.generation()) keep({ height, time: keptTime });
        return keptTime;
      }
      for (const block of await readOne(height, signal)) {
        if (generation === head.generation()) keep(block);
        if (block.height === height) return block.time;
      }
      throw malformed('no time of a block');
    },
  };
}

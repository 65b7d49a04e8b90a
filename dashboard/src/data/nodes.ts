import { computed, signal } from '@preact/signals';
import { NodesDocument, type NodesQuery } from '../gen/graphql.ts';
import { newest } from './shown.ts';
import { noteRead, outage, stele } from './stele.ts';

/** A node of the server, as it is now. */
export type UpstreamNode = NodesQuery['nodes'][number];

/** The nodes of the server; undefined until they were read. */
export const nodes = signal<readonly UpstreamNode[] | undefined>(undefined);

/** The heights that the archive covers, ascending. null if the server has no archive; undefined until it was asked. */
export const archive = signal<NodesQuery['archive'] | undefined>(undefined);

/** Whether no block has arrived for longer than blocks take. */
export const isStalled = signal(false);

/** The oldest block that a node still has; undefined until the nodes were read. */
export const earliest = computed(() => {
  const heights = (nodes.value ?? []).flatMap(({ earliestHeight }) =>
    earliestHeight === null ? [] : [BigInt(earliestHeight)],
  );
  return heights.length === 0 ? undefined : heights.reduce((one, other) => (other < one ? other : one));
});

/** The oldest block that the archive covers; undefined without an archive, and until it was asked. */
export const earliestRecorded = computed(() => {
  const [first] = archive.value?.coverage ?? [];
  return first === undefined ? undefined : BigInt(first.from);
});

/** A chain is late after so many of its own block times, and not before this time, in ms. */
const [lateBlocks, leastLate] = [4, 4_000];

/** The nodes are read at most once in this time while blocks arrive, and each time it has passed while they do not, in ms. */
const readInterval = 3_000;

/** A read of the nodes that takes longer has failed: the network may drop what is sent. In ms. */
const longestRead = 5_000;

let lastTime: number | undefined;
let blockTime = 0;
let lastRead = 0;
let timer: ReturnType<typeof setTimeout> | undefined;

/** Reads the nodes and the coverage of the archive. Keeps what is known if the server cannot be reached. */
export async function readNodes(): Promise<void> {
  lastRead = Date.now();
  try {
    const { data } = await stele.query(NodesDocument, {}, { signal: AbortSignal.timeout(longestRead) });
    noteRead();
    nodes.value = data.nodes;
    archive.value = data.archive;
  } catch (error) {
    noteRead(error);
  }
}

/** Notes that a block has arrived, with its time. */
export function headArrived(time: string | undefined): void {
  const at = time === undefined ? undefined : Date.parse(time);
  if (at !== undefined && lastTime !== undefined && at > lastTime) blockTime = at - lastTime;
  lastTime = at;
  const wasStalled = isStalled.value;
  waitForBlock();
  if (wasStalled || Date.now() - lastRead >= readInterval) void readNodes();
}

function waitForBlock(): void {
  isStalled.value = false;
  clearTimeout(timer);
  timer = setTimeout(late, Math.max(leastLate, lateBlocks * blockTime));
}

// While the server was not reached, no block could arrive. That says nothing about the chain.
outage.subscribe((now) => {
  if (now === undefined && timer !== undefined) waitForBlock();
});

// Any answer can show that the chain made a block.
newest.subscribe(() => {
  if (timer !== undefined) waitForBlock();
});

/** Reads the nodes until a block arrives. The page says that none arrives when it knows why. */
async function late(): Promise<void> {
  const mine = timer;
  await readNodes();
  if (timer !== mine) return;
  isStalled.value = true;
  timer = setTimeout(late, readInterval);
}

/** Stops waiting for blocks: the page shows a height of the past. */
export function stopWaiting(): void {
  clearTimeout(timer);
  timer = undefined;
  isStalled.value = false;
}

import type { Profiler, Runtime } from 'node:inspector';
import { areaOf, type SourceFunction } from './areas.ts';

/** A part of the busy time of a profile. */
export interface Part {
  readonly name: string;
  /** Self time in ms. */
  readonly ms: number;
  /** Self time, of the busy time: 0 to 1. */
  readonly share: number;
}

/** A function of a profile with its part of the time. */
export interface HeavyFunction extends Part {
  /** Its file and line, such as `src/chain/wire/json.ts:12`. Empty for native functions. */
  readonly at: string;
}

/** The result of {@link summarize}, the largest first. */
export interface Summary {
  /** Time in which the process was not idle, in ms. */
  readonly busy: number;
  readonly areas: readonly Part[];
  readonly functions: readonly HeavyFunction[];
}

/** Returns the self time of each node in ms, by its id: the time from each of its samples to the next sample. */
function selfTimes({ samples = [], timeDeltas = [] }: Profiler.Profile): ReadonlyMap<number, number> {
  const times = new Map<number, number>();
  for (const [index, id] of samples.entries())
    times.set(id, (times.get(id) ?? 0) + Math.max(0, timeDeltas[index + 1] ?? 0) / 1000);
  return times;
}

function add(times: Map<string, number>, key: string, ms: number): void {
  times.set(key, (times.get(key) ?? 0) + ms);
}

/**
 * Adds up the self time of a profile by area and by function. `locate` returns the position of a call frame in the sources. Idle
 * time is left out. The time of a native function counts for the area of the function that called it.
 */
export function summarize(profile: Profiler.Profile, locate: (frame: Runtime.CallFrame) => SourceFunction): Summary {
  const times = selfTimes(profile);
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const areas = new Map<string, number>();
  const functions = new Map<string, number>();
  let busy = 0;

  function visit(node: Profiler.ProfileNode, above: string): void {
    const found = locate(node.callFrame);
    const area = areaOf(found) ?? above;
    const ms = times.get(node.id) ?? 0;
    if (ms > 0 && found.name !== '(idle)') {
      busy += ms;
      add(areas, area, ms);
      add(functions, JSON.stringify([found.name || '(anonymous)', found.path === '' ? '' : `${found.path}:${found.line}`]), ms);
    }
    for (const id of node.children ?? []) {
      const child = nodes.get(id);
      if (child !== undefined) visit(child, area);
    }
  }

  const [root] = profile.nodes;
  if (root !== undefined) visit(root, 'native code outside of JavaScript');
  const parts = (all: ReadonlyMap<string, number>): Part[] =>
    [...all].map(([name, ms]) => ({ name, ms, share: ms / busy })).toSorted((a, b) => b.ms - a.ms);
  return {
    busy,
    areas: parts(areas),
    functions: parts(functions).map(({ name: key, ...part }) => {
      const [name, at]: [string, string] = JSON.parse(key);
      return { ...part, name, at };
    }),
  };
}

/** Returns the tables of a summary as lines: the areas of at least half a percent, and as many functions as asked for. */
export function summaryLines({ areas, functions }: Summary, count: number): readonly string[] {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`.padStart(7);
  const large = areas.filter(({ share }) => share >= 0.005);
  const rest = 1 - large.reduce((sum, { share }) => sum + share, 0);
  return [
    'Self time by area',
    ...large.map(({ name, share }) => `${percent(share)}  ${name}`),
    ...(rest >= 0.0005 ? [`${percent(rest)}  all others`] : []),
    '',
    `The ${Math.min(count, functions.length)} functions with the most self time`,
    ...functions.slice(0, count).map(({ name, at, share }) => `${percent(share)}  ${name}${at && `  ${at}`}`),
  ];
}

import { readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { fileURLToPath } from 'node:url';
import type { Command } from '../child.ts';
import { createLocator } from '../profile/locate.ts';

/** The bundle that runs is outside of the project, which npm makes the working directory. */
const root = process.cwd();

/** What a journey entered: the own files below `src`, without generated code, and the functions in them. */
export interface Entered {
  readonly files: readonly string[];
  /** The functions that were called at least once, as `path:line name`. The bodies of modules are left out. */
  readonly functions: readonly string[];
}

/** Whether a path from the root of the project is code of our own that is not generated. */
function isOwn(path: string): boolean {
  return path.startsWith('src/') && !path.startsWith('src/proto/') && !path.includes('/gen/');
}

/** The line and column of an offset in a text, both from 0. `starts` are the offsets of its lines. */
function positionOf(starts: readonly number[], offset: number): { readonly lineNumber: number; readonly columnNumber: number } {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { lineNumber: low, columnNumber: offset - (starts[low] ?? 0) };
}

function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', end + 1)) starts.push(end + 1);
  return starts;
}

const session = new Session();
const locate = createLocator(root);
const starts = new Map<string, readonly number[]>();

/** What was entered since the last call. */
async function entered(): Promise<Entered> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const functions: string[] = [];
  for (const { url, functions: all } of result) {
    if (!url.startsWith('file:')) continue;
    const file = fileURLToPath(url);
    const lines = starts.get(file) ?? lineStarts(readFileSync(file, 'utf8'));
    starts.set(file, lines);
    for (const { functionName, ranges } of all) {
      const [range] = ranges;
      // The body of a module is a function without a name that begins with the file.
      if (range === undefined || range.count === 0 || (functionName === '' && range.startOffset === 0)) continue;
      const { path, line } = locate({ functionName, scriptId: '', url, ...positionOf(lines, range.startOffset) });
      if (isOwn(path)) functions.push(`${path}:${line} ${functionName}`);
    }
  }
  return { files: [...new Set(functions.map((name) => name.slice(0, name.indexOf(':'))))].sort(), functions: functions.sort() };
}

/** The commands of a child whose functions are counted by V8's precise coverage. */
export const coverage: Readonly<Record<string, Command>> = {
  /** Starts to count. */
  async startCoverage() {
    session.connect();
    await session.post('Profiler.enable');
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
    return 0;
  },
  /** Forgets what was entered so far. */
  async resetCoverage() {
    await session.post('Profiler.takePreciseCoverage');
    return 0;
  },
  /** Writes what was entered since then, an {@link Entered}, to the file that is the argument. Returns the number of functions. */
  async takeCoverage(file) {
    const result = await entered();
    writeFileSync(String(file), JSON.stringify(result));
    return result.functions.length;
  },
};

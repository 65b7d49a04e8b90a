import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundle, linkLibraries } from '../scripts/bundle.js';

/** A part of a benchmark in its own process, so that its CPU time and memory can be measured. */
export interface Child {
  /** Its URL. Empty if it does not listen. */
  readonly url: string;
  /** Returns its resource usage and counters so far. */
  measure(): Promise<Measure>;
  /** Returns the resident memory in bytes after garbage collections, of a process that is quiet. Takes 17 s. */
  memory(): Promise<number>;
  /** Runs one of its commands and returns the result. */
  run(command: string, argument?: unknown): Promise<number>;
  stop(): Promise<void>;
}

/** CPU time of a child so far in microseconds, and its counters. */
export interface Measure {
  readonly cpu: number;
  readonly calls: number;
  readonly batches: number;
  /** Counters by name, such as the calls by kind. Empty for children without such counters. */
  readonly kinds: Readonly<Record<string, number>>;
}

/** A request to a child. The response has the same id. */
interface Question {
  readonly id: number;
  readonly command: string;
  readonly argument?: unknown;
}

/** A command of a child. Its result is a number, usually a time of the shared clock in ms. */
export type Command = (argument: unknown) => number | Promise<number>;

const built = mkdtempSync(join(tmpdir(), 'stele-bench-'));
process.once('exit', () => rmSync(built, { recursive: true, force: true }));

/** Runs the output of the build, because a source loader adds code that keeps function names. */
export async function buildOf(name: string, source = `./${name}.ts`): Promise<string> {
  const file = join(built, `${name}.js`);
  if (!existsSync(file)) await bundle({ [name]: fileURLToPath(new URL(source, import.meta.url)) }, built);
  linkLibraries(built);
  return file;
}

/** Starts `bench/<name>.ts` in its own process, which sends its URL when it is ready. It has these variables in its environment, beside ours. */
export async function startChild(
  name: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  return connect(name, await buildOf(name), args, { nodeArgs: [], env });
}

/** Starts a program outside the build, which sends its URL when it is ready. It is measured without a change to its code. */
export async function startProgram(file: string, args: readonly string[]): Promise<Child> {
  return connect(file, file, args, { nodeArgs: ['--import', pathToFileURL(await buildOf('measured')).href], env: {} });
}

async function connect(
  name: string,
  file: string,
  args: readonly string[],
  { nodeArgs, env }: { readonly nodeArgs: readonly string[]; readonly env: Readonly<Record<string, string>> },
): Promise<Child> {
  const child = fork(file, [...args], {
    execArgv: ['--expose-gc', ...nodeArgs],
    env: { ...process.env, NODE_ENV: 'production', ...env },
  });
  // The children send messages of these types.
  const ready = await new Promise<{ readonly url: string }>((resolve, reject) => {
    child.once('message', resolve);
    child.once('exit', (code) => reject(new Error(`${name} has stopped with exit code ${code}`)));
  });
  const answers = new Map<number, (answer: never) => void>();
  child.on('message', ({ id, answer }: { id: number; answer: never }) => {
    answers.get(id)?.(answer);
    answers.delete(id);
  });
  let asked = 0;
  const ask = <T>(command: string, argument?: unknown): Promise<T> =>
    new Promise((resolve, reject) => {
      const id = ++asked;
      answers.set(id, resolve);
      child.once('exit', () => reject(new Error(`${name} has stopped`)));
      child.setMaxListeners(0);
      child.send({ id, command, argument } satisfies Question);
    });
  return {
    url: ready.url,
    measure: () => ask('measure'),
    memory: () => ask('memory'),
    run: (command, argument) => ask('run', [command, argument]),
    async stop() {
      // Some programs wait for their connections on SIGTERM, and the one to this process stays open.
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
    },
  };
}

/** Returns the time of the clock that all processes share, in ms. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/**
 * V8 compacts the heap of a quiet process after eight seconds, and returns the free pages. Before that, a flood of new
 * connections has left up to ten kilobytes of free memory for each.
 */
const quietTime = 14_000;

/** Called by a child when it is ready. `count` is called at each measurement. `commands` are its commands. */
export function tellParent(
  url: string,
  count: () => Omit<Measure, 'cpu' | 'kinds'> & Partial<Pick<Measure, 'kinds'>>,
  commands: Readonly<Record<string, Command>> = {},
): void {
  answerParent(count, commands);
  process.send?.({ url });
}

/** Answers the requests of the parent process from now on. */
export function answerParent(
  count: () => { readonly calls: number; readonly batches: number },
  commands: Readonly<Record<string, Command>> = {},
): void {
  async function answer({ command, argument }: Question): Promise<unknown> {
    if (command === 'measure') {
      const { user, system } = process.cpuUsage();
      return { cpu: user + system, kinds: {}, ...count() } satisfies Measure;
    }
    if (command === 'memory') {
      // One garbage collection releases few pages, so several are needed to measure the memory in use.
      for (let time = 0; time < 12; time += 1) {
        globalThis.gc?.();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      await new Promise((resolve) => setTimeout(resolve, quietTime));
      return process.memoryUsage.rss();
    }
    const [name, of] = Array.isArray(argument) ? argument : [];
    const known = commands[String(name)];
    if (known === undefined) throw new Error(`unknown command ${name}`);
    return known(of);
  }
  process.once('disconnect', () => process.exit());
  process.on('message', async (question: Question) => {
    process.send?.({ id: question.id, answer: await answer(question) });
  });
}

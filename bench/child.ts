import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundle } from '../scripts/bundle.js';

/** A part of a bench in a process of its own, so that its CPU time and its memory are its own. */
export interface Child {
  /** Where it listens; empty when it does not. */
  readonly url: string;
  /** What it has used and counted so far. */
  measure(): Promise<Measure>;
  /** Resident memory when collections have passed, bytes. */
  memory(): Promise<number>;
  /** Has one of its commands done: what it answers. */
  run(command: string, argument?: unknown): Promise<number>;
  stop(): Promise<void>;
}

/** CPU time that a child has used so far, in microseconds, and what else it counts. */
export interface Measure {
  readonly cpu: number;
  readonly calls: number;
  readonly batches: number;
}

/** What a child is asked; the answer carries the same id. */
interface Question {
  readonly id: number;
  readonly command: string;
  readonly argument?: unknown;
}

/** A command of a child. Its answer is a number: most often a time of the clock that all processes share, ms. */
export type Command = (argument: unknown) => number | Promise<number>;

const built = mkdtempSync(join(tmpdir(), 'stele-bench-'));
process.once('exit', () => rmSync(built, { recursive: true, force: true }));

/** What runs is what `npm run build` would make of it: a loader of sources gives every function a name of its own to keep. */
export async function buildOf(name: string, source = `./${name}.ts`): Promise<string> {
  const file = join(built, `${name}.js`);
  if (!existsSync(file)) await bundle({ [name]: fileURLToPath(new URL(source, import.meta.url)) }, built);
  return file;
}

/** Starts `bench/<name>.ts` in a process of its own; it tells its URL when it is ready. */
export async function startChild(name: string, args: readonly string[] = []): Promise<Child> {
  const child = fork(await buildOf(name), [...args], {
    execArgv: ['--expose-gc'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  // Children are our own: what they send is what this file says.
  const [ready]: { readonly url: string }[] = await once(child, 'message');
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
    url: ready?.url ?? '',
    measure: () => ask('measure'),
    memory: () => ask('memory'),
    run: (command, argument) => ask('run', [command, argument]),
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

/** The clock that all processes of a machine share, ms. */
export function now(): number {
  return Number(process.hrtime.bigint() / 1_000n) / 1_000;
}

/** Called by a child once it is ready. `count` is asked at each measure; `commands` are what it can be told to do. */
export function tellParent(
  url: string,
  count: () => { readonly calls: number; readonly batches: number },
  commands: Readonly<Record<string, Command>> = {},
): void {
  async function answer({ command, argument }: Question): Promise<unknown> {
    if (command === 'measure') {
      const { user, system } = process.cpuUsage();
      return { cpu: user + system, ...count() } satisfies Measure;
    }
    if (command === 'memory') {
      // A collection gives back the memory of few pages: what is in use is seen when several have passed.
      for (let time = 0; time < 12; time += 1) {
        globalThis.gc?.();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return process.memoryUsage.rss();
    }
    const [name, of] = Array.isArray(argument) ? argument : [];
    const known = commands[String(name)];
    if (known === undefined) throw new Error(`no command ${name}`);
    return known(of);
  }
  process.once('disconnect', () => process.exit());
  process.on('message', async (question: Question) => {
    process.send?.({ id: question.id, answer: await answer(question) });
  });
  process.send?.({ url });
}

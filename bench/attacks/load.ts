import { fork } from 'node:child_process';
import { once, setMaxListeners } from 'node:events';
import { setPriority } from 'node:os';
import { isLoopback } from '../../src/config/network.ts';
import { buildOf } from '../child.ts';

/** The target of a load. */
export interface LoadTarget {
  readonly url: string;
  /** Empty for requests without a token. */
  readonly token: string;
  /** The addresses of this machine that the requests come from in turn. By default the one that the system chooses. */
  readonly addresses?: readonly string[];
  /** Name of the attack. Empty for the honest client. */
  readonly attack: string;
  readonly connections: number;
  /** Its priority, as of `nice`: the load gets what the others leave of the processors. Default 0. */
  readonly nice?: number;
}

/** A load in its own process. */
export interface Load<T> {
  /** Stops it and returns its results. undefined if its process died. */
  stop(): Promise<T | undefined>;
}

/** How long a load may take to stop, in ms. */
const ending = 30_000;

/** Starts `bench/attacks/<name>.ts`. Only a server on this machine is loaded. */
export async function startLoad<T>(name: string, target: LoadTarget): Promise<Load<T>> {
  if (!isLoopback(new URL(target.url).hostname)) throw new Error('only a server on this machine can be attacked');
  const child = fork(await buildOf(name, `./attacks/${name}.ts`), [JSON.stringify(target)], { stdio: 'inherit' });
  // The children run files of this folder, so the types of their messages are known.
  const result = new Promise<T | undefined>((resolve) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', () => resolve(undefined));
  });
  return {
    async stop() {
      if (child.connected) child.send('stop');
      const timer = setTimeout(() => child.kill('SIGKILL'), ending);
      const seen = await result;
      clearTimeout(timer);
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await once(child, 'exit');
      return seen;
    },
  };
}

/** Runs a load in this process until its parent stops it, and sends its results to the parent. */
export function serveLoad<T>(run: (target: LoadTarget, signal: AbortSignal) => Promise<T>): void {
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  process.once('message', () => stopping.abort());
  process.once('disconnect', () => process.exit());
  const target = JSON.parse(process.argv[2] ?? '') as LoadTarget;
  setPriority(target.nice ?? 0);
  // A broken connection must not stop the load.
  process.on('uncaughtException', (error) => console.error('load:', error.message));
  void run(target, stopping.signal).then((seen) => process.send?.(seen));
}

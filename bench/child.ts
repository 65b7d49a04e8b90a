import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A part of a bench in a process of its own, so that its CPU time is its own. */
export interface Child {
  readonly url: string;
  /** CPU time used so far, in microseconds, and what else the child counts. */
  measure(): Promise<Measure>;
  stop(): Promise<void>;
}

/** What a child has used and counted so far. */
export interface Measure {
  readonly cpu: number;
  readonly calls: number;
  readonly batches: number;
}

/** Starts `bench/<name>.ts` in a process of its own; it tells its URL when it listens. */
export async function startChild(name: string, args: readonly string[] = []): Promise<Child> {
  const child = fork(new URL(`./${name}.ts`, import.meta.url), [...args], {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  const [ready]: [{ readonly url: string }] = await nextMessage(child);
  return {
    url: ready.url,
    async measure() {
      child.send('measure');
      const [measure]: [Measure] = await nextMessage(child);
      return measure;
    },
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  };
}

// Children are our own: what they send is what this file says.
async function nextMessage<T>(child: ReturnType<typeof fork>): Promise<[T]> {
  const [message] = await once(child, 'message');
  return [message];
}

/** Called by a child once it listens. `count` is asked at each measure. */
export function tellParent(url: string, count: () => { readonly calls: number; readonly batches: number }): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu: user + system, ...count() } satisfies Measure);
  });
  process.send?.({ url });
}

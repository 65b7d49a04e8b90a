import type { LoadTarget } from './load.ts';

/** An attack by a client with a valid token. The harness runs it next to an honest client. */
export interface Attack {
  readonly name: string;
  readonly description: string;
  /** Runs at full speed over a number of connections until the signal aborts. Resolves to the number of requests sent. */
  run(
    target: Pick<LoadTarget, 'url' | 'token' | 'addresses'>,
    options: { readonly connections: number; readonly signal: AbortSignal },
  ): Promise<{ readonly requests: number }>;
}

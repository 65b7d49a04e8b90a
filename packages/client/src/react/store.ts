import type { Client } from '../client.ts';
import type { SteleError } from '../errors.ts';
import type { Result } from '../result.ts';

/** What a component shows of a query. */
export interface Reading<Data> {
  /** undefined until the first result has arrived. */
  readonly data: Data | undefined;
  /** The errors of fields that are null in `data`. undefined if there are none. */
  readonly errors: readonly SteleError[] | undefined;
  /** The height at which everything in `data` was read. */
  readonly height: string | undefined;
  /** Why the query failed: the last data stays. undefined if it did not. */
  readonly error: Error | undefined;
  /** Whether a result is awaited. */
  readonly isLoading: boolean;
}

/** A query that components share. */
export interface Store<Data> {
  reading(): Reading<Data>;
  /** Reads, for as long as it has listeners. */
  subscribe(listener: () => void): () => void;
  /** Resolves when it has a result, or has failed. Starts reading. */
  first(): Promise<void>;
  /** Reads again. */
  refetch(): void;
}

/** The reading before the first result. */
export const loading: Reading<never> = {
  data: undefined,
  errors: undefined,
  height: undefined,
  error: undefined,
  isLoading: true,
};

/** How long a query without components is kept, in ms: React mounts components twice in development, and after a suspense only later. */
const linger = 5_000;

/** The reading of a result. */
export function readingOf<Data>({ data, errors, height }: Result<Data>): Reading<Data> {
  return { data, errors, height, error: undefined, isLoading: false };
}

function createStore<Data>(open: (signal: AbortSignal) => AsyncIterable<Result<Data>>, onEnd: () => void): Store<Data> {
  const listeners = new Set<() => void>();
  let reading: Reading<Data> = loading;
  let controller: AbortController | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let resolve = (): void => undefined;
  const first = new Promise<void>((settle) => {
    resolve = settle;
  });

  function publish(next: Reading<Data>): void {
    reading = next;
    for (const listener of listeners) listener();
    if (!next.isLoading) resolve();
  }

  async function read(signal: AbortSignal): Promise<void> {
    try {
      for await (const result of open(signal)) if (!signal.aborted) publish(readingOf(result));
    } catch (error) {
      if (signal.aborted) return;
      publish({ ...reading, error: error instanceof Error ? error : new Error(String(error)), isLoading: false });
    }
  }

  function start(): void {
    controller = new AbortController();
    void read(controller.signal);
  }

  function keep(): void {
    clearTimeout(timer);
    if (listeners.size > 0) return;
    timer = setTimeout(() => {
      controller?.abort();
      onEnd();
    }, linger);
  }

  return {
    reading: () => reading,
    subscribe(listener) {
      listeners.add(listener);
      keep();
      if (controller === undefined) start();
      return () => {
        listeners.delete(listener);
        keep();
      };
    },
    first() {
      if (controller === undefined) start();
      keep();
      return first;
    },
    refetch() {
      controller?.abort();
      publish({ ...reading, isLoading: true });
      start();
    },
  };
}

/** A key of equal values: JSON, with integers and dates as text. */
export function keyOf(...values: readonly unknown[]): string {
  return JSON.stringify(values, (_name, value) => (typeof value === 'bigint' ? value.toString() : value));
}

/** The queries of each client, by their keys. */
const stores = new WeakMap<Client, Map<string, Store<unknown>>>();

/** The store of a query. Components with the same key share it. */
export function storeOf<Data>(
  client: Client,
  key: string,
  open: (signal: AbortSignal) => AsyncIterable<Result<Data>>,
): Store<Data> {
  const ofClient = stores.get(client) ?? new Map<string, Store<unknown>>();
  stores.set(client, ofClient);
  // The key has the document, from which the type follows.
  const sharedStore = ofClient.get(key) as Store<Data> | undefined;
  if (sharedStore !== undefined) return sharedStore;
  const store = createStore(open, () => ofClient.delete(key));
  ofClient.set(key, store);
  return store;
}

import { use, useMemo, useSyncExternalStore } from 'react';
import type { Client, QueryOptions } from '../client.ts';
import type { RestOf, TypedDocument } from '../documents.ts';
import type { Result } from '../result.ts';
import { useStele } from './context.ts';
import { keyOf, loading, type Reading, readingOf, type Store, storeOf } from './store.ts';

/** Options of a query in a component. */
export interface QueryHookOptions<Data> extends Omit<QueryOptions, 'signal' | 'verify'> {
  /** A result that a server has read, for the first render. It is shown until the first result of this client arrives. */
  readonly initial?: Result<Data> | undefined;
}

/** Options of a live query in a component. */
export type LiveHookOptions<Data> = Pick<QueryHookOptions<Data>, 'initial'>;

/** A query in a component. */
export interface QueryReading<Data> extends Reading<Data> {
  /** Reads again. The data stays until the new result arrives. */
  refetch(): void;
}

type OneQuery<Data> = (client: Client, signal: AbortSignal) => AsyncIterable<Result<Data>>;

function useReading<Data>(store: Store<Data>, initial: Result<Data> | undefined): Reading<Data> {
  const seed: Reading<Data> = useMemo(() => (initial === undefined ? loading : readingOf(initial)), [initial]);
  const reading = useSyncExternalStore(store.subscribe, store.reading, () => seed);
  return reading === loading ? seed : reading;
}

function useStore<Data>(key: string, open: OneQuery<Data>): Store<Data> {
  const client = useStele();
  return storeOf(client, key, (signal) => open(client, signal));
}

function queryOf<Data, Variables>(
  document: TypedDocument<Data, Variables>,
  variables: Variables | undefined,
  options: Omit<QueryOptions, 'signal'>,
): [key: string, open: OneQuery<Data>] {
  const text = String(document);
  return [
    keyOf('query', text, variables, options),
    async function* (client, signal) {
      yield await client.query<Data, unknown>(text, variables, { ...options, signal });
    },
  ];
}

/** A query. Components that ask for the same share one request. */
export function useQuery<Data = unknown, Variables = unknown>(
  document: TypedDocument<Data, Variables>,
  ...[variables, { initial, ...options } = {}]: RestOf<Variables, QueryHookOptions<Data>>
): QueryReading<Data> {
  const store = useStore(...queryOf(document, variables, options));
  return { ...useReading(store, initial), refetch: store.refetch };
}

/** A query that suspends the component until it has a result. Throws to the nearest error boundary if it fails. */
export function useSuspenseQuery<Data = unknown, Variables = unknown>(
  document: TypedDocument<Data, Variables>,
  ...[variables, options = {}]: RestOf<Variables, Omit<QueryHookOptions<Data>, 'initial'>>
): Result<Data> & Pick<QueryReading<Data>, 'refetch'> {
  const store = useStore(...queryOf(document, variables, options));
  const reading = useSyncExternalStore(store.subscribe, store.reading, store.reading);
  use(store.first());
  const { data, errors, height, error } = reading === loading ? store.reading() : reading;
  if (data === undefined) throw error ?? new Error('The query has no result.');
  return { data, errors, height, refetch: store.refetch };
}

/**
 * A query with the directive `@live`: its result now, and after each block that changes it. Components that ask for the same share one stream. The parts
 * that did not change are the same objects as before.
 */
export function useLive<Data = unknown, Variables = unknown>(
  document: TypedDocument<Data, Variables>,
  ...[variables, { initial } = {}]: RestOf<Variables, LiveHookOptions<Data>>
): Reading<Data> {
  const text = String(document);
  const open: OneQuery<Data> = (client, signal) => client.live<Data, unknown>(text, variables, { signal });
  return useReading(useStore(keyOf('live', text, variables), open), initial);
}

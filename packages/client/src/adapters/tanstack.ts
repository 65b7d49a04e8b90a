import { type QueryFunction, experimental_streamedQuery as streamedQuery } from '@tanstack/query-core';
import type { Client, QueryOptions } from '../client.ts';
import type { RestOf, TypedDocument } from '../documents.ts';
import type { Result } from '../result.ts';

/** Options of a query of TanStack Query. */
export interface SteleQuery<Data> {
  readonly queryKey: readonly unknown[];
  readonly queryFn: QueryFunction<Result<Data>>;
}

function keyOf(document: unknown, ...rest: readonly unknown[]): readonly unknown[] {
  return ['stele', String(document), ...rest.map((each) => JSON.parse(JSON.stringify(each ?? null, bigintAsText)))];
}

/** Query keys are JSON, which has no bigint. */
function bigintAsText(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}

/** The options of a query: `useQuery(steleQuery(client, document, variables))`. It fails if a field has an error. */
export function steleQuery<Data = unknown, Variables = unknown>(
  client: Client,
  document: TypedDocument<Data, Variables>,
  ...[variables, options]: RestOf<Variables, Omit<QueryOptions, 'signal'>>
): SteleQuery<Data> {
  return {
    queryKey: keyOf(document, variables, options),
    async queryFn({ signal }) {
      const result = await client.query<Data, unknown>(String(document), variables, { ...options, signal });
      const [error] = result.errors ?? [];
      if (error !== undefined) throw error;
      return result;
    },
  };
}

/** The options of a query with the directive `@live`. Its data is the newest result, for as long as it is observed. */
export function steleLiveQuery<Data = unknown, Variables = unknown>(
  client: Client,
  document: TypedDocument<Data, Variables>,
  ...[variables]: RestOf<Variables, never>
): SteleQuery<Data | null> {
  return {
    queryKey: keyOf(document, variables),
    queryFn: streamedQuery<Result<Data>, Result<Data | null>>({
      streamFn: ({ signal }) => client.live<Data, unknown>(String(document), variables, { signal }),
      reducer: (_, newest) => newest,
      initialValue: { data: null, errors: [], height: undefined },
    }),
  };
}

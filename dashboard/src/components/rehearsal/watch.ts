import { SteleError, type TypedDocument } from '@stele/client';
import { useEffect, useState } from 'preact/hooks';
import { stele } from '../../data/stele.ts';
import { wouldFail } from '../../data/wouldFail.ts';
import { BoardRehearsalsDocument } from './gen/graphql.ts';

/** How long after a failure a live read begins again, in ms. */
const retryAfter = 3_000;

/** Reads a live document until `signal` is aborted, and begins again after a failure. */
async function follow<T, V>(
  document: TypedDocument<T, V>,
  variables: V,
  signal: AbortSignal,
  take: (data: T, isWhole: boolean) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { data, errors = [] } of stele.live(document, variables, { signal }))
        if (Object(data) === data) take(data, errors.length === 0);
    } catch (error) {
      if (!(error instanceof SteleError) && !signal.aborted) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, signal.aborted ? 0 : retryAfter));
  }
}

/** The newest data of a live document; undefined until it has arrived. With `onlyWhole`, data of which a part could not be read is left out. */
export function useLive<T, V>(document: TypedDocument<T, V>, variables: V, onlyWhole = false): T | undefined {
  const [data, setData] = useState<T | undefined>(undefined);
  useEffect(() => {
    const leaving = new AbortController();
    void follow(document, variables, leaving.signal, (next, isWhole) => {
      if (isWhole || !onlyWhole) setData(next);
    });
    return () => leaving.abort();
  }, [JSON.stringify(variables)]);
  return data;
}

/** Marks the proposals of a board that would fail, until `signal` is aborted. */
export function watchBoard(policy: string, signal: AbortSignal): void {
  void follow(BoardRehearsalsDocument, { policy }, signal, ({ groupPolicy }) => {
    const failing = (groupPolicy?.proposals?.nodes ?? []).flatMap(({ id, rehearsal }): [string, string][] =>
      rehearsal?.outcome === 'FAILS' ? [[id, rehearsal.reason ?? '']] : [],
    );
    wouldFail.value = new Map(failing);
  });
}

import { SteleError, type TypedDocument } from '@stele/client';
import { useEffect, useState } from 'preact/hooks';
import { stele } from './stele.ts';

/** The state of a read. */
export interface ReadState<T> {
  readonly data?: T;
  readonly partial: readonly SteleError[];
  readonly failure?: SteleError;
}

/**
 * Reads a document at the height at which the data of the page last changed, and again when that height changes. For searches,
 * which cannot be live. Nothing is read while `height` is undefined.
 */
export function useRead<T, V>(document: TypedDocument<T, V>, variables: V, height: bigint | undefined): ReadState<T> {
  const [state, setState] = useState<ReadState<T>>({ partial: [] });
  const key = JSON.stringify([variables, height?.toString()]);

  useEffect(() => {
    if (height === undefined) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    stele.query(document, variables, { height, signal }).then(
      ({ data, errors }) => !signal.aborted && setState({ data, partial: errors }),
      (failure: unknown) => !signal.aborted && failure instanceof SteleError && setState((before) => ({ ...before, failure })),
    );
    return () => leaving.abort();
  }, [key]);

  return state;
}

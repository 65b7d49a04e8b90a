import { SteleError, type TypedDocument } from '@stele/client';
import { useEffect, useState } from 'preact/hooks';
import { isLasting } from './failures.ts';
import { stele } from './stele.ts';

/** The state of a read. */
export interface ReadState<T> {
  readonly data?: T;
  /** The height that the data was read at. */
  readonly height?: bigint | undefined;
  readonly partial: readonly SteleError[];
  readonly failure?: SteleError;
}

/** A read with a failure that passes is repeated after this time, in ms. */
const retryAfter = 3_000;

/**
 * Reads a document at the height at which the data of the page last changed, and again when that height changes. For searches, which cannot be live, and
 * for records. Until newer data arrives, the page keeps that of an earlier height. Nothing is read while `height` is undefined. A failure that passes, such as an
 * archive that is behind, is repeated.
 */
export function useRead<T, V>(document: TypedDocument<T, V>, variables: V, height: bigint | undefined): ReadState<T> {
  const [state, setState] = useState<ReadState<T>>({ partial: [] });
  const key = JSON.stringify([variables, height?.toString()]);

  useEffect(() => {
    if (height === undefined) return;
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout> | undefined;

    async function read(): Promise<void> {
      try {
        const { data, errors = [] } = await stele.query(document, variables, { height, signal });
        if (signal.aborted) return;
        setState({ data, height, partial: errors });
        if (errors.some((error) => !isLasting(error))) timer = setTimeout(read, retryAfter);
      } catch (failure) {
        if (signal.aborted || !(failure instanceof SteleError)) return;
        setState((before) => ({ ...before, failure }));
        if (!isLasting(failure)) timer = setTimeout(read, retryAfter);
      }
    }

    void read();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [key]);

  // A page that goes back in time shows nothing that happened later.
  return state.height !== undefined && height !== undefined && state.height > height ? { partial: [] } : state;
}

import type { TypedDocument } from '@stele/client';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { at } from '../routing/router.ts';
import { asFailure, isLasting } from './failures.ts';
import { headArrived } from './nodes.ts';
import { hideBlock, showBlock } from './shown.ts';
import { noteRead, stele } from './stele.ts';
import type { PageState, WithHead } from './usePage.ts';

/** How long the page waits before it reads again, in ms: after a failure, and regularly if it is asked to. */
const retryAfter = 2_000;

/**
 * Reads the document of a page that is not live: once, or every `interval` ms. A failed read is repeated while it can succeed later. Fields that are
 * not read at a height are allowed.
 */
export function useFixedPage<T extends WithHead, V>(
  document: TypedDocument<T, V>,
  variables: V,
  interval?: number,
): PageState<T> {
  const height = at.value;
  const [state, setState] = useState<PageState<T>>({ partial: [], isStale: false });
  const key = JSON.stringify([variables, height?.toString()]);

  useLayoutEffect(() => {
    const leaving = new AbortController();
    const { signal } = leaving;
    let timer: ReturnType<typeof setTimeout> | undefined;

    async function read(): Promise<void> {
      let wait = interval;
      try {
        const { data, errors, height: readAt } = await stele.query(document, variables, { height, signal });
        noteRead();
        const { head } = data;
        const block = BigInt(readAt ?? head?.height ?? 0);
        if (head !== null) showBlock({ height: block, time: head.time, chainId: head.chainId });
        if (height === undefined && interval !== undefined) headArrived(head?.time);
        setState({ data, changed: block, partial: errors ?? [], isStale: false });
      } catch (error) {
        if (signal.aborted) return;
        const failure = asFailure(error);
        noteRead(failure);
        setState((before) => ({ ...before, failure }));
        if (!isLasting(failure)) wait = interval ?? retryAfter;
      }
      if (wait !== undefined && !signal.aborted) timer = setTimeout(read, wait);
    }

    void read();
    return () => {
      leaving.abort();
      clearTimeout(timer);
    };
  }, [key]);

  useEffect(() => hideBlock, []);
  return state;
}

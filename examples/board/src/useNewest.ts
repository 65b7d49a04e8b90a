import { SteleError } from '@stele/client';
import { useEffect, useState } from 'react';

/** The newest value of a stream, and the error that has ended it. The stream is opened again when the function changes. */
export function useNewest<T>(open: (signal: AbortSignal) => AsyncIterable<T>) {
  const [newest, setNewest] = useState<{ readonly value?: T; readonly error?: Error }>({});
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (): Promise<void> => {
      try {
        for await (const value of open(signal)) setNewest({ value });
      } catch (error) {
        if (signal.aborted || !(error instanceof Error)) return;
        // The chain was started again under the same id. A new stream has the events of the new chain.
        if (error instanceof SteleError && error.code === 'CHAIN_RESET') return read();
        setNewest(({ value }) => ({ value, error }));
      }
    };
    void read();
    return () => controller.abort();
  }, [open]);
  return newest;
}

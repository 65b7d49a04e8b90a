import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import type { ConnectionState } from '../connection.ts';
import type { RestOf, TypedDocument } from '../documents.ts';
import { SteleError } from '../errors.ts';
import type { SteleEvent, SubscribeOptions } from '../events.ts';
import { useStele } from './context.ts';
import { keyOf } from './store.ts';

/** Options of a subscription in a component. */
export interface SubscriptionHookOptions<Data> extends Pick<SubscribeOptions, 'after'> {
  /** Called with each event, in order. The hook itself returns the newest one. */
  readonly onEvent?: ((event: SteleEvent<Data>) => void) | undefined;
}

/** A subscription in a component. */
export interface SubscriptionReading<Data> {
  /** The newest event. undefined until the first one has arrived. */
  readonly event: SteleEvent<Data> | undefined;
  /** Why the subscription has ended. undefined if it goes on. */
  readonly error: Error | undefined;
}

/**
 * A subscription, for as long as the component is mounted. If the chain was started again under the same id, it goes on with the events of the new
 * chain.
 */
export function useSubscription<Data = unknown, Variables = unknown>(
  document: TypedDocument<Data, Variables>,
  ...[variables, { after, onEvent } = {}]: RestOf<Variables, SubscriptionHookOptions<Data>>
): SubscriptionReading<Data> {
  const client = useStele();
  const [reading, setReading] = useState<SubscriptionReading<Data>>({ event: undefined, error: undefined });
  const listener = useRef(onEvent);
  listener.current = onEvent;
  const text = String(document);
  const key = keyOf(text, variables, after);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const read = async (from: SubscribeOptions['after']): Promise<void> => {
      try {
        for await (const event of client.subscribe<Data, unknown>(text, variables, { after: from, signal })) {
          listener.current?.(event);
          setReading({ event, error: undefined });
        }
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof SteleError && error.code === 'CHAIN_RESET') return read(undefined);
        setReading(({ event }) => ({ event, error: error instanceof Error ? error : new Error(String(error)) }));
      }
    };
    void read(after);
    return () => controller.abort();
    // `key` stands for the variables and for `after`.
  }, [client, key]);
  return reading;
}

/** The state of the WebSocket that all streams share. */
export function useConnection(): ConnectionState {
  const { connection } = useStele();
  return useSyncExternalStore(connection.subscribe, connection.state, connection.state);
}

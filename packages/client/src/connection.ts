import type { SteleError } from './errors.ts';

/** The state of the WebSocket that all streams share. */
export interface ConnectionState {
  /** `idle` before the first stream is connected. `retrying` after a stream has failed, until the WebSocket is connected again. */
  readonly kind: 'idle' | 'connected' | 'retrying';
  /** Why a stream is retried. undefined otherwise. */
  readonly error: SteleError | undefined;
}

/** The connection of a client, to show it. */
export interface Connection {
  /** The newest state: the same object until it changes. */
  state(): ConnectionState;
  /** Calls the listener after each change. Returns the function that ends it. */
  subscribe(listener: () => void): () => void;
}

/** Creates the connection of a client, and the function that changes its state. */
export function createConnection(): Connection & { change(kind: ConnectionState['kind'], error?: SteleError): void } {
  const listeners = new Set<() => void>();
  let state: ConnectionState = { kind: 'idle', error: undefined };
  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    change(kind, error) {
      state = { kind, error };
      for (const listener of listeners) listener();
    },
  };
}

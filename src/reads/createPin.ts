import type { Client } from '../chain/client.ts';
import { type Bounds, defaultBounds } from '../config/bounds.ts';
import { createLoaderRegistry } from './loader.ts';
import type { Pin } from './pin.ts';

/** Makes the pin of a height; `signal` ends its reads. Nothing is read yet. */
export function createPin(client: Client, height: bigint, signal?: AbortSignal, bounds: Bounds = defaultBounds): Pin {
  const state = client.at(height, signal);
  return {
    height,
    state,
    client,
    signal,
    bounds,
    loaders: createLoaderRegistry({ client, state, signal }),
    at: (other) => createPin(client, other, signal, bounds),
  };
}

import { type Awaitable, andThen } from '../../reads/loader.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import { createMarkerLoaders } from './loaders.ts';
import type { AccessGrant, Marker } from './model.ts';

/** References of the module's types, for its own files and for modules that extend the types. */
export const MarkerRef = createRef<Pinned<Marker>>('Marker');
export const MarkerConnectionRef = createRef<Connection<Pinned<Marker>>>('MarkerConnection');
export const AccessGrantRef = createRef<Pinned<AccessGrant>>('AccessGrant');

/** Reads the marker of a denom under the pin of `parent`; null if the denom has none. */
export function markerAt(parent: Pinned<object>, denom: string): Awaitable<Pinned<Marker> | null> {
  const pin = pinOf(parent);
  return andThen(pin.loaders(createMarkerLoaders).marker.load(denom), (found) => found && pinned(pin, found));
}

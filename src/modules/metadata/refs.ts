import { type Awaitable, andThen } from '../../reads/loader.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import { createMetadataLoaders } from './loaders.ts';
import type { Party, Scope, ScopeSpecification } from './model.ts';

/** References of the module's types, for its own files and for modules that extend the types. */
export const ScopeRef = createRef<Pinned<Scope>>('Scope');
export const ScopeConnectionRef = createRef<Connection<Pinned<Scope>>>('ScopeConnection');
export const ScopeSpecificationRef = createRef<Pinned<ScopeSpecification>>('ScopeSpecification');
export const PartyRef = createRef<Pinned<Party>>('Party');

/** Reads the scope with this id under the pin of `parent`; null if it does not exist. */
export function scopeAt(parent: Pinned<object>, id: string): Awaitable<Pinned<Scope> | null> {
  const pin = pinOf(parent);
  return andThen(pin.loaders(createMetadataLoaders).scope.load(id), (found) => found && pinned(pin, found));
}

/** Reads the scope specification with this id; null if it does not exist. */
export function specificationAt(parent: Pinned<object>, id: string): Awaitable<Pinned<ScopeSpecification> | null> {
  const pin = pinOf(parent);
  return andThen(pin.loaders(createMetadataLoaders).specification.load(id), (found) => found && pinned(pin, found));
}

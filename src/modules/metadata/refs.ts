import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { createRef } from '../../schema/builder.ts';
import type { Connection } from '../../schema/connection.ts';
import { createMetadataLoaders } from './loaders.ts';
import type { Party, Scope, ScopeSpecification } from './model.ts';

/** Names of the module's types, for its own files and for modules that extend them. */
export const ScopeRef = createRef<Pinned<Scope>>('Scope');
export const ScopeConnectionRef = createRef<Connection<Pinned<Scope>>>('ScopeConnection');
export const ScopeSpecificationRef = createRef<Pinned<ScopeSpecification>>('ScopeSpecification');
export const PartyRef = createRef<Pinned<Party>>('Party');

/** The scope of an address, under the pin of the object that names it; null when there is none. */
export async function scopeAt(parent: Pinned<object>, id: string): Promise<Pinned<Scope> | null> {
  const pin = pinOf(parent);
  const found = await pin.loaders(createMetadataLoaders).scope.load(id);
  return found && pinned(pin, found);
}

/** The specification of an address; null when there is none. */
export async function specificationAt(parent: Pinned<object>, id: string): Promise<Pinned<ScopeSpecification> | null> {
  const pin = pinOf(parent);
  const found = await pin.loaders(createMetadataLoaders).specification.load(id);
  return found && pinned(pin, found);
}

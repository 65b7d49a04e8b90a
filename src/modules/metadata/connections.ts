import type { GraphQLResolveInfo } from 'graphql';
import { RequestError } from '../../reads/errors.ts';
import { type Awaitable, all, andThen, type Loader } from '../../reads/loader.ts';
import { chainList, type ListKey, type Read } from '../../reads/page.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection } from '../../schema/connection.ts';
import { addressOfUuid } from './address.ts';
import { createMetadataLoaders } from './loaders.ts';
import type { Scope } from './model.ts';

/** Sort key of scopes, seen in a recorded page key: the bytes of the UUID. */
const uuidKey = ({ uuid }: { readonly uuid: string }): Uint8Array => Buffer.from(uuid.replaceAll('-', ''), 'hex');

/** Reads a page of all scopes. */
export function scopes(
  parent: Pinned<object>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Scope>>> {
  const pin = pinOf(parent);
  const list = chainList(pin.loaders(createMetadataLoaders).scopes, '', uuidKey, (key) => key);
  return chainConnection(pin, 'scopes/', list, args, info);
}

/** Reads a page of the scopes that list an account as owner or in their data access. */
export function ownedScopes(parent: Pinned<object>, address: string, args: ConnectionArgs, info: GraphQLResolveInfo) {
  return scopesOf(parent, 'ownedScopes', pinOf(parent).loaders(createMetadataLoaders).owned, address, args, info);
}

/** Reads a page of the scopes of which an account is the value owner. */
export function valueOwnedScopes(parent: Pinned<object>, address: string, args: ConnectionArgs, info: GraphQLResolveInfo) {
  return scopesOf(parent, 'valueOwnedScopes', pinOf(parent).loaders(createMetadataLoaders).valueOwned, address, args, info);
}

/**
 * Reads a page of a list that the chain returns as UUIDs, and its scopes. Paged by offset: no page key of these lists was
 * recorded.
 */
function scopesOf(
  parent: Pinned<object>,
  name: string,
  loader: Loader<ListKey<string>, Read<{ readonly uuid: string }>>,
  address: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Scope>>> {
  const pin = pinOf(parent);
  const scopeOf = (uuid: string): Awaitable<Pinned<Scope>> =>
    andThen(pin.loaders(createMetadataLoaders).scope.load(addressOfUuid('scope', uuid)), (scope) => {
      if (scope !== null) return pinned(pin, scope);
      throw new RequestError('BAD_USER_INPUT', 'The chain lists a scope that does not exist.', {});
    });
  return andThen(chainConnection(pin, `${name}/${address}`, chainList(loader, address, uuidKey), args, info), (page) =>
    andThen(all(page.nodes.map(({ uuid }) => scopeOf(uuid))), (nodes) => ({ ...page, nodes })),
  );
}

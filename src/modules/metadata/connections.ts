import type { GraphQLResolveInfo } from 'graphql';
import { chainList, type ListKey } from '../../reads/chainList.ts';
import { RequestError } from '../../reads/errors.ts';
import type { Loader } from '../../reads/loader.ts';
import type { Read } from '../../reads/page.ts';
import { type Pinned, pinned, pinOf } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection } from '../../schema/connection.ts';
import { addressOfUuid } from './address.ts';
import { createMetadataLoaders } from './loaders.ts';
import type { Scope } from './model.ts';

/** As the chain sorts scopes: by the bytes of their UUID (seen in a page key). */
const uuidKey = ({ uuid }: { readonly uuid: string }): Uint8Array => Buffer.from(uuid.replaceAll('-', ''), 'hex');

/** All scopes. */
export function scopes(
  parent: Pinned<object>,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Scope>>> {
  const pin = pinOf(parent);
  const list = chainList(pin.loaders(createMetadataLoaders).scopes, '', uuidKey, (key) => key);
  return chainConnection(pin, 'scopes/', list, args, info);
}

/** Scopes that list an account among owners or data access. */
export function ownedScopes(parent: Pinned<object>, address: string, args: ConnectionArgs, info: GraphQLResolveInfo) {
  return scopesOf(parent, 'ownedScopes', pinOf(parent).loaders(createMetadataLoaders).owned, address, args, info);
}

/** Scopes that an account is value owner of. */
export function valueOwnedScopes(parent: Pinned<object>, address: string, args: ConnectionArgs, info: GraphQLResolveInfo) {
  return scopesOf(parent, 'valueOwnedScopes', pinOf(parent).loaders(createMetadataLoaders).valueOwned, address, args, info);
}

/** A list that the chain keeps as UUIDs, with the scopes themselves. Its page keys were never seen: it is searched by offset. */
async function scopesOf(
  parent: Pinned<object>,
  name: string,
  loader: Loader<ListKey<string>, Read<{ readonly uuid: string }>>,
  address: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Promise<Connection<Pinned<Scope>>> {
  const pin = pinOf(parent);
  const page = await chainConnection(pin, `${name}/${address}`, chainList(loader, address, uuidKey), args, info);
  const nodes = await Promise.all(
    page.nodes.map(async ({ uuid }) => {
      const scope = await pin.loaders(createMetadataLoaders).scope.load(addressOfUuid('scope', uuid));
      if (scope !== null) return pinned(pin, scope);
      throw new RequestError('BAD_USER_INPUT', 'The chain lists a scope that it has not.', {});
    }),
  );
  return { ...page, nodes };
}

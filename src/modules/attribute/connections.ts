import { sha256 } from '@noble/hashes/sha2.js';
import type { GraphQLResolveInfo } from 'graphql';
import { badInput } from '../../reads/errors.ts';
import { addressKey, nameKey, normalName } from '../../reads/input.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import { chainList } from '../../reads/page.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { type Connection, type ConnectionArgs, chainConnection } from '../../schema/connection.ts';
import { type Account, accountOf } from '../account/schema.ts';
import { createAttributeLoaders } from './loaders.ts';
import type { Attribute } from './model.ts';

/**
 * Sort key of the attributes of an account, seen in recorded page keys: the key of the name, then the SHA-256 hash of the
 * value.
 */
function attributeKey({ name, value }: Attribute): Uint8Array {
  return Buffer.concat([nameKey(name), sha256(value)]);
}

const sameKey = (key: Uint8Array): Uint8Array => key;

/** Normalizes a name or suffix as the chain stores it. Throws BAD_USER_INPUT for an empty one, on which the chain panics. */
function nameInput(argument: string, name: string): string {
  const normal = normalName(name);
  if (normal === '' || normal.length > 256) throw badInput(argument, name, 'a name of 1 to 256 characters that is not blank');
  return normal;
}

/** Reads a page of all attributes of an account or scope. */
export function attributes(parent: Pinned<object>, address: string, args: ConnectionArgs, info: GraphQLResolveInfo) {
  const pin = pinOf(parent);
  const list = chainList(pin.loaders(createAttributeLoaders).attributes, address, attributeKey, sameKey);
  return chainConnection(pin, `attributes/${address}`, list, args, info);
}

/** Reads a page of the attributes with exactly this name. Paged by offset, because no page key of this list was recorded. */
export function attributesNamed(
  parent: Pinned<object>,
  address: string,
  name: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Attribute>>> {
  const pin = pinOf(parent);
  const of = `${address} ${nameInput('name', name)}`;
  return chainConnection(
    pin,
    `attribute/${of}`,
    chainList(pin.loaders(createAttributeLoaders).named, of, attributeKey),
    args,
    info,
  );
}

/** Reads a page of the attributes whose name ends with `suffix`. */
export function attributeScan(
  parent: Pinned<object>,
  address: string,
  suffix: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Attribute>>> {
  const pin = pinOf(parent);
  const of = `${address} ${nameInput('suffix', suffix)}`;
  const list = chainList(pin.loaders(createAttributeLoaders).scanned, of, attributeKey, sameKey);
  return chainConnection(pin, `attributeScan/${of}`, list, args, info);
}

/**
 * Reads a page of the attributes of an account or scope: by `name`, by `suffix`, or all. Both arguments together are
 * BAD_USER_INPUT.
 */
export function attributesOf(
  parent: Pinned<object>,
  address: string,
  args: ConnectionArgs & { readonly name?: string | null | undefined; readonly suffix?: string | null | undefined },
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Attribute>>> {
  const { name, suffix } = args;
  if (name != null && suffix != null) throw badInput('suffix', suffix, 'absent if `name` is given');
  if (name != null) return attributesNamed(parent, address, name, args, info);
  if (suffix != null) return attributeScan(parent, address, suffix, args, info);
  return attributes(parent, address, args, info);
}

/**
 * Reads a page of the accounts that have an attribute of this name. Paged by offset, because no page key of this list was
 * recorded.
 */
export function attributeAccounts(
  parent: Pinned<object>,
  name: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Account>>> {
  const pin = pinOf(parent);
  const of = nameInput('name', name);
  const list = chainList(pin.loaders(createAttributeLoaders).accounts, of, ({ address }: Account) => addressKey(address));
  return andThen(chainConnection(pin, `attributeAccounts/${of}`, list, args, info), (page) => ({
    ...page,
    nodes: page.nodes.map(({ address }) => accountOf(parent, address)),
  }));
}

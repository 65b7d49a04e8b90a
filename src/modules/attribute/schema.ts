import { sha256 } from '@noble/hashes/sha2.js';
import type { GraphQLResolveInfo } from 'graphql';
import { badInput } from '../../reads/errors.ts';
import { addressKey, nameKey, normalName, unrecognized } from '../../reads/input.ts';
import { type Awaitable, andThen } from '../../reads/loader.ts';
import { chainList } from '../../reads/page.ts';
import { type Pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, createRef, enumValues, scanField, usesContext } from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, chainConnection } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { type Account, AccountConnectionRef, AccountRef, accountOf } from '../account/schema.ts';
import { type Attribute, attributeTypes, createAttributeLoaders, valueJson, valueText } from './query.ts';

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
function attributes(parent: Pinned<object>, address: string, args: ConnectionArgs, info: GraphQLResolveInfo) {
  const pin = pinOf(parent);
  const list = chainList(pin.loaders(createAttributeLoaders).attributes, address, attributeKey, sameKey);
  return chainConnection(pin, `attributes/${address}`, list, args, info);
}

/** Reads a page of the attributes with exactly this name. Paged by offset, because no page key of this list was recorded. */
function attributesNamed(
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
function attributeScan(
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
function attributeAccounts(
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

/** Reference of the type `Attribute`. */
const AttributeRef = createRef<Pinned<Attribute>>('Attribute');
/** Reference of the type `AttributeConnection`. */
export const AttributeConnectionRef = createRef<Connection<Pinned<Attribute>>>('AttributeConnection');

/** Adds the attribute module: its types, its queries and its fields of `Account`. */
export function addAttributes(builder: Builder): void {
  addAttributeType(builder);
  addConnection(builder, AttributeRef, AttributeConnectionRef, 'attributes');
  addQueries(builder);
  builder.objectFields(AccountRef, (t) => ({
    attributes: t.field({
      type: AttributeConnectionRef,
      description:
        'Attributes of the account that have not expired. `name` selects exactly this name, `suffix` names that end with it. The two arguments\ncannot be combined.',
      extensions: scanField,
      args: { name: t.arg.string(), suffix: t.arg.string(), ...connectionArgs(builder) },
      resolve: usesContext((account, args, _context, info) => attributesOf(account, account.address, args, info)),
    }),
    accountData: t.string({
      description: 'Account data: free text that the account sets about itself. Empty if it has none.',
      resolve: (account) => pinOf(account).loaders(createAttributeLoaders).accountData.load(account.address),
    }),
  }));
}

function addAttributeType(builder: Builder): void {
  const AttributeType = builder.enumType('AttributeType', {
    description: 'Type of the value of an attribute.',
    values: enumValues([...attributeTypes, unrecognized], {
      ATTRIBUTE_TYPE_INT: 'Integer of any size, as decimal text.',
      ATTRIBUTE_TYPE_FLOAT: 'Decimal number of any size, as text.',
    }),
  });
  builder.objectType(AttributeRef, {
    description:
      'A named value on an account or scope, attested by the owner of the name (provenance.attribute.v1). An account can have several values\nof one name.',
    fields: (t) => ({
      name: t.exposeString('name', { nullable: false, description: 'Name in the name module, lower case, such as `kyc.pb`.' }),
      value: t.string({
        nullable: false,
        description: 'The value as text; base64 if `attributeType` is BYTES, PROTO or UNRECOGNIZED.',
        resolve: valueText,
      }),
      valueBase64: t.expose('value', {
        type: 'Base64',
        nullable: false,
        description: 'The bytes of the value, for every type.',
      }),
      json: t.field({
        type: 'JSON',
        description: 'The parsed value if `attributeType` is JSON. null for other types and for invalid JSON.',
        resolve: valueJson,
      }),
      attributeType: t.expose('attributeType', { type: AttributeType, nullable: false, description: 'Type of the value.' }),
      address: t.exposeString('address', {
        nullable: false,
        description: 'Address of the account, or of the scope (`scope1…`).',
      }),
      account: t.field({
        type: AccountRef,
        nullable: false,
        description: 'The account of `address`.',
        resolve: (attribute) => accountOf(attribute, attribute.address),
      }),
      expirationDate: t.expose('expirationDate', {
        type: 'DateTime',
        description: 'Block time at which the attribute expires; null if it does not expire.',
      }),
      concreteType: t.exposeString('concreteType', {
        nullable: false,
        description:
          'Name of the protobuf message or other type that the value contains, as its author declared it; can be empty.',
      }),
    }),
  });
}

function addQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    attributeScan: t.field({
      type: AttributeConnectionRef,
      description:
        'Attributes of an account whose name ends with `suffix`. The suffix is plain text, converted to lower case, and can start within a part\nof a name.',
      extensions: scanField,
      args: {
        account: t.arg.string({ required: true }),
        suffix: t.arg.string({ required: true }),
        ...connectionArgs(builder),
      },
      resolve: usesContext((root, { account, suffix, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'account', account), (of) => attributeScan(root, of, suffix, args, info)),
      ),
    }),
    attribute: t.field({
      type: AttributeConnectionRef,
      description: 'Attributes of an account with exactly this name. A name can have several values.',
      args: { account: t.arg.string({ required: true }), name: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { account, name, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'account', account), (of) => attributesNamed(root, of, name, args, info)),
      ),
    }),
    attributes: t.field({
      type: AttributeConnectionRef,
      description: 'All attributes of an account that have not expired.',
      args: { account: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { account, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'account', account), (of) => attributes(root, of, args, info)),
      ),
    }),
    attributeAccounts: t.field({
      type: AccountConnectionRef,
      description: 'Accounts that have an attribute of this name. The chain includes accounts whose attribute has expired.',
      args: { name: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { name, ...args }, _context, info) => attributeAccounts(root, name, args, info)),
    }),
    accountData: t.string({
      description: 'Account data: free text that an account sets about itself. Empty if it has none.',
      args: { account: t.arg.string({ required: true }) },
      resolve: (root, { account }) =>
        andThen(accountInput(pinOf(root), 'account', account), (of) =>
          pinOf(root).loaders(createAttributeLoaders).accountData.load(of),
        ),
    }),
  }));
}

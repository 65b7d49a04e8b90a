import type { GraphQLResolveInfo } from 'graphql';
import { badInput } from '../../reads/errors.ts';
import { unrecognized } from '../../reads/input.ts';
import { type Awaitable, andThen, type Pinned, pinOf } from '../../reads/pin.ts';
import { type Builder, connectionArgs, createRef, enumValues, nonNull, scanField, usesContext } from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, chainConnection } from '../../schema/connection.ts';
import { addHeightFields } from '../../schema/entities.ts';
import { accountInput } from '../account/query.ts';
import { AccountConnectionRef, AccountRef, accountField } from '../account/schema.ts';
import {
  type Attribute,
  accountList,
  attributeList,
  attributeTypes,
  createAttributeLoaders,
  valueJson,
  valueText,
} from './query.ts';

/** The arguments that select attributes of an account or scope. */
interface AttributeArgs extends ConnectionArgs {
  readonly name?: string | null | undefined;
  readonly suffix?: string | null | undefined;
}

/** A page of the attributes of an account or scope: by `name`, by `suffix`, or all. Both arguments together are BAD_USER_INPUT. */
export function attributesOf(
  parent: Pinned<object>,
  address: string,
  { name, suffix, ...args }: AttributeArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<Attribute>>> {
  const pin = pinOf(parent);
  if (name != null && suffix != null) throw badInput('suffix', suffix, 'absent if `name` is given');
  return chainConnection(pin, attributeList(pin, address, { name, suffix }), args, info);
}

const AttributeRef = createRef<Pinned<Attribute>>('Attribute');
/** A page of attributes. */
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
      value: t.field({
        ...nonNull('String', 'The value as text; base64 if `attributeType` is BYTES, PROTO or UNRECOGNIZED.'),
        resolve: valueText,
      }),
      valueBase64: t.expose('value', nonNull('Base64', 'The bytes of the value, for every type.')),
      json: t.field({
        type: 'JSON',
        description: 'The parsed value if `attributeType` is JSON. null for other types and for invalid JSON.',
        resolve: valueJson,
      }),
      attributeType: t.expose('attributeType', { type: AttributeType, nullable: false, description: 'Type of the value.' }),
      address: t.expose('address', nonNull('String', 'Address of the account, or of the scope (`scope1…`).')),
      account: accountField(t, 'The account of `address`.', (attribute) => attribute.address),
      expirationDate: t.expose('expirationDate', {
        type: 'DateTime',
        description: 'Block time at which the attribute expires; null if it does not expire.',
      }),
      concreteType: t.expose(
        'concreteType',
        nonNull(
          'String',
          'Name of the protobuf message or other type that the value contains, as its author declared it; can be empty.',
        ),
      ),
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
      resolve: usesContext((root, { account, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'account', account), (of) => attributesOf(root, of, args, info)),
      ),
    }),
    attribute: t.field({
      type: AttributeConnectionRef,
      description: 'Attributes of an account with exactly this name. A name can have several values.',
      args: { account: t.arg.string({ required: true }), name: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { account, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'account', account), (of) => attributesOf(root, of, args, info)),
      ),
    }),
    attributes: t.field({
      type: AttributeConnectionRef,
      description: 'All attributes of an account that have not expired.',
      args: { account: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { account, ...args }, _context, info) =>
        andThen(accountInput(pinOf(root), 'account', account), (of) => attributesOf(root, of, args, info)),
      ),
    }),
    attributeAccounts: t.field({
      type: AccountConnectionRef,
      description: 'Accounts that have an attribute of this name. The chain includes accounts whose attribute has expired.',
      args: { name: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: usesContext((root, { name, ...args }, _context, info) =>
        chainConnection(pinOf(root), accountList(pinOf(root), name), args, info),
      ),
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

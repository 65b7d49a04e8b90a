import { addressInput } from '../../reads/input.ts';
import { pinOf } from '../../reads/pin.ts';
import { unrecognized } from '../../reads/unrecognized.ts';
import { connectionArgs } from '../../schema/args.ts';
import type { Builder } from '../../schema/builder.ts';
import { addConnection } from '../../schema/connection.ts';
import { enumValues } from '../../schema/enums.ts';
import { scanField } from '../../schema/fieldMarks.ts';
import { addHeightFields } from '../../schema/snapshot.ts';
import { AccountConnectionRef, AccountRef, accountOf } from '../account/schema.ts';
import * as connections from './connections.ts';
import { createAttributeLoaders } from './loaders.ts';
import { attributeTypes, valueJson, valueText } from './model.ts';
import { AttributeConnectionRef, AttributeRef } from './refs.ts';

/** Adds the attribute module: its types, its queries, and what it knows of accounts. */
export function addAttributes(builder: Builder): void {
  addAttributeType(builder);
  addConnection(builder, AttributeRef, AttributeConnectionRef, 'attributes');
  addQueries(builder);
  builder.objectFields(AccountRef, (t) => ({
    attributes: t.field({
      type: AttributeConnectionRef,
      description:
        'Attributes that have not expired; with `name`, of exactly this name; with `suffix`, whose name ends so. Not both.',
      extensions: scanField,
      args: { name: t.arg.string(), suffix: t.arg.string(), ...connectionArgs(builder) },
      resolve: (account, args, _context, info) => connections.attributesOf(account, account.address, args, info),
    }),
    accountData: t.string({
      description: 'Free text that the account keeps about itself.',
      resolve: (account) => pinOf(account).loaders(createAttributeLoaders).accountData.load(account.address),
    }),
  }));
}

function addAttributeType(builder: Builder): void {
  const AttributeType = builder.enumType('AttributeType', {
    description: 'How the value of an attribute is to be read.',
    values: enumValues([...attributeTypes, unrecognized], {
      ATTRIBUTE_TYPE_INT: 'Base 10 text of any size.',
      ATTRIBUTE_TYPE_FLOAT: 'Decimal text of any size.',
    }),
  });
  builder.objectType(AttributeRef, {
    description: "A statement about an account, made by the owner of the attribute's name.",
    fields: (t) => ({
      name: t.exposeString('name', { nullable: false, description: 'Reverse-DNS, lower case.' }),
      value: t.string({
        nullable: false,
        description: 'Text; base64 when attributeType is BYTES or PROTO.',
        resolve: valueText,
      }),
      valueBase64: t.expose('value', { type: 'Base64', nullable: false, description: 'The raw bytes, whatever the type.' }),
      json: t.field({
        type: 'JSON',
        description: 'The value parsed when attributeType is JSON; null for other types and for text that is not JSON.',
        resolve: valueJson,
      }),
      attributeType: t.expose('attributeType', { type: AttributeType, nullable: false }),
      address: t.exposeString('address', { nullable: false }),
      account: t.field({
        type: AccountRef,
        nullable: false,
        resolve: (attribute) => accountOf(attribute, attribute.address),
      }),
      expirationDate: t.expose('expirationDate', { type: 'DateTime', description: 'null when it does not expire.' }),
      concreteType: t.exposeString('concreteType', {
        nullable: false,
        description: 'Name of the message or type that the value is said to hold.',
      }),
    }),
  });
}

function addQueries(builder: Builder): void {
  addHeightFields(builder, (t) => ({
    attributeScan: t.field({
      type: AttributeConnectionRef,
      description:
        'Attributes of an account whose name ends with `suffix`: plain text, not aligned to dots; the suffix is lower-cased.',
      extensions: scanField,
      args: {
        account: t.arg.string({ required: true }),
        suffix: t.arg.string({ required: true }),
        ...connectionArgs(builder),
      },
      resolve: (root, { account, suffix, ...args }, _context, info) =>
        connections.attributeScan(root, addressInput('account', account), suffix, args, info),
    }),
    attribute: t.field({
      type: AttributeConnectionRef,
      description: 'Attributes of an account with exactly this name; one name may have many values.',
      args: { account: t.arg.string({ required: true }), name: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { account, name, ...args }, _context, info) =>
        connections.attributesNamed(root, addressInput('account', account), name, args, info),
    }),
    attributes: t.field({
      type: AttributeConnectionRef,
      description: 'All attributes of an account that have not expired.',
      args: { account: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { account, ...args }, _context, info) =>
        connections.attributes(root, addressInput('account', account), args, info),
    }),
    attributeAccounts: t.field({
      type: AccountConnectionRef,
      description: 'Accounts that carry an attribute of this name. The chain does not leave out expired ones here.',
      args: { name: t.arg.string({ required: true }), ...connectionArgs(builder) },
      resolve: (root, { name, ...args }, _context, info) => connections.attributeAccounts(root, name, args, info),
    }),
    accountData: t.string({
      description: 'Free text that an account keeps about itself.',
      args: { account: t.arg.string({ required: true }) },
      resolve: (root, { account }) =>
        pinOf(root).loaders(createAttributeLoaders).accountData.load(addressInput('account', account)),
    }),
  }));
}

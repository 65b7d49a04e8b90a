import { create } from '@bufbuild/protobuf';
import {
  type Attribute,
  AttributeSchema,
  AttributeType,
  AttributeTypeSchema,
  EventAccountDataUpdatedSchema,
  EventAttributeAddSchema,
  EventAttributeDeleteSchema,
  EventAttributeDistinctDeleteSchema,
  EventAttributeExpirationUpdateSchema,
  EventAttributeUpdateSchema,
} from '../../../../../../src/proto/provenance/attribute/v1/attribute_pb.js';
import {
  MsgAddAttributeRequestSchema,
  MsgAddAttributeResponseSchema,
  MsgDeleteAttributeRequestSchema,
  MsgDeleteAttributeResponseSchema,
  MsgDeleteDistinctAttributeRequestSchema,
  MsgDeleteDistinctAttributeResponseSchema,
  MsgSetAccountDataRequestSchema,
  MsgSetAccountDataResponseSchema,
  MsgUpdateAttributeExpirationRequestSchema,
  MsgUpdateAttributeExpirationResponseSchema,
  MsgUpdateAttributeRequestSchema,
  MsgUpdateAttributeResponseSchema,
} from '../../../../../../src/proto/provenance/attribute/v1/tx_pb.js';
import { PlainError, refusing } from '../../runtime/abciErrors.ts';
import { encodeAddress, moduleAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { plainEvent, typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { goTime, momentOf, timestampOf } from '../../runtime/time.ts';
import { accountDataName, findName, normalizeName } from '../name/state.ts';
import { requireMessageHolder } from './account.ts';
import { attributesNamed, isExpired, removeAttribute, saveAttribute } from './state.ts';
import { checkedValue, requireConcreteType } from './values.ts';

const module = encodeAddress(moduleAddress('attribute'));

function typeName(type: AttributeType): string {
  return AttributeTypeSchema.value[type]?.name ?? String(type);
}

function base64(value: Uint8Array): string {
  return Buffer.from(value).toString('base64');
}

function expirationText({ expirationDate }: Pick<Attribute, 'expirationDate'>): string {
  return expirationDate === undefined ? '' : goTime(momentOf(expirationDate));
}

function noteEvent(what: string, name: string, account: string) {
  return plainEvent(`account_attribute_${what}`, [
    ['attribute_name', name],
    ['account_address', account],
  ]);
}

/**
 * Checks that the name is bound to the owner. With `free`, an unbound name is allowed, so that any account can delete its
 * attributes.
 */
function requireOwned(context: Context, text: string, owner: string, free = false): string {
  const name = normalizeName(text);
  const bound = findName(context, name);
  if (bound === undefined && free) return name;
  if (bound?.address !== owner) throw new PlainError(`"${name}" does not resolve to address "${owner}"`);
  return name;
}

function addAttribute(context: Context, attribute: Attribute, owner: string): void {
  if (attribute.expirationDate !== undefined) {
    if (isExpired(attribute, context.block.time)) {
      throw new PlainError(
        `attribute expiration date ${expirationText(attribute)} is before block time of ${goTime(context.block.time)}`,
      );
    }
    attribute.expirationDate = timestampOf((momentOf(attribute.expirationDate) / 1_000_000_000n) * 1_000_000_000n);
  }
  attribute.value = checkedValue(attribute.attributeType, attribute.value);
  requireConcreteType(attribute.concreteType);
  saveAttribute(context, attribute);
  context.emit(
    typedEvent(EventAttributeAddSchema, {
      name: attribute.name,
      value: base64(attribute.value),
      type: typeName(attribute.attributeType),
      account: attribute.address,
      owner,
      expiration: expirationText(attribute),
    }),
  );
}

interface Update {
  readonly value: Uint8Array;
  readonly type: AttributeType;
  readonly concreteType: string;
}

function updateAttribute(context: Context, before: Attribute, update: Update, owner: string): void {
  const value = checkedValue(update.type, update.value);
  requireConcreteType(update.concreteType);
  removeAttribute(context, before);
  const after = create(AttributeSchema, {
    name: before.name,
    value,
    attributeType: update.type,
    address: before.address,
    concreteType: update.concreteType,
    ...(before.expirationDate && { expirationDate: before.expirationDate }),
  });
  saveAttribute(context, after);
  context.emit(
    typedEvent(EventAttributeUpdateSchema, {
      name: before.name,
      originalValue: base64(before.value),
      originalType: typeName(before.attributeType),
      updateValue: base64(value),
      updateType: typeName(update.type),
      account: before.address,
      owner,
    }),
  );
}

/** Finds the attribute with a value, and with a type if `type` is given. */
function attributeWith(context: Context, account: string, name: string, value: Uint8Array, type?: AttributeType): Attribute {
  const attribute = attributesNamed(context, requireMessageHolder(account), name).find(
    (attribute) => Buffer.from(attribute.value).equals(value) && (type === undefined || attribute.attributeType === type),
  );
  if (attribute === undefined) throw new PlainError(`no attributes found with name "${name}" : value "${Buffer.from(value)}"`);
  return attribute;
}

/**
 * Sets the account data of an account or scope, or removes it if the text is empty. It is an attribute owned by the attribute
 * module.
 */
export function setAccountData(context: Context, account: string, value: string): void {
  const [before] = attributesNamed(context, requireMessageHolder(account), accountDataName);
  const bytes = new Uint8Array(Buffer.from(value));
  const type = AttributeType.STRING;
  if (value === '') {
    if (before !== undefined) {
      removeAttribute(context, before);
      context.emit(typedEvent(EventAttributeDeleteSchema, { name: accountDataName, account, owner: module }));
    }
  } else if (before === undefined) {
    const note = create(AttributeSchema, { name: accountDataName, value: bytes, attributeType: type, address: account });
    addAttribute(context, note, module);
  } else if (!Buffer.from(before.value).equals(bytes)) {
    updateAttribute(context, before, { value: bytes, type, concreteType: '' }, module);
  }
  context.emit(typedEvent(EventAccountDataUpdatedSchema, { account }));
}

/** All messages of the module except that of its parameters. Their errors are not recorded. */
export const attributeMessages: readonly MessageHandler[] = [
  onMessage(
    MsgAddAttributeRequestSchema,
    MsgAddAttributeResponseSchema,
    ({ owner }) => [owner],
    (context, message) =>
      refusing(() => {
        const { account, owner, value, attributeType, concreteType, expirationDate } = message;
        const name = requireOwned(context, message.name, owner);
        const init = { name, value, attributeType, address: account, concreteType, ...(expirationDate && { expirationDate }) };
        addAttribute(context, create(AttributeSchema, init), owner);
        context.emit(noteEvent('added', name, account));
        return {};
      }),
  ),
  onMessage(
    MsgUpdateAttributeRequestSchema,
    MsgUpdateAttributeResponseSchema,
    ({ owner }) => [owner],
    (context, message) =>
      refusing(() => {
        const { account, owner, originalValue, originalAttributeType, updateValue, updateAttributeType, concreteType } =
          message;
        const name = requireOwned(context, message.name, owner);
        const before = attributeWith(context, account, name, originalValue, originalAttributeType);
        updateAttribute(context, before, { value: updateValue, type: updateAttributeType, concreteType }, owner);
        context.emit(noteEvent('updated', name, account));
        return {};
      }),
  ),
  onMessage(
    MsgUpdateAttributeExpirationRequestSchema,
    MsgUpdateAttributeExpirationResponseSchema,
    ({ owner }) => [owner],
    (context, message) =>
      refusing(() => {
        const { account, owner, value, expirationDate } = message;
        const name = requireOwned(context, message.name, owner);
        const before = attributeWith(context, account, name, value);
        removeAttribute(context, before);
        const { expirationDate: _, ...rest } = before;
        const after = create(AttributeSchema, { ...rest, ...(expirationDate && { expirationDate }) });
        saveAttribute(context, after);
        context.emit(
          typedEvent(EventAttributeExpirationUpdateSchema, {
            name,
            value: base64(value),
            account,
            owner,
            originalExpiration: expirationText(before),
            updatedExpiration: expirationText(after),
          }),
        );
        return {};
      }),
  ),
  onMessage(
    MsgDeleteAttributeRequestSchema,
    MsgDeleteAttributeResponseSchema,
    ({ owner }) => [owner],
    (context, message) =>
      refusing(() => {
        const { account, owner } = message;
        const name = requireOwned(context, message.name, owner, true);
        const attributes = attributesNamed(context, requireMessageHolder(account), name);
        if (attributes.length === 0) throw new PlainError(`no keys deleted with name ${name}`);
        for (const attribute of attributes) {
          removeAttribute(context, attribute);
          context.emit(typedEvent(EventAttributeDeleteSchema, { name, account, owner }));
        }
        context.emit(noteEvent('deleted', name, account));
        return {};
      }),
  ),
  onMessage(
    MsgDeleteDistinctAttributeRequestSchema,
    MsgDeleteDistinctAttributeResponseSchema,
    ({ owner }) => [owner],
    (context, message) =>
      refusing(() => {
        const { account, owner, value } = message;
        const name = requireOwned(context, message.name, owner, true);
        removeAttribute(context, attributeWith(context, account, name, value));
        // The event contains the raw value and no type (recorded).
        const text = Buffer.from(value).toString();
        context.emit(typedEvent(EventAttributeDistinctDeleteSchema, { name, value: text, account, owner }));
        context.emit(noteEvent('distinct_deleted', name, account));
        return {};
      }),
  ),
  onMessage(
    MsgSetAccountDataRequestSchema,
    MsgSetAccountDataResponseSchema,
    ({ account }) => [account],
    (context, { account, value }) =>
      refusing(() => {
        setAccountData(context, account, value);
        return {};
      }),
  ),
];

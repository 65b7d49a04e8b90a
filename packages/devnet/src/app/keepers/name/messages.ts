import {
  EventNameBoundSchema,
  EventNameUnboundSchema,
  EventNameUpdateSchema,
} from '../../../../../../src/proto/provenance/name/v1/name_pb.js';
import {
  MsgBindNameRequestSchema,
  MsgBindNameResponseSchema,
  MsgDeleteNameRequestSchema,
  MsgDeleteNameResponseSchema,
  MsgModifyNameRequestSchema,
  MsgModifyNameResponseSchema,
} from '../../../../../../src/proto/provenance/name/v1/tx_pb.js';
import { abciError, refusing } from '../../runtime/abciErrors.ts';
import { encodeAddress, moduleAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { plainEvent, typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { findName, loadName, normalizeName, removeName, saveName } from './state.ts';

const government = encodeAddress(moduleAddress('gov'));

/** Runs before a name is deleted. */
export type NameHook = (context: Context, name: string) => void;

/** A stored name. */
function nameIn(text: string): string {
  return refusing(() => normalizeName(text));
}

/**
 * Bind, modify and delete. Errors are not recorded. Root names cannot be created, because that needs governance, which the
 * devnet lacks.
 */
export const createNameMessages = (onDelete: NameHook): readonly MessageHandler[] => [
  onMessage(
    MsgBindNameRequestSchema,
    MsgBindNameResponseSchema,
    ({ parent }) => [parent?.address ?? ''],
    (context, { parent, record }) => {
      if (parent === undefined || record === undefined) throw abciError('invalidRequest', 'missing name record');
      const parentName = nameIn(parent.name);
      const name = nameIn(`${record.name}.${parentName}`);
      const above = loadName(context, parentName);
      if (above.restricted && above.address !== parent.address) {
        throw abciError('unauthorized', 'parent name is restricted and does not belong to the requestor');
      }
      if (findName(context, name) !== undefined) throw abciError('nameBound');
      saveName(context, name, record.address, record.restricted);
      const { address, restricted } = record;
      context.emit(typedEvent(EventNameBoundSchema, { address, name, restricted }));
      context.emit(
        plainEvent('name_bound', [
          ['address', address],
          ['name', record.name],
        ]),
      );
      return {};
    },
  ),
  onMessage(
    MsgDeleteNameRequestSchema,
    MsgDeleteNameResponseSchema,
    ({ record }) => [record?.address ?? ''],
    (context, { record }) => {
      const bound = loadName(context, nameIn(record?.name ?? ''));
      if (bound.address !== record?.address) throw abciError('unauthorized', 'msg sender cannot delete name');
      onDelete(context, bound.name);
      removeName(context, bound);
      const { address, name, restricted } = bound;
      context.emit(typedEvent(EventNameUnboundSchema, { address, name, restricted }));
      context.emit(
        plainEvent('name_unbound', [
          ['address', address],
          ['name', name],
        ]),
      );
      return {};
    },
  ),
  onMessage(
    MsgModifyNameRequestSchema,
    MsgModifyNameResponseSchema,
    ({ authority }) => [authority],
    (context, { authority, record }) => {
      const name = nameIn(record?.name ?? '');
      const bound = loadName(context, name);
      if (authority !== bound.address && authority !== government) {
        throw abciError('unauthorized', `expected ${government} or ${bound.address} got ${authority}`);
      }
      const { address = '', restricted = false } = record ?? {};
      saveName(context, name, address, restricted);
      context.emit(typedEvent(EventNameUpdateSchema, { address, name, restricted }));
      return {};
    },
  ),
];

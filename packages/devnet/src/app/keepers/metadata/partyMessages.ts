import { create } from '@bufbuild/protobuf';
import { EventScopeUpdatedSchema } from '../../../../../../src/proto/provenance/metadata/v1/events_pb.js';
import { PartySchema, type Scope } from '../../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import {
  MsgAddScopeDataAccessRequestSchema,
  MsgAddScopeDataAccessResponseSchema,
  MsgAddScopeOwnerRequestSchema,
  MsgAddScopeOwnerResponseSchema,
  MsgDeleteScopeDataAccessRequestSchema,
  MsgDeleteScopeDataAccessResponseSchema,
  MsgDeleteScopeOwnerRequestSchema,
  MsgDeleteScopeOwnerResponseSchema,
  MsgSetAccountDataRequestSchema,
  MsgSetAccountDataResponseSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/tx_pb.js';
import { PlainError, refusing } from '../../runtime/abciErrors.ts';
import { decodeAddress } from '../../runtime/address.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import { encodeMetadataAddress } from '../../runtime/metadataAddress.ts';
import { setAccountData } from '../attribute/messages.ts';
import { completed, loadScope, ownersOf, requireSigned } from './checks.ts';
import { saveScope } from './state.ts';

/** Changes a scope with the signatures of its owners, and emits the two events. Not recorded. */
function change(
  context: Context,
  endpoint: string,
  message: { scopeId: Uint8Array; signers: string[] },
  edit: (scope: Scope) => void,
) {
  return refusing(() => {
    const scope = loadScope(context, message.scopeId);
    requireSigned(ownersOf(scope), message.signers);
    edit(scope);
    saveScope(context, scope);
    context.emit(typedEvent(EventScopeUpdatedSchema, { scopeAddr: encodeMetadataAddress(scope.scopeId) }));
    completed(context, endpoint, message.signers);
    return {};
  });
}

/** The messages of a scope's data access, owners and account data. */
export const partyMessages: readonly MessageHandler[] = [
  onMessage(
    MsgAddScopeDataAccessRequestSchema,
    MsgAddScopeDataAccessResponseSchema,
    ({ signers }) => signers,
    (context, message) =>
      change(context, 'AddScopeDataAccess', message, (scope) => {
        for (const address of message.dataAccess) {
          decodeAddress(address);
          if (scope.dataAccess.includes(address)) throw new PlainError(`address already exists for data access ${address}`);
          scope.dataAccess.push(address);
        }
      }),
  ),
  onMessage(
    MsgDeleteScopeDataAccessRequestSchema,
    MsgDeleteScopeDataAccessResponseSchema,
    ({ signers }) => signers,
    (context, message) =>
      change(context, 'DeleteScopeDataAccess', message, (scope) => {
        const unknown = message.dataAccess.find((address) => !scope.dataAccess.includes(address));
        if (unknown !== undefined) throw new PlainError(`address does not exist in scope data access: ${unknown}`);
        scope.dataAccess = scope.dataAccess.filter((address) => !message.dataAccess.includes(address));
      }),
  ),
  onMessage(
    MsgAddScopeOwnerRequestSchema,
    MsgAddScopeOwnerResponseSchema,
    ({ signers }) => signers,
    (context, message) =>
      change(context, 'AddScopeOwner', message, (scope) => {
        for (const { address, role, optional } of message.owners) {
          decodeAddress(address);
          const same = scope.owners.some((owner) => owner.address === address && owner.role === role);
          if (same) throw new PlainError(`party already exists with address ${address} and role`);
          scope.owners.push(create(PartySchema, { address, role, optional }));
        }
      }),
  ),
  onMessage(
    MsgDeleteScopeOwnerRequestSchema,
    MsgDeleteScopeOwnerResponseSchema,
    ({ signers }) => signers,
    (context, message) =>
      change(context, 'DeleteScopeOwner', message, (scope) => {
        scope.owners = scope.owners.filter(({ address }) => !message.owners.includes(address));
        if (scope.owners.length === 0) throw new PlainError('invalid scope owners: at least one party is required');
      }),
  ),
  onMessage(
    MsgSetAccountDataRequestSchema,
    MsgSetAccountDataResponseSchema,
    ({ signers }) => signers,
    (context, { metadataAddr, value, signers }) =>
      refusing(() => {
        const scope = loadScope(context, metadataAddr);
        requireSigned(ownersOf(scope), signers);
        setAccountData(context, encodeMetadataAddress(metadataAddr), value);
        completed(context, 'SetAccountData', signers);
        return {};
      }),
  ),
];

import { create } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  EventRecordCreatedSchema,
  EventRecordDeletedSchema,
  EventRecordUpdatedSchema,
  EventSessionCreatedSchema,
  EventSessionDeletedSchema,
  EventSessionUpdatedSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/events_pb.js';
import {
  type AuditFields,
  AuditFieldsSchema,
  type Record as MetadataRecord,
  type Party,
  RecordSchema,
  SessionSchema,
} from '../../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import {
  DefinitionType,
  type PartyType,
  PartyTypeSchema,
  type RecordSpecification,
} from '../../../../../../src/proto/provenance/metadata/v1/specification_pb.js';
import {
  MsgDeleteRecordRequestSchema,
  MsgDeleteRecordResponseSchema,
  MsgWriteRecordRequestSchema,
  MsgWriteRecordResponseSchema,
  MsgWriteSessionRequestSchema,
  MsgWriteSessionResponseSchema,
  type SessionIdComponents,
} from '../../../../../../src/proto/provenance/metadata/v1/tx_pb.js';
import { PlainError, refusing } from '../../runtime/abciErrors.ts';
import type { Context } from '../../runtime/context.ts';
import { typedEvent } from '../../runtime/events.ts';
import { type MessageHandler, onMessage } from '../../runtime/keeper.ts';
import {
  addressOfUuid,
  decodeMetadataAddress,
  encodeMetadataAddress,
  isMetadataAddress,
  recordIdOf,
  recordSpecIdOf,
  scopeIdOf,
  sessionIdOf,
} from '../../runtime/metadataAddress.ts';
import { keyOf } from '../../state/bytes.ts';
import { completed, loadScope, ownersOf, requireSigned } from './checks.ts';
import { recordIdInfo, sessionIdInfo } from './idInfo.ts';
import {
  findContractSpec,
  findRecord,
  findRecordSpec,
  findScopeSpec,
  findSession,
  findStoredScope,
  metadataStore,
  recordsOf,
  saveRecord,
  saveSession,
} from './state.ts';

const sameId = (one: Uint8Array, other: Uint8Array): boolean => keyOf(one) === keyOf(other);

/** The time of Go's zero value, which the chain stores for a session that was never updated (recorded). */
const never = create(AuditFieldsSchema, { updatedDate: { seconds: -62_135_596_800n } }).updatedDate;

function auditOf(context: Context, before: AuditFields | undefined, signers: readonly string[]): AuditFields {
  const [now, by] = [timestampFromMs(Number(context.block.time / 1_000_000n)), signers.join(', ')];
  now.nanos = Number(context.block.time % 1_000_000_000n);
  if (before === undefined)
    return create(AuditFieldsSchema, { createdDate: now, createdBy: by, updatedDate: never, version: 1 });
  return create(AuditFieldsSchema, { ...before, updatedDate: now, updatedBy: by, version: before.version + 1, message: '' });
}

/** Sets the session id from its components, if the message has them. */
function sessionIdFrom(id: Uint8Array, components: SessionIdComponents | undefined): Uint8Array {
  const { scopeIdentifier: scope, sessionUuid } = components ?? {};
  if (scope?.case === undefined || sessionUuid === undefined) return id;
  const scopeId =
    scope.case === 'scopeUuid' ? addressOfUuid('scope', scope.value) : decodeMetadataAddress('scope', scope.value);
  return sessionIdOf(scopeId, sessionUuid);
}

/** Throws if no party has one of the roles. Each party counts for one role. */
function requireRoles(parties: readonly Party[], roles: readonly PartyType[]): void {
  const free = [...parties];
  for (const role of roles) {
    const index = free.findIndex((party) => party.role === role);
    if (index === -1) throw new PlainError(`missing roles required by spec: ${roleName(role)} need 1 have 0`);
    free.splice(index, 1);
  }
}

function roleName(role: PartyType): string {
  return (PartyTypeSchema.value[role]?.name ?? '').replace('PARTY_TYPE_', '');
}

function addressesOf(parties: readonly Party[]): string[] {
  return [...new Set(parties.map(({ address }) => address))];
}

/** Removes a session in which no record is left. */
function removeIfEmpty(context: Context, sessionId: Uint8Array): void {
  const isInUse = recordsOf(context, scopeIdOf(sessionId)).some((record) => sameId(record.sessionId, sessionId));
  if (isInUse || findSession(context, sessionId) === undefined) return;
  context.delete(metadataStore, keyOf(sessionId));
  const event = { sessionAddr: encodeMetadataAddress(sessionId), scopeAddr: encodeMetadataAddress(scopeIdOf(sessionId)) };
  context.emit(typedEvent(EventSessionDeletedSchema, event));
}

/** Removes a record, and its session if it was the last one there. */
export function removeRecord(context: Context, record: MetadataRecord): void {
  const id = recordIdOf(record.sessionId, record.name);
  context.delete(metadataStore, keyOf(id));
  const event = { recordAddr: encodeMetadataAddress(id), scopeAddr: encodeMetadataAddress(scopeIdOf(id)) };
  context.emit(typedEvent(EventRecordDeletedSchema, event));
  removeIfEmpty(context, record.sessionId);
}

function requireInputs(context: Context, record: MetadataRecord, spec: RecordSpecification): void {
  const names = record.inputs.map(({ name }) => name);
  const missing = spec.inputs.filter(({ name }) => !names.includes(name)).map(({ name }) => name);
  const plural = (list: readonly string[]): string => (list.length === 1 ? '' : 's');
  if (missing.length > 0) throw new PlainError(`missing input${plural(missing)} [${missing.join(' ')}]`);
  const extra = names.filter((each) => !spec.inputs.some(({ name }) => name === each));
  if (extra.length > 0) throw new PlainError(`extra input${plural(extra)} [${extra.join(' ')}]`);
  for (const { name, typeName, source } of record.inputs) {
    const expected = spec.inputs.find((each) => each.name === name);
    if (expected === undefined || expected.typeName !== typeName) {
      throw new PlainError(`input ${name} has TypeName ${typeName} but spec calls for ${expected?.typeName}`);
    }
    if (source.case === 'recordId' && findRecord(context, source.value) === undefined) {
      throw new PlainError(`input ${name} source record id ${encodeMetadataAddress(source.value)} not found`);
    }
  }
}

function requireOutputs({ outputs }: MetadataRecord, { resultType }: RecordSpecification): void {
  if (resultType === DefinitionType.RECORD && outputs.length !== 1)
    throw new PlainError(`invalid output count (expected: 1, got: ${outputs.length})`);
  if (resultType === DefinitionType.RECORD_LIST && outputs.length === 0)
    throw new PlainError('invalid output count (expected > 0, got: 0)');
}

/** The messages of sessions and records. Party rollup and the rules for contracts as signers are not implemented. */
export const recordMessages: readonly MessageHandler[] = [
  onMessage(
    MsgWriteSessionRequestSchema,
    MsgWriteSessionResponseSchema,
    ({ signers }) => signers,
    (context, message) =>
      refusing(() => {
        const session = create(SessionSchema, message.session);
        session.sessionId = sessionIdFrom(session.sessionId, message.sessionIdComponents);
        if (message.specUuid !== '') session.specificationId = addressOfUuid('contractspec', message.specUuid);
        const { sessionId, specificationId } = session;
        if (!isMetadataAddress('session', sessionId)) throw new PlainError('invalid session identifier');
        if (session.parties.length === 0) throw new PlainError('at least one party is required');
        const before = findSession(context, sessionId);
        if (before !== undefined && session.name === '')
          throw new PlainError('proposed name to existing session must not be empty');
        const scope = findStoredScope(context, scopeIdOf(sessionId));
        if (scope === undefined)
          throw new PlainError(`scope not found for scope id ${encodeMetadataAddress(scopeIdOf(sessionId))}`);
        const spec = findContractSpec(context, specificationId);
        if (spec === undefined)
          throw new PlainError(`cannot find contract specification ${encodeMetadataAddress(specificationId)}`);
        const scopeSpec = findScopeSpec(context, scope.specificationId);
        if (!scopeSpec?.contractSpecIds.some((id) => sameId(id, specificationId))) {
          const names = [specificationId, scope.specificationId].map(encodeMetadataAddress);
          throw new PlainError(`contract spec ${names[0]} not listed in scope spec ${names[1]}`);
        }
        requireRoles(session.parties, spec.partiesInvolved);
        requireSigned(ownersOf(scope), message.signers);
        session.audit = auditOf(context, before?.audit, message.signers);
        saveSession(context, session);
        const event = { sessionAddr: encodeMetadataAddress(sessionId), scopeAddr: encodeMetadataAddress(scope.scopeId) };
        context.emit(
          before === undefined ? typedEvent(EventSessionCreatedSchema, event) : typedEvent(EventSessionUpdatedSchema, event),
        );
        completed(context, 'WriteSession', message.signers);
        return { sessionIdInfo: sessionIdInfo(sessionId) };
      }),
  ),
  onMessage(
    MsgWriteRecordRequestSchema,
    MsgWriteRecordResponseSchema,
    ({ signers }) => signers,
    (context, message) =>
      refusing(() => {
        const record = create(RecordSchema, message.record);
        record.sessionId = sessionIdFrom(record.sessionId, message.sessionIdComponents);
        const { name, sessionId } = record;
        if (!isMetadataAddress('session', sessionId)) throw new PlainError('invalid record identifier');
        if (name === '') throw new PlainError('invalid/missing name for record');
        const id = recordIdOf(sessionId, name);
        const before = findRecord(context, id);
        if (before !== undefined && before.name !== name) throw new PlainError('the Name field of records cannot be changed');
        loadScope(context, scopeIdOf(sessionId));
        const session = findSession(context, sessionId);
        if (session === undefined) throw new PlainError(`session not found for session id ${encodeMetadataAddress(sessionId)}`);
        record.specificationId = recordSpecIdOf(session.specificationId, name);
        const spec = findRecordSpec(context, record.specificationId);
        if (spec === undefined) {
          const [specAddress, contract] = [record.specificationId, session.specificationId].map(encodeMetadataAddress);
          throw new PlainError(
            `record specification not found for record specification id ${specAddress} (contract spec id ${contract} and record name "${name}")`,
          );
        }
        requireRoles(session.parties, spec.responsibleParties);
        const moved = before !== undefined && !sameId(before.sessionId, sessionId);
        const earlier = moved ? findSession(context, before.sessionId) : undefined;
        requireSigned(addressesOf([...session.parties, ...(earlier?.parties ?? [])]), message.signers);
        requireInputs(context, record, spec);
        requireOutputs(record, spec);
        saveRecord(context, record);
        const event = {
          recordAddr: encodeMetadataAddress(id),
          sessionAddr: encodeMetadataAddress(sessionId),
          scopeAddr: encodeMetadataAddress(scopeIdOf(id)),
        };
        context.emit(
          before === undefined ? typedEvent(EventRecordCreatedSchema, event) : typedEvent(EventRecordUpdatedSchema, event),
        );
        if (moved) removeIfEmpty(context, before.sessionId);
        completed(context, 'WriteRecord', message.signers);
        return { recordIdInfo: recordIdInfo(id) };
      }),
  ),
  onMessage(
    MsgDeleteRecordRequestSchema,
    MsgDeleteRecordResponseSchema,
    ({ signers }) => signers,
    (context, { recordId, signers }) =>
      refusing(() => {
        const record = isMetadataAddress('record', recordId) ? findRecord(context, recordId) : undefined;
        if (record === undefined) throw new PlainError(`record does not exist to delete: ${encodeMetadataAddress(recordId)}`);
        requireSigned(ownersOf(loadScope(context, scopeIdOf(recordId))), signers);
        removeRecord(context, record);
        completed(context, 'DeleteRecord', signers);
        return {};
      }),
  ),
];

import type { GraphQLResolveInfo } from 'graphql';
import { unrecognized } from '../../reads/input.ts';
import { type Awaitable, andThen, type Pinned, pinned, pinnedValue, pinOf } from '../../reads/pin.ts';
import {
  type Builder,
  connectionArgs,
  createRef,
  enumValues,
  nonNull,
  nonNullList,
  usesContext,
} from '../../schema/builder.ts';
import { addConnection, type Connection, type ConnectionArgs, derivedConnection } from '../../schema/connection.ts';
import { addEntity, addHeightFields } from '../../schema/entities.ts';
import { AccountRef, accountOf, accountOrNull } from '../account/schema.ts';
import { metadataBytes, metadataIdInput, recordAddress } from './address.ts';
import type { Scope } from './query.ts';
import {
  createRecordLoaders,
  idKey,
  inputStatuses,
  type RecordInput,
  type RecordOutput,
  resultStatuses,
  type ScopeRecord,
  type ScopeSession,
} from './recordQuery.ts';
import { PartyRef, ScopeRef, scopeAt } from './schema.ts';
import {
  ContractSpecificationRef,
  contractSpecificationAt,
  RecordSpecificationRef,
  recordSpecificationAt,
} from './specificationSchema.ts';

const SessionRef = createRef<Pinned<ScopeSession>>('ScopeSession');
const SessionConnectionRef = createRef<Connection<Pinned<ScopeSession>>>('ScopeSessionConnection');
const RecordRef = createRef<Pinned<ScopeRecord>>('ScopeRecord');
const RecordConnectionRef = createRef<Connection<Pinned<ScopeRecord>>>('ScopeRecordConnection');
const ProcessRef = createRef<Pinned<ScopeRecord['process']>>('RecordProcess');
const InputRef = createRef<Pinned<RecordInput>>('RecordInput');
const OutputRef = createRef<RecordOutput>('RecordOutput');

/** Reads the session with this id under the pin of `parent`; null if it does not exist. */
function sessionAt(parent: Pinned<object>, id: string): Awaitable<Pinned<ScopeSession> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createRecordLoaders).session.load(id));
}

/** Reads the record with this id under the pin of `parent`; null if it does not exist. */
function recordAt(parent: Pinned<object>, id: string): Awaitable<Pinned<ScopeRecord> | null> {
  const pin = pinOf(parent);
  return pinnedValue(pin, pin.loaders(createRecordLoaders).record.load(id));
}

/** A page of the records of a scope or of one of its sessions. */
function recordsOf(
  parent: Pinned<{ readonly id: string }>,
  scopeId: string,
  args: ConnectionArgs,
  info: GraphQLResolveInfo,
): Awaitable<Connection<Pinned<ScopeRecord>> | null> {
  const pin = pinOf(parent);
  const { id } = parent;
  const read = () =>
    andThen(pin.loaders(createRecordLoaders).contents.load(scopeId), ({ records }) =>
      id === scopeId ? records : records.filter(({ sessionId }) => sessionId === id),
    );
  return derivedConnection<ScopeRecord, readonly ScopeRecord[]>(pin, `records/${id}`, read, idKey, args, info);
}

/** Adds the sessions and records of scopes. */
export function addScopeRecords(builder: Builder): void {
  addSession(builder);
  addParts(builder);
  addRecord(builder);
  builder.objectFields(ScopeRef, (t) => ({
    sessions: t.field({
      type: SessionConnectionRef,
      description: 'Sessions that wrote records of the scope, by address. A session without records is removed.',
      args: connectionArgs(builder),
      resolve: usesContext((scope: Pinned<Scope>, args, _context, info) => {
        const { contents } = pinOf(scope).loaders(createRecordLoaders);
        const read = () => andThen(contents.load(scope.id), ({ sessions }) => sessions);
        const name = `sessions/${scope.id}`;
        return derivedConnection<ScopeSession, readonly ScopeSession[]>(pinOf(scope), name, read, idKey, args, info);
      }),
    }),
    records: t.field({
      type: RecordConnectionRef,
      description: 'Records of the scope, by address. Read together with its sessions.',
      args: connectionArgs(builder),
      resolve: usesContext((scope: Pinned<Scope>, args, _context, info) => recordsOf(scope, scope.id, args, info)),
    }),
    record: t.field({
      type: RecordRef,
      description: 'The record of the scope with this name, without regard to case; null if it does not exist.',
      args: { name: t.arg.string({ required: true }) },
      resolve: (scope: Pinned<Scope>, { name }) => recordAt(scope, recordAddress(metadataBytes(scope.id), name)),
    }),
  }));
  addHeightFields(builder, (t) => ({
    scopeSession: t.field({
      type: SessionRef,
      description: 'The session of a scope with this `session1…` address; null if it does not exist.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => sessionAt(root, metadataIdInput('session', 'id', id)),
    }),
    scopeRecord: t.field({
      type: RecordRef,
      description: 'The record of a scope with this `record1…` address; null if it does not exist.',
      args: { id: t.arg.id({ required: true }) },
      resolve: (root, { id }) => recordAt(root, metadataIdInput('record', 'id', id)),
    }),
  }));
}

function addSession(builder: Builder): void {
  builder.objectType(SessionRef, {
    description: 'The context in which records of a scope were written: who took part, and by which contract specification.',
    fields: (t) => ({
      id: t.exposeID('id', { nullable: false, description: 'Bech32 address, `session1…`.' }),
      uuid: t.exposeString('uuid', {
        nullable: false,
        description: 'The second UUID in the address; the first is that of the scope.',
      }),
      scope: t.field({ type: ScopeRef, description: 'Its scope.', resolve: (session) => scopeAt(session, session.scopeId) }),
      specification: t.field({
        type: ContractSpecificationRef,
        description: 'Its contract specification; null if that does not exist any more.',
        resolve: (session) =>
          session.specificationId === null ? null : contractSpecificationAt(session, session.specificationId),
      }),
      parties: t.field({
        ...nonNullList(PartyRef, 'Accounts that took part.'),
        resolve: (session) => session.parties.map((party) => pinned(pinOf(session), party)),
      }),
      name: t.exposeString('name', { nullable: false, description: 'Name, usually that of a class; can be empty.' }),
      context: t.expose('context', nonNull('Base64', 'Data of the client; can be empty.')),
      created: t.expose('created', { type: 'DateTime', description: 'Time of the first write; null if it is not known.' }),
      createdBy: t.field({
        ...nonNullList(AccountRef, 'Signers of the first write.'),
        resolve: (session) => session.createdBy.map((address) => accountOf(session, address)),
      }),
      updated: t.expose('updated', {
        type: 'DateTime',
        description: 'Time of the last further write; null if there was none.',
      }),
      updatedBy: t.field({
        ...nonNullList(AccountRef, 'Signers of the last further write.'),
        resolve: (session) => session.updatedBy.map((address) => accountOf(session, address)),
      }),
      version: t.exposeInt('version', { nullable: false, description: 'Number of writes.' }),
      message: t.exposeString('message', { nullable: false, description: 'Message of the last write; can be empty.' }),
      records: t.field({
        type: RecordConnectionRef,
        description: 'Records of the session, by address.',
        args: connectionArgs(builder),
        resolve: usesContext((session: Pinned<ScopeSession>, args, _context, info) =>
          recordsOf(session, session.scopeId, args, info),
        ),
      }),
    }),
  });
  addEntity(builder, SessionRef, { id: (root, id) => sessionAt(root, metadataIdInput('session', 'id', id)) });
  addConnection(builder, SessionRef, SessionConnectionRef, 'sessions of a scope');
}

function addParts(builder: Builder): void {
  const InputStatusRef = builder.enumType('RecordInputStatus', {
    description: 'Where an input of a record is from.',
    values: enumValues([...inputStatuses, unrecognized], {
      RECORD_INPUT_STATUS_PROPOSED: 'Data that is not on the chain, known by its hash.',
      RECORD_INPUT_STATUS_RECORD: 'Another record.',
    }),
  });
  const ResultStatusRef = builder.enumType('RecordResultStatus', {
    description: 'The outcome of a process.',
    values: enumValues([...resultStatuses, unrecognized]),
  });
  builder.objectType(ProcessRef, {
    description: 'What made a record.',
    fields: (t) => ({
      account: accountOrNull(
        t,
        'The contract on the chain that made it; null if it was made elsewhere.',
        ({ address }) => address,
      ),
      hash: t.exposeString('hash', { description: 'Hash of the process that made it outside of the chain; null otherwise.' }),
      name: t.exposeString('name', { nullable: false, description: 'Name of the process or its class.' }),
      method: t.exposeString('method', { nullable: false, description: 'Name of the operation.' }),
    }),
  });
  builder.objectType(InputRef, {
    description: 'What a record was made from: another record, or the hash of data that is not on the chain.',
    fields: (t) => ({
      name: t.exposeString('name', { nullable: false, description: 'Name, as in the record specification.' }),
      typeName: t.exposeString('typeName', { nullable: false, description: 'Name of its type.' }),
      record: t.field({
        type: RecordRef,
        description: 'The record; null if the input is none, or if it does not exist any more.',
        resolve: (input) => (input.recordId === null ? null : recordAt(input, input.recordId)),
      }),
      hash: t.exposeString('hash', { description: 'Hash of the data; null if the input is a record.' }),
      status: t.expose('status', nonNull(InputStatusRef, 'Where it is from.')),
    }),
  });
  builder.objectType(OutputRef, {
    description: 'A result of the process that made a record.',
    fields: (t) => ({
      hash: t.exposeString('hash', { nullable: false, description: 'Hash of the data, as the client wrote it.' }),
      status: t.expose('status', nonNull(ResultStatusRef, 'Whether the process succeeded.')),
    }),
  });
}

function addRecord(builder: Builder): void {
  builder.objectType(RecordRef, {
    description: 'A record of a scope: hashes of data, and of what they were made from. Its name is unique in its scope.',
    fields: (t) => ({
      id: t.exposeID('id', { nullable: false, description: 'Bech32 address, `record1…`.' }),
      name: t.exposeString('name', { nullable: false, description: 'Name, unique in the scope.' }),
      scope: t.field({ type: ScopeRef, description: 'Its scope.', resolve: (record) => scopeAt(record, record.scopeId) }),
      session: t.field({
        type: SessionRef,
        description: 'The session that wrote it last.',
        resolve: (record) => sessionAt(record, record.sessionId),
      }),
      specification: t.field({
        type: RecordSpecificationRef,
        description: 'Its record specification; null if it has none, or if that does not exist any more.',
        resolve: (record) => (record.specificationId === null ? null : recordSpecificationAt(record, record.specificationId)),
      }),
      process: t.field({
        ...nonNull(ProcessRef, 'What made it.'),
        resolve: (record) => pinned(pinOf(record), record.process),
      }),
      inputs: t.field({
        ...nonNullList(InputRef, 'What it was made from.'),
        resolve: (record) => record.inputs.map((input) => pinned(pinOf(record), input)),
      }),
      outputs: t.expose('outputs', nonNullList(OutputRef, 'Its results.')),
    }),
  });
  addEntity(builder, RecordRef, { id: (root, id) => recordAt(root, metadataIdInput('record', 'id', id)) });
  addConnection(builder, RecordRef, RecordConnectionRef, 'records of a scope');
}

import { fromSecondsAndNanos, type Nanoseconds } from '../../chain/base/time.ts';
import { Query } from '../../proto/provenance/metadata/v1/query_pb.js';
import * as wire from '../../proto/provenance/metadata/v1/scope_pb.js';
import { unrecognized } from '../../reads/input.ts';
import { checkScan } from '../../reads/page.ts';
import { andThen, lazyLoaders, ReadOnce } from '../../reads/pin.ts';
import { stateRead, valueOnce } from '../../reads/query.ts';
import { addressOrNull, metadataAddress, metadataBytes, parentAddress, recordAddress, uuidOf } from './address.ts';
import { partyFromWire } from './query.ts';

/** Names of `provenance.metadata.v1.RecordInputStatus`. */
export const inputStatuses = [
  'RECORD_INPUT_STATUS_UNSPECIFIED',
  'RECORD_INPUT_STATUS_PROPOSED',
  'RECORD_INPUT_STATUS_RECORD',
] as const;

/** Names of `provenance.metadata.v1.ResultStatus`. */
export const resultStatuses = [
  'RESULT_STATUS_UNSPECIFIED',
  'RESULT_STATUS_PASS',
  'RESULT_STATUS_SKIP',
  'RESULT_STATUS_FAIL',
] as const;

/** The time of a change; null for none. The chain stores Go's zero time for it, which is in the year 1 (recorded). */
function timeOf(time: Parameters<typeof fromSecondsAndNanos>[0]): Nanoseconds | null {
  return time === undefined || time.seconds <= 0n ? null : fromSecondsAndNanos(time);
}

/** The addresses of the signers of a change, which the chain joins to one text (recorded). */
function signersOf(text: string): readonly string[] {
  return text === '' ? [] : text.split(', ');
}

function sessionFromWire({ sessionId, specificationId, parties, name, context, audit }: wire.Session) {
  return {
    id: metadataAddress('session', sessionId),
    uuid: uuidOf(sessionId, 17),
    scopeId: parentAddress('scope', sessionId),
    specificationId: addressOrNull('contractspec', specificationId),
    parties: parties.map(partyFromWire),
    name,
    context,
    created: timeOf(audit?.createdDate),
    createdBy: signersOf(audit?.createdBy ?? ''),
    updated: timeOf(audit?.updatedDate),
    updatedBy: signersOf(audit?.updatedBy ?? ''),
    version: audit?.version ?? 0,
    message: audit?.message ?? '',
  };
}

/** A session of a scope: what wrote some of its records. Ids are bech32 addresses, times are nanoseconds since 1970. */
export type ScopeSession = Readonly<ReturnType<typeof sessionFromWire>>;

function inputFromWire({ name, source, typeName, status: number }: wire.RecordInput) {
  const status = wire.RecordInputStatusSchema.value[number]?.name;
  return {
    name,
    typeName,
    recordId: source.case === 'recordId' ? addressOrNull('record', source.value) : null,
    hash: source.case === 'hash' ? source.value : null,
    status: inputStatuses.find((each) => each === status) ?? unrecognized,
  };
}

/** An input of the process that made a record: another record, or the hash of data that is not on the chain. */
export type RecordInput = Readonly<ReturnType<typeof inputFromWire>>;

function outputFromWire({ hash, status: number }: wire.RecordOutput) {
  const status = wire.ResultStatusSchema.value[number]?.name;
  return { hash, status: resultStatuses.find((each) => each === status) ?? unrecognized };
}

/** The hash of a result, and whether its process succeeded. */
export type RecordOutput = Readonly<ReturnType<typeof outputFromWire>>;

function recordFromWire({ name, sessionId, process, inputs, outputs, specificationId }: wire.Record) {
  const maker = process?.processId;
  return {
    id: recordAddress(sessionId, name),
    name,
    scopeId: parentAddress('scope', sessionId),
    sessionId: metadataAddress('session', sessionId),
    specificationId: addressOrNull('recspec', specificationId),
    process: {
      address: maker?.case === 'address' ? maker.value : null,
      hash: maker?.case === 'hash' ? maker.value : null,
      name: process?.name ?? '',
      method: process?.method ?? '',
    },
    inputs: inputs.map(inputFromWire),
    outputs: outputs.map(outputFromWire),
  };
}

/** A record of a scope: the hashes of data that a process made from its inputs. Ids are bech32 addresses. */
export type ScopeRecord = Readonly<ReturnType<typeof recordFromWire>>;

/** The sessions and records of a scope. */
interface ScopeContents {
  readonly sessions: readonly ScopeSession[];
  readonly records: readonly ScopeRecord[];
}

const readContents = stateRead({
  method: Query.method.scope,
  request: (scopeId: string) => ({ scopeId, includeSessions: true, includeRecords: true, excludeIdInfo: true }),
  value: ({ sessions, records }): ScopeContents => {
    checkScan(sessions.length + records.length, 'sessions and records of a scope');
    return {
      sessions: sessions.flatMap(({ session }) => (session ? [sessionFromWire(session)] : [])),
      records: records.flatMap(({ record }) => (record ? [recordFromWire(record)] : [])),
    };
  },
});

/** Reads a session; null if it does not exist, which the chain reports as a response without a session (recorded). */
const readSession = stateRead({
  method: Query.method.sessions,
  request: (sessionId: string) => ({ sessionId, excludeIdInfo: true }),
  value: ({ sessions: [answer] }): ScopeSession | null => (answer?.session ? sessionFromWire(answer.session) : null),
});

/** Reads a record; null if it does not exist, as for sessions (recorded). */
const readRecord = stateRead({
  method: Query.method.records,
  request: (recordAddr: string) => ({ recordAddr, excludeIdInfo: true }),
  value: ({ records: [answer] }): ScopeRecord | null => (answer?.record ? recordFromWire(answer.record) : null),
});

interface RecordLoaders {
  readonly contents: ReadOnce<string, ScopeContents>;
  readonly session: ReadOnce<string, ScopeSession | null>;
  readonly record: ReadOnce<string, ScopeRecord | null>;
}

/** The loaders of one pin, by address. Sessions and records that a scope was read with are not read again. */
export const createRecordLoaders = lazyLoaders<RecordLoaders>({
  contents: ({ state }, loaders) =>
    new ReadOnce((scopeId: string) =>
      andThen(readContents(state, scopeId), (contents) => {
        loaders.session.prime(contents.sessions, ({ id }) => id);
        loaders.record.prime(contents.records, ({ id }) => id);
        return contents;
      }),
    ),
  session: valueOnce(readSession),
  record: valueOnce(readRecord),
});

/** Sort key of sessions and records, the bytes of the address, by which the chain returns them (recorded). */
export const idKey = ({ id }: { readonly id: string }): Uint8Array => metadataBytes(id);

import { Query } from '../../../../../../src/proto/provenance/metadata/v1/query_pb.js';
import type { Record as MetadataRecord, Session } from '../../../../../../src/proto/provenance/metadata/v1/scope_pb.js';
import { abciError, refusing } from '../../runtime/abciErrors.ts';
import { onQuery, type QueryHandler } from '../../runtime/keeper.ts';
import {
  decodeMetadataAddress,
  encodeMetadataAddress,
  recordIdOf,
  scopeIdOf,
  sessionIdOf,
} from '../../runtime/metadataAddress.ts';
import { keyOf } from '../../state/bytes.ts';
import type { StoreView } from '../../state/store.ts';
import { contractSpecIdInfo, recordIdInfo, recordSpecIdInfo, sessionIdInfo } from './idInfo.ts';
import { findScope, parseId, wrapScope } from './lookups.ts';
import { findRecord, findSession, recordsOf, sessionsOf } from './state.ts';

const sameId = (one: Uint8Array, other: Uint8Array): boolean => keyOf(one) === keyOf(other);

/** A session as responses contain it. */
export function wrapSession(session: Session, bare: boolean) {
  if (bare) return { session };
  const infos = { contractSpecIdInfo: contractSpecIdInfo(session.specificationId) };
  return { session, sessionIdInfo: sessionIdInfo(session.sessionId), ...infos };
}

/** A record as responses contain it. */
export function wrapRecord(record: MetadataRecord, bare: boolean) {
  if (bare) return { record };
  const infos = { recordSpecIdInfo: recordSpecIdInfo(record.specificationId) };
  return { record, recordIdInfo: recordIdInfo(recordIdOf(record.sessionId, record.name)), ...infos };
}

interface Place {
  readonly scopeId: string;
  readonly sessionId: string;
  readonly recordAddr: string;
  readonly name: string;
}

/** The scope, session and record that a request names. Throws if they do not fit together. */
export function placeOf({ scopeId, sessionId, recordAddr, name }: Place) {
  return refusing(() => {
    let scope = scopeId === '' ? undefined : parseId('scope', 'scope', scopeId);
    let record = recordAddr === '' ? undefined : decodeMetadataAddress('record', recordAddr);
    if (record !== undefined) {
      scope ??= scopeIdOf(record);
      if (!sameId(scope, scopeIdOf(record)))
        throw abciError('invalidRequest', `record ${recordAddr} is not part of scope ${encodeMetadataAddress(scope)}`);
    }
    const isUuid = !sessionId.startsWith('session1') && scope !== undefined;
    let session: Uint8Array | undefined;
    if (sessionId !== '')
      session = isUuid ? sessionIdOf(scope ?? new Uint8Array(), sessionId) : decodeMetadataAddress('session', sessionId);
    if (session !== undefined) {
      scope ??= scopeIdOf(session);
      if (!sameId(scope, scopeIdOf(session)))
        throw abciError('invalidRequest', `session ${sessionId} is not in scope ${encodeMetadataAddress(scope)}`);
    }
    if (name !== '') {
      if (scope === undefined) throw abciError('invalidRequest', 'a scope or session is required to look up records by name');
      const byName = recordIdOf(scope, name);
      record ??= byName;
      if (!sameId(record, byName)) throw abciError('invalidRequest', `record ${recordAddr} does not have name ${name}`);
    }
    if (scope === undefined) throw abciError('invalidRequest', 'empty request parameters');
    return { scope, session, record };
  });
}

function sessionOrInfo(state: StoreView, id: Uint8Array, bare: boolean) {
  const session = findSession(state, id);
  return session === undefined ? { sessionIdInfo: sessionIdInfo(id) } : wrapSession(session, bare);
}

/** `Sessions` and `Records`. An absent session or record that is named is its address without content (recorded). */
export const recordQueries: readonly QueryHandler[] = [
  onQuery(Query.method.sessions, (state, request) => {
    const { scope, session, record } = placeOf({ ...request, name: request.recordName });
    const bare = request.excludeIdInfo;
    const stored = record && findRecord(state, record);
    if (record !== undefined && stored === undefined)
      throw abciError('invalidRequest', `record ${encodeMetadataAddress(record)} does not exist`);
    if (record !== undefined && stored !== undefined && session !== undefined && !sameId(stored.sessionId, session)) {
      const [name, own, asked] = [record, stored.sessionId, session].map(encodeMetadataAddress);
      throw abciError('invalidRequest', `record ${name} belongs to session ${own} (not ${asked})`);
    }
    const ownSession = session ?? stored?.sessionId;
    const sessions = ownSession
      ? [sessionOrInfo(state, ownSession, bare)]
      : sessionsOf(state, scope).map((each) => wrapSession(each, bare));
    const isIn = ({ sessionId }: MetadataRecord): boolean =>
      sessions.some((each) => 'session' in each && sameId(each.session.sessionId, sessionId));
    return {
      sessions,
      ...(request.includeScope && { scope: wrapScope(scope, findScope(state, scope), bare) }),
      ...(request.includeRecords && {
        records: recordsOf(state, scope)
          .filter(isIn)
          .map((each) => wrapRecord(each, bare)),
      }),
      ...(request.includeRequest && { request }),
    };
  }),
  onQuery(Query.method.records, (state, request) => {
    const { scope, session, record } = placeOf(request);
    const bare = request.excludeIdInfo;
    const stored = record && findRecord(state, record);
    const all = record
      ? [stored ?? []].flat()
      : recordsOf(state, scope).filter(({ sessionId }) => session === undefined || sameId(session, sessionId));
    const sessionIds = new Map(all.map(({ sessionId }) => [keyOf(sessionId), sessionId]));
    const records = all.map((each) => wrapRecord(each, bare));
    return {
      records: record !== undefined && stored === undefined ? [{ recordIdInfo: recordIdInfo(record) }] : records,
      ...(request.includeScope && { scope: wrapScope(scope, findScope(state, scope), bare) }),
      ...(request.includeSessions && {
        sessions: [...sessionIds.values()].map((id) => sessionOrInfo(state, id, bare)),
      }),
      ...(request.includeRequest && { request }),
    };
  }),
];

import { contractSpecIdOf, encodeMetadataAddress, scopeIdOf, uuidOf } from '../../runtime/metadataAddress.ts';

/** The parts of an address in the module's responses: first byte, bytes of the UUID, bech32, UUID. */
function parts(id: Uint8Array) {
  return { prefix: id.slice(0, 1), uuidBytes: id.slice(1, 17), address: encodeMetadataAddress(id), uuid: uuidOf(id) };
}

/** Returns the parts of a scope's address. */
export function scopeIdInfo(scopeId: Uint8Array) {
  const { prefix, uuidBytes, address, uuid } = parts(scopeId);
  return { scopeId, scopeIdPrefix: prefix, scopeIdScopeUuid: uuidBytes, scopeAddr: address, scopeUuid: uuid };
}

/** Returns the parts of a scope specification's address. */
export function scopeSpecIdInfo(scopeSpecId: Uint8Array) {
  const { prefix, uuidBytes, address, uuid } = parts(scopeSpecId);
  return {
    scopeSpecId,
    scopeSpecIdPrefix: prefix,
    scopeSpecIdScopeSpecUuid: uuidBytes,
    scopeSpecAddr: address,
    scopeSpecUuid: uuid,
  };
}

/** Returns the parts of a contract specification's address. */
export function contractSpecIdInfo(contractSpecId: Uint8Array) {
  const { prefix, uuidBytes, address, uuid } = parts(contractSpecId);
  return {
    contractSpecId,
    contractSpecIdPrefix: prefix,
    contractSpecIdContractSpecUuid: uuidBytes,
    contractSpecAddr: address,
    contractSpecUuid: uuid,
  };
}

/** Returns the parts of a session's address. */
export function sessionIdInfo(sessionId: Uint8Array) {
  const { prefix, uuidBytes, address } = parts(sessionId);
  return {
    sessionId,
    sessionIdPrefix: prefix,
    sessionIdScopeUuid: uuidBytes,
    sessionIdSessionUuid: sessionId.slice(17),
    sessionAddr: address,
    sessionUuid: uuidOf(sessionId.slice(16)),
    scopeIdInfo: scopeIdInfo(scopeIdOf(sessionId)),
  };
}

/** Returns the parts of a record's address. */
export function recordIdInfo(recordId: Uint8Array) {
  const { prefix, uuidBytes, address } = parts(recordId);
  return {
    recordId,
    recordIdPrefix: prefix,
    recordIdScopeUuid: uuidBytes,
    recordIdHashedName: recordId.slice(17),
    recordAddr: address,
    scopeIdInfo: scopeIdInfo(scopeIdOf(recordId)),
  };
}

/** Returns the parts of a record specification's address. */
export function recordSpecIdInfo(recordSpecId: Uint8Array) {
  const { prefix, uuidBytes, address } = parts(recordSpecId);
  return {
    recordSpecId,
    recordSpecIdPrefix: prefix,
    recordSpecIdContractSpecUuid: uuidBytes,
    recordSpecIdHashedName: recordSpecId.slice(17),
    recordSpecAddr: address,
    contractSpecIdInfo: contractSpecIdInfo(contractSpecIdOf(recordSpecId)),
  };
}

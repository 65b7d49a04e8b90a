import { encodeMetadataAddress, uuidOf } from '../../runtime/metadataAddress.ts';

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

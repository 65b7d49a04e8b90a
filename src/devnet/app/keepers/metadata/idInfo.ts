import { encodeMetadataAddress, uuidOf } from '../../runtime/metadataAddress.ts';

/** The parts that the module shows of an address: first byte, the UUID's bytes, bech32, the UUID. */
function parts(id: Uint8Array) {
  return { prefix: id.slice(0, 1), uuidBytes: id.slice(1, 17), address: encodeMetadataAddress(id), uuid: uuidOf(id) };
}

/** A scope's address taken apart, as answers have it. */
export function scopeIdInfo(scopeId: Uint8Array) {
  const { prefix, uuidBytes, address, uuid } = parts(scopeId);
  return { scopeId, scopeIdPrefix: prefix, scopeIdScopeUuid: uuidBytes, scopeAddr: address, scopeUuid: uuid };
}

/** The same of a scope specification's. */
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

/** The same of a contract specification's. */
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

import type { RpcMethodName } from '../../../chain/rpc/methods.ts';
import { asObject, bigintAt, bytesAt, type JsonObject, type JsonValue, objectAt, textAt } from '../../../chain/wire/json.ts';
import { decodeSteps, encodeProof } from '../../../modules/nodes/abci.ts';

/** Returns bytes in upper-case hex. Empty if there are none. */
function hexAt(object: JsonObject, name: string): string {
  return Buffer.from(bytesAt(object, name) ?? [])
    .toString('hex')
    .toUpperCase();
}

/** Converts the result of `abci_info`: every member is present, and the hash is hex. */
function infoOf(info: JsonObject): JsonObject {
  return {
    data: textAt(info, 'data'),
    version: textAt(info, 'version'),
    app_version: bigintAt(info, 'app_version').toString(),
    last_block_height: bigintAt(info, 'last_block_height').toString(),
    last_block_app_hash: hexAt(info, 'last_block_app_hash'),
  };
}

/**
 * Converts the result of `abci_query`: bytes are hex, and empty if there are none. The proof is one protobuf `ProofOps`. Code
 * and index are decimal strings. `info` and `codespace` are in addition to the documented members, because a code is ambiguous
 * without its codespace.
 */
function queryOf(response: JsonObject): JsonObject {
  const steps = decodeSteps(response);
  return {
    log: textAt(response, 'log'),
    height: bigintAt(response, 'height').toString(),
    proof: steps === null ? '' : encodeProof(steps),
    value: hexAt(response, 'value'),
    key: hexAt(response, 'key'),
    index: bigintAt(response, 'index').toString(),
    code: bigintAt(response, 'code').toString(),
    info: textAt(response, 'info'),
    codespace: textAt(response, 'codespace'),
  };
}

/** Converts a result from the node's dialect to the documented dialect. */
export function documentedResult(method: RpcMethodName, result: JsonValue): JsonValue {
  switch (method) {
    case 'abci_info':
      return { response: infoOf(objectAt(asObject(result, method), 'response')) };
    case 'abci_query':
      return { response: queryOf(objectAt(asObject(result, method), 'response')) };
    case 'broadcast_tx_commit': {
      // The documentation of older nodes calls it `deliver_tx`.
      const commit = asObject(result, method);
      return { ...commit, deliver_tx: commit.tx_result };
    }
    default:
      return result;
  }
}

import type { RpcMethodName } from '../../../chain/rpc/methods.ts';
import { asObject, bigintAt, bytesAt, objectAt, textAt } from '../../../chain/wire/decode.ts';
import type { JsonObject, JsonValue } from '../../../chain/wire/json.ts';
import { decodeSteps, encodeProof } from '../../../modules/nodes/abci.ts';

/** Bytes in upper case hex; empty where there are none. */
function hexAt(object: JsonObject, name: string): string {
  return Buffer.from(bytesAt(object, name) ?? [])
    .toString('hex')
    .toUpperCase();
}

/** The seed's application info: every member is there, the hash in hex. */
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
 * The seed's application query: bytes in hex, empty where there are none, the proof as one protobuf `ProofOps`, code and index in
 * decimal. `info` and `codespace` are told beside what the seed names: without the codespace a code says little.
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

/** The result of a method as the seed has it, of which the node's own is given. */
export function documentedResult(method: RpcMethodName, result: JsonValue): JsonValue {
  switch (method) {
    case 'abci_info':
      return { response: infoOf(objectAt(asObject(result, method), 'response')) };
    case 'abci_query':
      return { response: queryOf(objectAt(asObject(result, method), 'response')) };
    case 'broadcast_tx_commit': {
      // Documents of older nodes have the second name.
      const commit = asObject(result, method);
      return { ...commit, deliver_tx: commit.tx_result };
    }
    default:
      return result;
  }
}

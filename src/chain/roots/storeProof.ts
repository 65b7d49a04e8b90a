import { AbciRefusal, isPrunedLog, prunedState, refusalError } from '../rpc/rpcErrors.ts';
import {
  arrayAt,
  asObject,
  bigintAt,
  bytesAt,
  intAt,
  type JsonObject,
  type JsonValue,
  malformed,
  objectAt,
  textAt,
} from '../wire/json.ts';
import { decodeSimpleProof, type SimpleProof } from './simpleProof.ts';

/** The type of the operation that proves the root of a store under the application hash. */
const simpleType = 'ics23:simple';

/**
 * A key that no store has. The proof that it is absent has one neighbour, so the answer is small, and the second operation of
 * the proof is the same for every key.
 */
const absentKey = 'ff';

/** The params of the `abci_query` that reads the proof of a store's root at a height. */
export function storeProofParams(store: string, height: bigint): JsonObject {
  return { path: `/store/${store}/key`, data: absentKey, height: height.toString(), prove: true };
}

/**
 * Decodes the result of such a call. Returns undefined if the answer has no proof of this kind, as on a chain with other
 * proofs. Throws NODE_INVALID_RESPONSE for an invalid proof, HEIGHT_PRUNED for pruned state, and ABCI_QUERY_FAILED if the
 * application refuses the query, as at height 1 or for a store that does not exist.
 *
 * The `ics23:iavl` operation, which proves the key, is not decoded: only the root of the store matters here. A strict verifier
 * also rejects some valid ones, because a neighbour of the key may have an empty value.
 */
export function decodeStoreProof(result: JsonValue, store: string, height: bigint): SimpleProof | undefined {
  const response = objectAt(asObject(result, 'result'), 'response');
  if (intAt(response, 'code') !== 0) throw refusalError(response, height);
  if (isPrunedLog(textAt(response, 'log'))) throw prunedState(height, new AbciRefusal(response));
  const answered = bigintAt(response, 'height');
  if (answered !== height) throw malformed(`response for height ${answered} instead of ${height}`);
  if (!response.proofOps) return undefined;
  const ops = arrayAt(objectAt(response, 'proofOps'), 'ops').map((op) => asObject(op, 'proof op'));
  const op = ops.find((each) => textAt(each, 'type') === simpleType);
  return op === undefined ? undefined : decodeSimpleProof(bytesAt(op, 'data') ?? new Uint8Array(), store);
}

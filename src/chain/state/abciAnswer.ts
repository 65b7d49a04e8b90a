import { AbciRefusal, isPrunedLog, prunedState, refusalError } from '../rpc/rpcErrors.ts';
import { arrayAt, asObject, bigintAt, bytesAt, intAt, type JsonValue, malformed, objectAt, textAt } from '../wire/json.ts';

/** A step of a proof (docs/chain.md, "Proofs"). */
export interface ProofOp {
  readonly type: string;
  readonly key: Uint8Array;
  readonly data: Uint8Array;
}

/** The response of a node to `abci_query`. `proofOps` is empty unless a proof was requested. */
export interface AbciAnswer {
  readonly value: Uint8Array | undefined;
  readonly proofOps: readonly ProofOp[];
}

/** Decodes the result of `abci_query`. Throws if its code is not 0, if the state is pruned, or if it is for another height. */
export function decodeAbciAnswer(result: JsonValue, height: bigint): AbciAnswer {
  const response = objectAt(asObject(result, 'result'), 'response');
  if (intAt(response, 'code') !== 0) throw refusalError(response, height);
  const log = textAt(response, 'log');
  if (isPrunedLog(log)) throw prunedState(height, new AbciRefusal(response));
  const answered = bigintAt(response, 'height');
  if (answered !== height) throw malformed(`response for height ${answered} instead of ${height}`);
  const proof = response.proofOps ? arrayAt(objectAt(response, 'proofOps'), 'ops') : [];
  return {
    value: bytesAt(response, 'value'),
    proofOps: proof.map((json) => {
      const op = asObject(json, 'proof op');
      return {
        type: textAt(op, 'type'),
        key: bytesAt(op, 'key') ?? new Uint8Array(),
        data: bytesAt(op, 'data') ?? new Uint8Array(),
      };
    }),
  };
}

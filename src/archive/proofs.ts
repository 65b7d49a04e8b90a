import type { JsonObject } from '../chain/wire/json.ts';

/** A request of a query method, of which the answer is proven. */
export interface ProofRequest {
  readonly path: string;
  readonly request: Uint8Array;
}

/** The proposal of which a proof is kept. */
export interface ProofSubject {
  readonly proposalId: bigint;
  readonly groupPolicyAddress: string;
  /** Null if it is not known. */
  readonly groupId: bigint | null;
  /** The height of the state that is proven. */
  readonly height: bigint;
}

/** The proof of a proposal, its votes and its electorate, as it is kept. */
export interface KeptProof {
  /** The height of the state that it proves: that of the block before the close. */
  readonly height: bigint;
  /** The bundle, in the form of `extensions.proof`, with the validators. */
  readonly bundle: JsonObject;
}

/** A proof to store. */
export interface NewProof extends KeptProof {
  readonly proposalId: bigint;
}

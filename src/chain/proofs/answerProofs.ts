import { fromBinary } from '@bufbuild/protobuf';
import { type Answer, explained, type Question } from '../../../packages/verify/src/answer/index.ts';
import type { BundleJson, Level } from '../../../packages/verify/src/bundle.ts';
import { ProofError } from '../../../packages/verify/src/index.ts';
import { computed, type PlanContext, plans, type Row, type StoreReads } from '../../../packages/verify/src/plans/index.ts';
import type { ProofBounds } from '../../config/limits/limits.ts';
import { Bech32PrefixResponseSchema } from '../../proto/cosmos/auth/v1beta1/query_pb.js';
import { ChainError, isChainError, type ProofReason } from '../base/errors.ts';
import type { StateRequest } from '../state/state.ts';
import type { SignedHeaders, SignedState } from './signedHeaders.ts';

/** Proven reads of the state at one height, of which those that were made become part of a proof. */
export interface ProvenState {
  /** Reads the stores. Rejects if a key cannot be proven. */
  readonly reads: StoreReads;
  /** By store, the proof of its root and the part of its tree that `reads` have touched. */
  stores(): BundleJson['stores'];
}

/** What a proof is computed from: the reads that the verifier of the answer makes, and the levels of its fields. */
export interface Explanation {
  readonly requests: readonly StateRequest[];
  readonly fields: ReadonlyMap<string, Level>;
}

/** Makes the reads that a verifier of an answer makes. */
export type Explain = (reads: StoreReads, context: PlanContext & { readonly height: bigint }) => Promise<Explanation>;

/** The bounds of a proof, and what its receiver has already. */
export interface ProofOptions extends ProofBounds {
  /** The hash of the validator set that the receiver has, in hex. A proof with this set does not contain it. */
  readonly trusted?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A proof, and what it costs. */
export interface AnswerProof {
  readonly bundle: BundleJson;
  /** The number of keys that were proven. */
  readonly keys: number;
}

/** The error of an answer that has no proof. `reason` completes what `message` says in words. */
export function proofUnavailable(
  reason: ProofReason,
  message: string,
  more: { readonly limit?: string; readonly max?: number; readonly cause?: unknown } = {},
): ChainError<'PROOF_UNAVAILABLE'> {
  const { cause, ...facts } = more;
  return new ChainError('PROOF_UNAVAILABLE', message, { reason, ...facts }, cause);
}

/** Why no node proves what an answer needs. Errors that have nothing to do with proofs stay as they are. */
function unavailableFor(error: unknown, height: bigint): unknown {
  if (error instanceof ProofError)
    return proofUnavailable('INVALID', `The proof of a node at height ${height} does not verify.`, { cause: error });
  if (!isChainError(error)) return error;
  const { code } = error;
  if (code === 'HEIGHT_PRUNED')
    return proofUnavailable('PRUNED', `No node proves the state at height ${height} any more.`, { cause: error });
  if (code === 'ABCI_QUERY_FAILED')
    return proofUnavailable('NO_PROOFS', `The nodes prove nothing at height ${height}.`, { cause: error });
  if (code === 'NODE_INVALID_RESPONSE')
    return proofUnavailable('INVALID', `The proof of a node at height ${height} does not verify.`, { cause: error });
  return error;
}

/** Counts the keys that are read, and rejects the read that is one too many. */
function counted(reads: StoreReads, max: number): { readonly reads: StoreReads; keys(): number } {
  let keys = 0;
  const count = (more: number): void => {
    keys += more;
    if (keys > max)
      throw proofUnavailable('TOO_LARGE', `A proof has at most ${max} keys (proof.keys).`, { limit: 'proof.keys', max });
  };
  return {
    keys: () => keys,
    reads: {
      get(store, key) {
        count(1);
        return reads.get(store, key);
      },
      async range(store, prefix, bounds) {
        const rows: Row[] = [...(await reads.range(store, prefix, bounds))];
        // The neighbours at both ends prove that the list is complete.
        count(rows.length + 2);
        return rows;
      },
    },
  };
}

/** Those of these requests that may have a proof. */
export function provable(requests: readonly StateRequest[]): readonly StateRequest[] {
  return requests.filter(({ path }) => plans.has(path));
}

/** The error of a server that makes no proofs. */
export function proofsOff(): ChainError<'PROOF_UNAVAILABLE'> {
  return proofUnavailable('OFF', 'This server verifies no headers, so it has no proofs (`--verify`).');
}

/**
 * Explains an answer by the requests that an operation made: by the plans of their methods. Requests without a plan, or that their plan does not cover, are left out:
 * what a node answers to them cannot be proven.
 */
export function explainRequests(requests: readonly StateRequest[]): Explain {
  return async (reads, context) => {
    const explained = await Promise.all(
      requests.map(async (read) => {
        const plan = plans.get(read.path);
        if (plan === undefined) return undefined;
        try {
          await computed(plan.answer(read.request, context), reads);
          return read;
        } catch (error) {
          if (isChainError(error) || error instanceof ProofError) throw error;
          // The chain keeps it in another way than the plan knows, or the request is out of its range.
          return undefined;
        }
      }),
    );
    return { requests: explained.filter((read) => read !== undefined), fields: new Map() };
  };
}

/**
 * Explains an answer of GraphQL as its verifier does: it executes the document over the stores, and compares. Rejects with a {@link ProofError} if a value of the answer
 * does not follow from them.
 */
export function explainAnswer(answer: Answer, question: Question): Explain {
  return async (reads, context) => {
    const { requests, fields } = await explained(answer, question, reads, context);
    return { requests, fields: new Map([...fields].map(([path, { level }]) => [path, level])) };
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

function bundleOf(
  { height, header, commit, previous, setHash, validators }: SignedState,
  { requests, fields }: Explanation,
  stores: BundleJson['stores'],
  { prefix, trusted }: { readonly prefix: string; readonly trusted: string | undefined },
): BundleJson {
  return {
    version: 1,
    chainId: String(header.chain_id),
    prefix,
    height: height.toString(),
    header,
    commit,
    ...(trusted?.toUpperCase() !== setHash && { validators }),
    previous,
    stores,
    reads: requests.map(({ path, request }) => ({ path, request: base64(request) })),
    fields: Object.fromEntries(fields),
  };
}

export type AnswerProofs = ReturnType<typeof createAnswerProofs>;

/** Creates what makes the proofs of answers. */
export function createAnswerProofs({
  headers,
  behind,
  proven,
  query,
}: {
  readonly headers: Pick<SignedHeaders, 'at'>;
  /** How many blocks the newest height with a proof is below the newest block: none if a block is the newest only once its next header is verified, else one. */
  readonly behind: 0n | 1n;
  /** Begins the reads of the state that a signed header proves. */
  readonly proven: (state: SignedState, signal: AbortSignal | undefined) => ProvenState;
  /** Calls a query method at a height. */
  readonly query: (path: string, height: bigint, signal: AbortSignal | undefined) => Promise<Uint8Array>;
}) {
  let prefix: string | undefined;

  async function readPrefix(height: bigint, signal: AbortSignal | undefined): Promise<string> {
    prefix ??= fromBinary(
      Bech32PrefixResponseSchema,
      await query('/cosmos.auth.v1beta1.Query/Bech32Prefix', height, signal),
    ).bech32Prefix;
    return prefix;
  }

  return {
    behind,
    /**
     * The proof of an answer at a height: what proves the reads of `explain`. Rejects with PROOF_UNAVAILABLE if there is none, and with the errors of nodes that cannot
     * be reached.
     */
    async of(height: bigint, explain: Explain, options: ProofOptions): Promise<AnswerProof> {
      const { trusted, maxKeys, maxBytes, signal } = options;
      try {
        const [state, accountPrefix] = await Promise.all([headers.at(height, signal), readPrefix(height, signal)]);
        const part = proven(state, signal);
        const { reads, keys } = counted(part.reads, maxKeys);
        const explanation = await explain(reads, { prefix: accountPrefix, time: state.time, height });
        const stores = part.stores();
        let bytes = 0;
        for (const { tree } of Object.values(stores)) bytes += tree.length;
        if (bytes > maxBytes)
          throw proofUnavailable('TOO_LARGE', `A proof has at most ${maxBytes} bytes (proof.bytes).`, {
            limit: 'proof.bytes',
            max: maxBytes,
          });
        return { bundle: bundleOf(state, explanation, stores, { prefix: accountPrefix, trusted }), keys: keys() };
      } catch (error) {
        throw unavailableFor(error, height);
      }
    },
  };
}

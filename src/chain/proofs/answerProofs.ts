import { type Answer, explained, type Question } from '../../../packages/verify/src/answer/index.ts';
import type { BundleJson, Level } from '../../../packages/verify/src/bundle.ts';
import { ProofError } from '../../../packages/verify/src/index.ts';
import {
  computed,
  type PlanContext,
  plans,
  type StoreRead,
  type StoreReads,
  UnplannedRequest,
} from '../../../packages/verify/src/plans/index.ts';
import type { ProofBounds } from '../../config/limits/limits.ts';
import { ChainError, isChainError, type ProofReason } from '../base/errors.ts';
import type { StateRequest } from '../state/state.ts';
import { asObject, type JsonValue } from '../wire/json.ts';
import { type ProofParts, type Proofs, Unproven } from './proofs.ts';
import { LongRange, MissingStore } from './provenStores.ts';

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

/** Why there is no proof at a height. Errors that have nothing to do with proofs stay as they are. */
function unavailableFor(error: unknown, height: bigint): unknown {
  if (error instanceof ProofError)
    return proofUnavailable('INVALID', `The answer at height ${height} does not follow from what the nodes prove.`, {
      cause: error,
    });
  if (error instanceof Unproven) {
    const reason = error.reason === 'FAILED' ? 'INVALID' : error.reason === 'LONG' ? 'TOO_LARGE' : 'NO_PROOFS';
    return proofUnavailable(reason, `There is no proof at height ${height}. ${error.message}`, { cause: error });
  }
  if (isChainError(error, 'HEIGHT_PRUNED'))
    return proofUnavailable('PRUNED', `No node proves the state at height ${height} any more.`, { cause: error });
  if (isChainError(error, 'ABCI_QUERY_FAILED'))
    return proofUnavailable('NO_PROOFS', `The nodes prove nothing at height ${height}.`, { cause: error });
  if (isChainError(error, 'NODE_INVALID_RESPONSE'))
    return proofUnavailable('INVALID', `The proof of a node at height ${height} does not verify.`, { cause: error });
  return error;
}

/** The error of a field whose store or range cannot be read with a proof, for the computation of an answer. */
function unplannedFor(error: unknown): unknown {
  return error instanceof MissingStore || error instanceof LongRange ? new UnplannedRequest(error.message) : error;
}

/** Records the reads that are made, each once, and counts their keys. Rejects the read that is one key too many. */
function recorded(state: StoreReads, max: number) {
  const reads = new Map<string, StoreRead>();
  let keys = 0;

  function record(read: StoreRead, count: number): void {
    const bytes = 'key' in read ? [read.key] : [read.prefix, read.bounds.from ?? new Uint8Array()];
    const name = `${read.store} ${bytes.map((each) => Buffer.from(each).toString('hex')).join(' ')} ${'key' in read ? '' : read.bounds.most}`;
    if (reads.has(name)) return;
    reads.set(name, read);
    keys += count;
    if (keys > max)
      throw proofUnavailable('TOO_LARGE', `A proof has at most ${max} keys (proof.keys).`, { limit: 'proof.keys', max });
  }

  return {
    all: (): readonly StoreRead[] => [...reads.values()],
    keys: (): number => keys,
    reads: {
      async get(store, key) {
        try {
          const value = await state.get(store, key);
          record({ store, key }, 1);
          return value;
        } catch (error) {
          throw unplannedFor(error);
        }
      },
      async range(store, prefix, bounds) {
        try {
          const rows = [...(await state.range(store, prefix, bounds))];
          // The neighbours at both ends prove that the list is complete.
          record({ store, prefix, bounds }, rows.length + 2);
          return rows;
        } catch (error) {
          throw unplannedFor(error);
        }
      },
    } satisfies StoreReads,
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

function bundleOf(parts: ProofParts, { requests, fields }: Explanation, trusted: string | undefined): BundleJson {
  const { chainId, prefix, height, header, commit, validators, validatorsHash, previous, stores } = parts;
  return {
    version: 1,
    chainId,
    prefix,
    height: height.toString(),
    header,
    commit,
    ...(trusted?.toUpperCase() !== validatorsHash && { validators: validators.map(withoutPriority) }),
    previous,
    stores: Object.fromEntries(
      Object.entries(stores).map(([name, { proof, tree }]) => [name, { proof: base64(proof), tree: base64(tree) }]),
    ),
    reads: requests.map(({ path, request }) => ({ path, request: base64(request) })),
    fields: Object.fromEntries(fields),
  };
}

/** A validator without its priority, which changes with every block and which no hash covers. */
function withoutPriority(validator: JsonValue): JsonValue {
  const { proposer_priority: _, ...others } = asObject(validator, 'a validator');
  return others;
}

export type AnswerProofs = ReturnType<typeof createAnswerProofs>;

/** Creates what makes the proofs of answers. `behind`: how many blocks the newest height with a proof is below the newest block. */
export function createAnswerProofs({ proofs, behind }: { readonly proofs: Proofs; readonly behind: 0n | 1n }) {
  return {
    behind,
    /**
     * The proof of an answer at a height: what proves the reads of `explain`. Rejects with PROOF_UNAVAILABLE if there is none, and with the errors of nodes that cannot
     * be reached.
     */
    async of(height: bigint, explain: Explain, { trusted, maxKeys, maxBytes, signal }: ProofOptions): Promise<AnswerProof> {
      try {
        const state = await proofs.at(height, signal);
        const record = recorded(state, maxKeys);
        const explanation = await explain(record.reads, { prefix: state.prefix, time: state.time, height });
        const parts = await proofs.proofOf(height, record.all(), signal);
        let bytes = 0;
        for (const { tree } of Object.values(parts.stores)) bytes += tree.length;
        if (bytes > maxBytes)
          throw proofUnavailable('TOO_LARGE', `A proof has at most ${maxBytes} bytes (proof.bytes).`, {
            limit: 'proof.bytes',
            max: maxBytes,
          });
        return { bundle: bundleOf(parts, explanation, trusted), keys: record.keys() };
      } catch (error) {
        throw unavailableFor(error, height);
      }
    },
  };
}

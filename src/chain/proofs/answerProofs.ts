import { createHash } from 'node:crypto';
import { type Answer, type AnswerContext, explained, type Question } from '../../../packages/verify/src/answer/index.ts';
import type { BundleJson, Level } from '../../../packages/verify/src/bundle.ts';
import { ProofError } from '../../../packages/verify/src/index.ts';
import {
  computed,
  plans,
  type Row,
  type StoreRead,
  type StoreReads,
  UnplannedRequest,
} from '../../../packages/verify/src/plans/index.ts';
import type { ProofBounds } from '../../config/limits/limits.ts';
import { ChainError, isChainError, type ProofReason } from '../base/errors.ts';
import type { MemoryBudget } from '../memory/memoryBudget.ts';
import type { StateRequest } from '../state/state.ts';
import { asObject, type JsonValue } from '../wire/json.ts';
import { type ProofParts, type Proofs, Unproven } from './proofs.ts';
import { LongRange, MissingStore, nameOfKey } from './provenStores.ts';

/** What a proof is computed from: the reads that the verifier of the answer makes, and the levels of its fields. */
export interface Explanation {
  readonly requests: readonly StateRequest[];
  readonly fields: ReadonlyMap<string, Level>;
}

/** What is explained. */
export interface Explain {
  /** The answer and its question, or the requests. What is explained under the same name is equal. */
  readonly name: string;
  /** Makes the reads that a verifier of the answer makes. */
  of(reads: StoreReads, context: AnswerContext): Promise<Explanation>;
}

/** An explanation, and the parts of trees that prove its reads. They hold for every height whose stores have the same roots. */
interface KeptProof {
  readonly explanation: Explanation;
  readonly keys: number;
  readonly stores: readonly KeptStore[];
}

/** A store, its root in hex, and a part of its tree in base64. */
interface KeptStore {
  readonly name: string;
  readonly root: string;
  readonly tree: string;
}

/** A store of a bundle: the proof of its root, and a part of its tree, in base64. */
type BundledStore = Omit<KeptStore, 'root'> & { readonly proof: string };

/** About the memory of an entry of a map, and of an object with its bytes. */
const entryBytes = 100;

function sizeOfProof({ explanation: { requests, fields }, stores }: KeptProof): number {
  let bytes = entryBytes * (1 + fields.size);
  for (const path of fields.keys()) bytes += path.length;
  for (const { request } of requests) bytes += 3 * entryBytes + request.length;
  for (const { tree } of stores) bytes += 2 * entryBytes + tree.length;
  return bytes;
}

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
  let isWhole = true;

  function record(name: string, read: StoreRead, count: number): void {
    if (reads.has(name)) return;
    reads.set(name, read);
    keys += count;
    if (keys > max)
      throw proofUnavailable('TOO_LARGE', `A proof has at most ${max} keys (proof.keys).`, { limit: 'proof.keys', max });
  }

  function failed(error: unknown): never {
    isWhole = false;
    throw unplannedFor(error);
  }

  return {
    all: (): readonly StoreRead[] => [...reads.values()],
    keys: (): number => keys,
    /** Whether no read failed. */
    isWhole: (): boolean => isWhole,
    reads: {
      get(store, key) {
        const noted = (value: Uint8Array | null): Uint8Array | null => {
          record(`${store} ${nameOfKey(key)}`, { store, key }, 1);
          return value;
        };
        const value = state.get(store, key);
        return value instanceof Promise ? value.then(noted).catch(failed) : noted(value);
      },
      range(store, prefix, bounds) {
        const noted = (rows: Iterable<Row>): readonly Row[] => {
          const all = [...rows];
          const start = bounds.from && nameOfKey(bounds.from);
          // The neighbours at both ends prove that the list is complete.
          record(
            `${store} ${prefix.length} ${nameOfKey(prefix)}${start ?? ''} ${bounds.most}`,
            { store, prefix, bounds },
            all.length + 2,
          );
          return all;
        };
        const rows = state.range(store, prefix, bounds);
        return rows instanceof Promise ? rows.then(noted).catch(failed) : noted(rows);
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
  return {
    name: hashOf(...requests.flatMap(({ path, request }) => [path, base64(request)])),
    async of(reads, context) {
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
    },
  };
}

/**
 * Explains an answer of GraphQL as its verifier does: it executes the document over the stores, and compares. Rejects with a {@link ProofError} if a value of the answer
 * does not follow from them.
 */
export function explainAnswer(answer: Answer, question: Question): Explain {
  const { document, variables, operationName } = question;
  const text = (value: unknown): string =>
    JSON.stringify(value, (_, part: unknown) => (typeof part === 'bigint' ? String(part) : part)) ?? '';
  return {
    name: hashOf(document, text([variables, operationName, answer.errors]), JSON.stringify(answer.data) ?? ''),
    async of(reads, context) {
      const { requests, fields } = await explained(answer, question, reads, context);
      return { requests, fields: new Map([...fields].map(([path, { level }]) => [path, level])) };
    },
  };
}

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');

/** The hash of texts, each with its end. */
function hashOf(...texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length} `).update(text);
  return hash.digest('base64');
}

function bundleOf(
  parts: ProofParts,
  { requests, fields }: Explanation,
  stores: readonly BundledStore[],
  trusted: string | undefined,
): BundleJson {
  const { chainId, prefix, height, header, commit, validators, validatorsHash, previous } = parts;
  return {
    version: 1,
    chainId,
    prefix,
    height: height.toString(),
    header,
    commit,
    ...(trusted?.toUpperCase() !== validatorsHash && { validators: validators.map(withoutPriority) }),
    previous,
    stores: Object.fromEntries(stores.map(({ name, proof, tree }) => [name, { proof, tree }])),
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
export function createAnswerProofs({
  proofs,
  behind,
  memory,
}: {
  readonly proofs: Proofs;
  readonly behind: 0n | 1n;
  readonly memory: MemoryBudget;
}) {
  const keptProofs = memory.cache<KeptProof>('state', 'proofs', sizeOfProof);

  /** The proof of an answer that was explained before, if the stores that it is of have the same roots. */
  async function proofAgain(
    { explanation, keys, stores }: KeptProof,
    height: bigint,
    { trusted, signal }: ProofOptions,
  ): Promise<AnswerProof | undefined> {
    const names = stores.map(({ name }) => name);
    const roots = await proofs.rootsOf(height, names, signal);
    const storesNow: BundledStore[] = [];
    for (const [index, { name, root, tree }] of stores.entries()) {
      const now = roots[index];
      if (now?.root !== root) return undefined;
      storesNow.push({ name, proof: base64(now.proof), tree });
    }
    return { bundle: bundleOf(await proofs.proofOf(height, [], signal), explanation, storesNow, trusted), keys };
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
        const keptProof = keptProofs.get(explain.name);
        const proofNow = keptProof && (await proofAgain(keptProof, height, options));
        if (proofNow !== undefined) return proofNow;
        const state = await proofs.at(height, signal);
        const record = recorded(state, maxKeys);
        let isTimeless = true;
        const timely = <T>(value: T): T => {
          isTimeless = false;
          return value;
        };
        const explanation = await explain.of(record.reads, {
          prefix: state.prefix,
          get time() {
            return timely(state.time);
          },
          get height() {
            return timely(height);
          },
        });
        const parts = await proofs.proofOf(height, record.all(), signal);
        let bytes = 0;
        for (const { tree } of Object.values(parts.stores)) bytes += tree.length;
        if (bytes > maxBytes)
          throw proofUnavailable('TOO_LARGE', `A proof has at most ${maxBytes} bytes (proof.bytes).`, {
            limit: 'proof.bytes',
            max: maxBytes,
          });
        const stores = Object.entries(parts.stores).map(([name, { root, proof, tree }]) => ({
          ...{ name, root, proof: base64(proof) },
          tree: base64(tree),
        }));
        const keys = record.keys();
        // Nothing but the stores decides about it.
        if (isTimeless && record.isWhole())
          keptProofs.set(explain.name, {
            explanation,
            keys,
            stores: stores.map(({ name, root, tree }) => ({ name, root, tree })),
          });
        return { bundle: bundleOf(parts, explanation, stores, trusted), keys };
      } catch (error) {
        throw unavailableFor(error, height);
      }
    },
  };
}

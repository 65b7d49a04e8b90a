import { type Bundle, decodeBundle } from '../bundle.ts';
import { equalBytes, fromHex, toHex } from '../bytes.ts';
import type { SignedPower } from '../commit.ts';
import { malformed, ProofError } from '../errors.ts';
import { type Header, hashHeader } from '../header.ts';
import {
  isExpired,
  type LightBlock,
  type TrustOptions,
  verifyBefore,
  verifyBetween,
  verifySigned,
  verifyStep,
} from '../lightClient.ts';
import { decodePartialTree, type PartialTree } from '../partialTree.ts';
import { UnplannedRequest } from '../plans/plan.ts';
import type { HeldReads } from '../plans/reads.ts';
import { createSignatureCheck, type SignatureCheck } from '../signatures.ts';
import { readStoreRoot } from '../store.ts';
import { type Answer, type Explanation, explain, type Question } from './explain.ts';
import type { AnswerContext } from './rules.ts';
import { runNow } from './steps.ts';

/** The hash of a block that the caller believes, from a source of its own. */
export interface Checkpoint {
  readonly height: bigint | number | string;
  /** In hex. */
  readonly hash: string;
}

/** What is believed: a block that was verified before, a checkpoint, or the hash of a validator set in hex. */
export type Trust = LightBlock | Checkpoint | { readonly validatorsHash: string };

/**
 * Why the validators are believed.
 * - `BLOCK`: a block that was verified before leads to them.
 * - `CHECKPOINT`: a named block leads to them.
 * - `VALIDATORS`: their hash was named.
 * - `FIRST_USE`: nothing was named. The answer itself says who the validators are: it agrees with itself, and nothing says that it is of the chain. Whoever sent it could
 *   have invented all of it.
 */
export type TrustKind = 'BLOCK' | 'CHECKPOINT' | 'VALIDATORS' | 'FIRST_USE';

/** Options of a verification. */
export interface VerifyOptions {
  readonly trust?: Trust | undefined;
  /** The chain that the answer must be of. */
  readonly chainId?: string | undefined;
  /** The height that was asked for. */
  readonly height?: bigint | number | string | undefined;
  /** Reads a block, where the trusted one is too far away to verify the other in one step. */
  readonly read?: ((height: bigint) => Promise<LightBlock>) | undefined;
  /** The age at which a trusted block is believed no more, in nanoseconds: 14 days. It has to be shorter than the unbonding time of the chain. */
  readonly trustingPeriod?: bigint | undefined;
  /** The time now, in nanoseconds since 1970. */
  readonly now?: bigint | undefined;
  readonly check?: SignatureCheck | undefined;
}

/** A state that is proven. */
export interface ProvenState extends SignedPower {
  readonly chainId: string;
  /** The height of the state. */
  readonly height: bigint;
  /** The time of its block, in nanoseconds since 1970. */
  readonly time: bigint;
  /** The block after it, whose header proves it: the trust of the next verification. */
  readonly block: LightBlock;
  readonly trust: TrustKind;
  /** The content of its stores. A read of what is not proven throws NOT_PROVEN; one of a store without a proof throws `UnplannedRequest`. */
  readonly reads: HeldReads;
  readonly context: AnswerContext;
}

/** An answer that was verified. */
export interface Verified extends Omit<ProvenState, 'reads' | 'context'>, Explanation {}

const fortnight = 14n * 86_400_000_000_000n;

function notTrusted(what: string): ProofError {
  return new ProofError('NOT_TRUSTED', what);
}

/** Verifies a block with one that is trusted. */
async function follow(
  from: LightBlock,
  block: LightBlock,
  options: TrustOptions,
  read: VerifyOptions['read'],
): Promise<SignedPower> {
  // The validators of a trusted block sign other blocks, earlier ones too. A block at the same height has to be the same.
  const isSame = from.header.height === block.header.height;
  if (isSame && !equalBytes(from.hash, block.hash))
    throw new ProofError('CONFLICT', `Block ${block.header.height} is another one than the trusted one.`);
  if (isSame || equalBytes(from.set.hash, block.header.validatorsHash)) {
    if (isExpired(from.header, options))
      throw new ProofError('EXPIRED', `The trusted block ${from.header.height} is older than the trusting period.`);
    return verifySigned(block, options);
  }
  if (read === undefined) return verifyStep(from, block, options);
  await verifyBetween(from, block, { ...options, read });
  return verifySigned(block, options);
}

/** Verifies a block with a checkpoint. */
async function followCheckpoint(
  checkpoint: Checkpoint,
  block: LightBlock,
  before: Header,
  options: TrustOptions,
  read: VerifyOptions['read'],
): Promise<SignedPower> {
  const height = BigInt(checkpoint.height);
  const hash = fromHex(checkpoint.hash.toUpperCase(), 32, 'the hash of the checkpoint');
  const wrong = () => new ProofError('WRONG_HASH', `Block ${height} is another one than that of the checkpoint.`);
  if (height === block.header.height) {
    if (!equalBytes(hash, block.hash)) throw wrong();
    return verifySigned(block, options);
  }
  if (height === before.height) {
    if (!equalBytes(hash, hashHeader(before))) throw wrong();
    if (!equalBytes(before.nextValidatorsHash, block.header.validatorsHash))
      throw new ProofError('WRONG_HASH', `The hash of the validators of block ${block.header.height} differs.`);
    return verifySigned(block, options);
  }
  if (read === undefined)
    throw notTrusted(`The proof is of block ${block.header.height}, and nothing leads there from the checkpoint at ${height}.`);
  const start = await read(height);
  if (start.header.height !== height || !equalBytes(start.hash, hash)) throw wrong();
  await verifySigned(start, options);
  return follow(start, block, options, read);
}

async function verifyTrust(
  { block, before }: { readonly block: LightBlock; readonly before: Header },
  { trust, read }: VerifyOptions,
  options: TrustOptions,
): Promise<SignedPower & { readonly trust: TrustKind }> {
  if (trust === undefined) return { ...(await verifySigned(block, options)), trust: 'FIRST_USE' };
  if ('validatorsHash' in trust) {
    const hash = fromHex(trust.validatorsHash.toUpperCase(), 32, 'the hash of the validators');
    if (!equalBytes(hash, block.header.validatorsHash))
      throw notTrusted('The validators are others than those that are trusted.');
    return { ...(await verifySigned(block, options)), trust: 'VALIDATORS' };
  }
  if ('header' in trust) return { ...(await follow(trust, block, options, read)), trust: 'BLOCK' };
  return { ...(await followCheckpoint(trust, block, before, options, read)), trust: 'CHECKPOINT' };
}

/** The trees of a bundle by store, each proven under the app hash. */
function treesOf({ stores, header }: Bundle): ReadonlyMap<string, PartialTree> {
  return new Map(
    [...stores].map(([store, { proof, tree: encoded }]) => {
      const top = readStoreRoot(proof, store);
      if (!equalBytes(top.appHash, header.appHash))
        throw new ProofError(
          'NOT_PROVEN',
          `The proof of store ${store} does not lead to the app hash ${toHex(header.appHash)} of block ${header.height}.`,
        );
      const tree = decodePartialTree(encoded);
      if (!equalBytes(tree.root, top.root))
        throw new ProofError('NOT_PROVEN', `The tree of store ${store} does not lead to the root of the store.`);
      return [store, tree];
    }),
  );
}

/** Reads trees. */
function readsOf(trees: ReadonlyMap<string, PartialTree>): HeldReads {
  const treeOf = (store: string): PartialTree => {
    const tree = trees.get(store);
    if (tree === undefined) throw new UnplannedRequest(`the proof has no store ${store}`);
    return tree;
  };
  return {
    get(store, key) {
      const value = treeOf(store).get(key);
      if (value === undefined)
        throw new ProofError('NOT_PROVEN', `the proof does not have the key ${toHex(key)} of store ${store}`);
      return value;
    },
    range(store, prefix, bounds) {
      const { rows, isComplete } = treeOf(store).range(prefix, bounds);
      if (!isComplete)
        throw new ProofError(
          'NOT_PROVEN',
          `the proof does not have all keys of store ${store} that begin with ${toHex(prefix)}`,
        );
      return rows;
    },
  };
}

/**
 * Verifies a proof: that the validators signed the header, that they are believed, and that the stores are those of the state. It says nothing of an answer. Rejects
 * with a {@link ProofError}.
 */
export async function verifyBundle(proof: unknown, options: VerifyOptions = {}): Promise<ProvenState> {
  const bundle = decodeBundle(proof);
  const { height, header, previous, prefix } = bundle;
  const { trust, chainId = bundle.chainId } = options;
  if (bundle.chainId !== chainId)
    throw new ProofError('WRONG_CHAIN', `The proof is one of chain ${JSON.stringify(bundle.chainId)}.`);
  if (options.height !== undefined && BigInt(options.height) !== height)
    throw new ProofError('WRONG_HEIGHT', `The proof is of height ${height}, and not of ${options.height}.`);
  if (header.height !== height + 1n)
    throw new ProofError('WRONG_HEIGHT', `Block ${header.height} does not prove the state of height ${height}.`);
  verifyBefore(header, { height: previous.height, hash: hashHeader(previous) });
  if (previous.chainId !== chainId) throw new ProofError('WRONG_CHAIN', 'The header before is of another chain.');

  const keptSet = trust !== undefined && 'set' in trust ? trust.set : undefined;
  const set = bundle.validators ?? keptSet;
  if (set === undefined) throw malformed('the proof has no validators');
  const block: LightBlock = { header, hash: bundle.hash, commit: bundle.commit, set };
  const now = options.now ?? BigInt(Date.now()) * 1_000_000n;
  const power = await verifyTrust({ block, before: previous }, options, {
    chainId,
    check: options.check ?? createSignatureCheck(),
    signatures: 'ALL',
    trustingPeriod: options.trustingPeriod ?? fortnight,
    now,
  });
  const reads = readsOf(treesOf(bundle));
  const { time } = previous;
  return { chainId, height, time, block, ...power, reads, context: { prefix, time, height } };
}

type Members = Readonly<Record<string, unknown>>;
const membersIn = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

/**
 * Verifies an answer with its proof, and returns the level of each field. The proof is in `extensions.proof`. Rejects with a {@link ProofError} for the first thing
 * that is wrong; its `field` names the field of the answer.
 */
export async function verify(
  answer: Answer & { readonly extensions?: unknown },
  { document, variables, operationName, ...options }: Question & VerifyOptions,
): Promise<Verified> {
  const { proof, height } = membersIn(membersIn(answer).extensions);
  if ((proof ?? null) === null) throw malformed('the answer has no proof');
  const { reads, context, ...state } = await verifyBundle(proof, options);
  if (height !== undefined && height !== String(state.height))
    throw new ProofError('WRONG_HEIGHT', `The answer is of height ${String(height)}, and its proof of ${state.height}.`);
  const explanation = runNow(explain(answer, { document, variables, operationName }, context), reads);
  const { fields: claims } = decodeBundle(proof);
  // A chain without a module has no store of it. Then the server says that the fields are ASSERTED.
  for (const path of explanation.unread)
    if ((claims.get(path) ?? 'PROVEN') !== 'ASSERTED') {
      const { reason = '' } = explanation.fields.get(path) ?? {};
      throw new ProofError('NOT_PROVEN', reason, path);
    }
  return { ...state, ...explanation };
}

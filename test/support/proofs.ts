import type { NodeCall } from '../../packages/devnet/src/node/faults/faults.ts';
import { type BundleJson, decodeBundle } from '../../packages/verify/src/bundle.ts';
import {
  decodePartialTree,
  decodeValidators,
  equalBytes,
  hashHeader,
  ProofError,
  readStoreRoot,
  type SignedPower,
  type ValidatorSet,
  verifyBefore,
  verifySigned,
} from '../../packages/verify/src/index.ts';
import { computedNow, type HeldReads, type MethodAnswer, plans } from '../../packages/verify/src/plans/index.ts';
import { createNodeSignatures } from '../../src/chain/lightClient/nodeSignatures.ts';

/** What follows from a bundle once all of it is verified. */
export interface ProvenBundle {
  readonly height: bigint;
  readonly power: SignedPower;
  /** The answer to each request that the bundle names, by its path and its request in hex. */
  readonly answers: ReadonlyMap<string, MethodAnswer>;
}

/** Verifies a bundle: the header and its signatures, the stores, and the answers to its requests. `held` is the set of a bundle without one. */
export async function proveBundle(json: BundleJson, held?: ValidatorSet): Promise<ProvenBundle> {
  const { chainId, prefix, height, header, hash, commit, validators, previous, stores, reads } = decodeBundle(json);
  const set = validators ?? held;
  if (set === undefined) throw new ProofError('MALFORMED', 'The bundle has no validators.');
  const power = await verifySigned({ header, hash, commit, set }, { chainId, check: createNodeSignatures() });
  verifyBefore(header, { height, hash: hashHeader(previous) });
  const trees = new Map(
    [...stores].map(([name, { proof, tree: bytes }]) => {
      const [top, tree] = [readStoreRoot(proof, name), decodePartialTree(bytes)];
      if (!equalBytes(top.appHash, header.appHash) || !equalBytes(top.root, tree.root))
        throw new ProofError('NOT_PROVEN', `Store ${name} has another root.`);
      return [name, tree] as const;
    }),
  );
  const treeOf = (store: string) => {
    const tree = trees.get(store);
    if (tree === undefined) throw new ProofError('NOT_PROVEN', `Store ${store} is not in the bundle.`);
    return tree;
  };
  const inBundle: HeldReads = {
    get(store, key) {
      const value = treeOf(store).get(key);
      if (value === undefined) throw new ProofError('NOT_PROVEN', 'A key is not in the bundle.');
      return value;
    },
    range(store, range, bounds) {
      const { rows, isComplete } = treeOf(store).range(range, bounds);
      if (!isComplete) throw new ProofError('NOT_PROVEN', 'A range is not in the bundle.');
      return rows;
    },
  };
  const answers = new Map<string, MethodAnswer>();
  for (const { path, request } of reads) {
    const plan = plans.get(path);
    if (plan === undefined) throw new ProofError('MALFORMED', `${path} has no plan.`);
    const answer = computedNow(plan.answer(request, { prefix, time: previous.time }), inBundle);
    answers.set(`${path} ${Buffer.from(request).toString('hex')}`, answer);
  }
  return { height, power, answers };
}

/** The set of a bundle. */
export const setOf = ({ validators }: BundleJson): ValidatorSet => decodeValidators(validators);

/** The calls of a node that answers need: not those that every block causes, which may come at any time. */
export const callsForAnswers = (log: readonly NodeCall[]): readonly NodeCall[] =>
  log.filter(({ method, params }) => method === 'abci_query' && (params as { data?: string }).data !== 'ff');

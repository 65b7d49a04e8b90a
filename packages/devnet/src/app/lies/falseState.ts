import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { QueryTallyResultResponseSchema } from '../../../../../src/proto/cosmos/group/v1/query_pb.js';
import type { Lie, QueryInput, QueryResult } from '../../abci/abci.ts';
import { add } from '../keepers/group/decimal.ts';
import { type CommittedState, viewOf } from '../state/store.ts';
import type { Trees } from '../state/storeProof.ts';
import { proveLie } from './falseProof.ts';
import { falseTrees } from './falseTrees.ts';

/** How much earlier an old state is, in blocks. */
export const oldStateAge = 3n;

type StateAt = (height: bigint) => CommittedState | undefined;

/** The trees of lies, by the true ones, because every read of a state needs them. */
const treesOfLies = new WeakMap<Trees, Map<Lie['kind'], Trees>>();

function treesOf(kind: Lie['kind'], state: CommittedState, stateAt: StateAt, height: bigint): Trees {
  if (kind === 'oldState') return stateAt(height - oldStateAge)?.trees ?? state.trees;
  const lies = treesOfLies.get(state.trees) ?? new Map<Lie['kind'], Trees>();
  treesOfLies.set(state.trees, lies);
  const trees = lies.get(kind) ?? falseTrees(kind, state.trees, state, height);
  lies.set(kind, trees);
  return trees;
}

/** Returns the states of a liar, and its proofs. */
export function falseStates(stateAt: StateAt, { kind, proofs }: Lie): StateAt {
  return (height) => {
    const state = stateAt(height);
    if (state === undefined) return undefined;
    const trees = treesOf(kind, state, stateAt, height);
    return { trees, ...viewOf(trees), prove: (store, key) => proveLie(proofs, state.trees, trees, store, key) };
  };
}

/** Counts one more yes in the answer of a live tally, which is stored nowhere. */
export function falseAnswer({ path, lie }: QueryInput, answer: QueryResult): QueryResult {
  if (lie?.kind !== 'tally' || path !== '/cosmos.group.v1.Query/TallyResult' || answer.value === null) return answer;
  const { tally, ...rest } = fromBinary(QueryTallyResultResponseSchema, answer.value);
  if (tally === undefined) return answer;
  const value = { ...rest, tally: { ...tally, yesCount: add(tally.yesCount, '1') } };
  return { ...answer, value: toBinary(QueryTallyResultResponseSchema, value) };
}

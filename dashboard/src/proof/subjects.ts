import type { TypedDocument } from '@stele/client';
import { countOf } from '../format/numbers.ts';
import {
  AccountProofDocument,
  type AccountProofQuery,
  ProposalProofDocument,
  type ProposalProofQuery,
} from '../gen/graphql.ts';
import { type Outcome, prove } from './verifier.ts';

/** The outcome, and what was proven in words, beside the signatures. */
export type SubjectOutcome =
  | (Extract<Outcome, { kind: 'PROVEN' }> & { readonly words: readonly string[] })
  | Exclude<Outcome, { kind: 'PROVEN' }>;

/** What can be proven: a proposal of a group, or an account. */
export interface Subject {
  /** The page about it. */
  readonly path: string;
  readonly name: string;
  /** Asks for its proof and verifies it. `page` is what the page shows of it. */
  readonly prove: (
    place: { readonly height: bigint | undefined; readonly chainId: string | undefined },
    page: unknown,
    signal: AbortSignal,
  ) => Promise<SubjectOutcome>;
  /** The fields that it is about: paths, with their names in words. Without a proof of them there is no seal. */
  readonly essential: Readonly<Record<string, string>>;
}

interface Parts<T, V extends object> {
  readonly document: TypedDocument<T, V>;
  readonly variables: V;
  readonly words: (data: T) => readonly string[];
}

/** A list of an answer, in words: whether all of it is there. */
function listWords(
  { totalCount, nodes }: { readonly totalCount: string | null; readonly nodes: readonly unknown[] },
  noun: string,
): string {
  return totalCount === String(nodes.length)
    ? `${countOf(nodes.length, noun)}, none left out`
    : `the first ${countOf(nodes.length, noun)} of ${totalCount ?? 'more'}, none left out among them`;
}

function subjectOf<T, V extends object>(
  { document, variables, words }: Parts<T, V>,
  rest: Pick<Subject, 'path' | 'name' | 'essential'>,
): Subject {
  return {
    ...rest,
    async prove(place, page, signal) {
      const outcome = await prove({ document, variables, ...place }, page, signal);
      return outcome.kind === 'PROVEN' ? { ...outcome, words: words(outcome.answer.data) } : outcome;
    },
  };
}

function proposalWords({ proposal }: ProposalProofQuery): readonly string[] {
  if (proposal === null) return ['the chain has no such proposal'];
  const { votes, outcome, status } = proposal;
  return [
    ...(votes === null ? [] : [listWords(votes, 'vote')]),
    status === 'PROPOSAL_STATUS_SUBMITTED' && outcome !== null ? 'tally and outcome recomputed in this browser' : 'final tally',
  ];
}

function accountWords({ account }: AccountProofQuery): readonly string[] {
  const balances = account?.balances;
  return balances == null ? [] : [listWords(balances, 'balance')];
}

/** The subject of a seal. */
export function subjectFor(kind: 'proposal' | 'account', id: string): Subject {
  if (kind === 'proposal')
    return subjectOf(
      { document: ProposalProofDocument, variables: { id }, words: proposalWords },
      {
        path: `/proposals/${id}`,
        name: `Proposal ${id}`,
        essential: {
          'proposal.status': 'its status',
          'proposal.tally.yesCount': 'its tally',
          'proposal.votes.nodes.option': 'its votes',
        },
      },
    );
  return subjectOf(
    { document: AccountProofDocument, variables: { address: id }, words: accountWords },
    { path: `/accounts/${id}`, name: `Account ${id}`, essential: { 'account.balances.nodes.amount': 'its balances' } },
  );
}

import type { TypedDocument } from '@stele/client';
import { countOf } from '../format/numbers.ts';
import {
  AccountProofDocument,
  type AccountProofQuery,
  ProposalProofDocument,
  type ProposalProofQuery,
} from '../gen/graphql.ts';
import { type Forms, texts } from '../language/language.ts';
import { proofsTexts } from '../language/proofs/texts.ts';
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
  noun: Forms,
): string {
  return totalCount === String(nodes.length)
    ? proofsTexts.value.seal.noneLeftOut(countOf(nodes.length, noun))
    : proofsTexts.value.seal.firstOf(countOf(nodes.length, noun), totalCount ?? proofsTexts.value.seal.more);
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
  if (proposal === null) return [proofsTexts.value.seal.noProposal];
  const { votes, outcome, status } = proposal;
  return [
    ...(votes === null ? [] : [listWords(votes, texts.value.counts.votes)]),
    status === 'PROPOSAL_STATUS_SUBMITTED' && outcome !== null
      ? proofsTexts.value.seal.recomputed
      : proofsTexts.value.seal.finalTally,
  ];
}

function accountWords({ account }: AccountProofQuery): readonly string[] {
  const balances = account?.balances;
  return balances == null ? [] : [listWords(balances, texts.value.counts.balances)];
}

/** The subject of a seal. */
export function subjectFor(kind: 'proposal' | 'account', id: string): Subject {
  if (kind === 'proposal')
    return subjectOf(
      { document: ProposalProofDocument, variables: { id }, words: proposalWords },
      {
        path: `/proposals/${id}`,
        name: texts.value.proposal.named(id),
        essential: {
          'proposal.status': proofsTexts.value.seal.itsStatus,
          'proposal.tally.yesCount': proofsTexts.value.seal.itsTally,
          'proposal.votes.nodes.option': proofsTexts.value.seal.itsVotes,
        },
      },
    );
  return subjectOf(
    { document: AccountProofDocument, variables: { address: id }, words: accountWords },
    {
      path: `/accounts/${id}`,
      name: proofsTexts.value.seal.account(id),
      essential: { 'account.balances.nodes.amount': proofsTexts.value.seal.itsBalances },
    },
  );
}

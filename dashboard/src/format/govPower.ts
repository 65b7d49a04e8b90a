import { percentOf } from './tally.ts';

/** Options of a vote with their weights. */
export type Options = readonly { readonly option: string; readonly weight: string }[];

type Votes = { readonly nodes: readonly { readonly proposalId: string; readonly options: Options }[] } | null;

/** A delegation to a validator, with the votes of the operator of the validator. */
export interface VotingDelegation<V> {
  readonly balance: { readonly amount: string };
  readonly validator:
    | (V & { readonly isBonded: boolean | null; readonly operator?: { readonly govVotes?: Votes } | null })
    | null;
}

/** The part of an account's stake that one validator votes with, and its vote. */
export interface VotingPart<V> {
  readonly validator: V;
  /** Its part of the stake of the account that counts, 0 to 100. */
  readonly share: string;
  /** undefined if it has not voted; null if its votes could not be read. */
  readonly options: Options | undefined | null;
}

/** The vote on a proposal. undefined if there is none; null if the votes could not be read. */
export function optionsOf(votes: Votes | undefined, proposalId: string): Options | undefined | null {
  if (votes === null) return null;
  return votes?.nodes.find((vote) => vote.proposalId === proposalId)?.options;
}

/**
 * Who votes on a proposal with the stake of an account that does not vote itself, by descending share. Stake counts if its validator is bonded.
 */
export function votingParts<V>(delegations: readonly VotingDelegation<V>[], proposalId: string): readonly VotingPart<V>[] {
  const stakes = delegations.flatMap(({ validator, balance }) =>
    validator?.isBonded === true && balance.amount !== '0' ? [{ validator, amount: BigInt(balance.amount) }] : [],
  );
  const total = stakes.reduce((sum, { amount }) => sum + amount, 0n);
  return stakes
    .toSorted((one, other) => (one.amount === other.amount ? 0 : one.amount > other.amount ? -1 : 1))
    .map(({ validator, amount }) => ({
      validator,
      share: percentOf(String(amount), String(total)),
      options: optionsOf(validator.operator?.govVotes, proposalId),
    }));
}

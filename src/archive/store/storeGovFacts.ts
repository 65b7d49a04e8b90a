import type { Connection } from '../database/database.ts';
import type { GovDepositFact, GovFact, GovStepFact, GovVoteFact, RecordedOption, UncertainPlace } from '../facts.ts';
import { anyText, insertOnce, insertPlaced, placeColumns, type StoredRow, tallyText } from './insertRows.ts';
import { storeProposalTexts } from './texts.ts';

/** The order of what the state shows: it follows everything in its block. */
const afterBlock = 1n << 40n;

const optionsText = (options: readonly RecordedOption[]): string =>
  JSON.stringify(options.map(({ option, weight }) => [option, weight]));

/** As {@link placeColumns}, for facts of which there are several with one key. */
function severalColumns(at: UncertainPlace, base: bigint): StoredRow {
  return at.height === null ? { ...placeColumns(at, base), ord: afterBlock } : placeColumns(at, base);
}

function stepRow(fact: GovStepFact, base: bigint): StoredRow {
  const [tally, computed] = [tallyText(fact.tally), tallyText(fact.computed)];
  return {
    proposal_id: fact.proposalId,
    step: fact.step,
    ...placeColumns(fact.at, base),
    account: fact.account,
    log: fact.log,
    voting_start: fact.votingStart,
    voting_end: fact.votingEnd?.toString() ?? null,
    deposits: fact.deposits,
    tally,
    computed,
    disagrees: tally !== null && computed !== null && tally !== computed ? 1n : 0n,
  };
}

function powerRows({ proposalId, at, powers }: GovStepFact, base: bigint): readonly StoredRow[] {
  return powers.map(({ address, operator, options, delegated, validator }) => ({
    proposal_id: proposalId,
    address,
    ...placeColumns(at, base),
    operator,
    options: options && optionsText(options),
    delegated,
    validator,
  }));
}

const voteRow = ({ proposalId, voter, options, at }: GovVoteFact, base: bigint): StoredRow => ({
  ...{ proposal_id: proposalId, voter, ...severalColumns(at, base), options: optionsText(options) },
});

function depositRow({ proposalId, depositor, amount, at }: GovDepositFact, base: bigint): StoredRow {
  const text = JSON.stringify(amount.map((coin) => [coin.denom, coin.amount]));
  return { proposal_id: proposalId, depositor, ...severalColumns(at, base), amount: text };
}

/** Deletes the votes and the deposits that the state at the base of a range showed, when a lower range has reached it: all of them are recorded then. */
export async function forgetStateAt(connection: Connection, base: bigint): Promise<void> {
  for (const table of ['gov_votes', 'gov_deposits'])
    await connection.run(`DELETE FROM ${table} WHERE height IS NULL AND seen = ?`, [base]);
}

/** Stores facts about the governance module, as `storeFacts` does. */
export async function storeGovFacts(connection: Connection, facts: readonly GovFact[], base: bigint): Promise<void> {
  const proposals: StoredRow[] = [];
  const votes: StoredRow[] = [];
  const deposits: StoredRow[] = [];
  const steps: GovStepFact[] = [];
  for (const fact of facts) {
    if (fact.kind === 'govVote') votes.push(voteRow(fact, base));
    else if (fact.kind === 'govDeposit') deposits.push(depositRow(fact, base));
    else if (fact.kind === 'govStep') steps.push(fact);
    else
      proposals.push({
        id: fact.id,
        ...placeColumns(fact.submitted, base),
        proposer: fact.proposer,
        title: fact.title,
        summary: fact.summary,
        metadata: fact.metadata,
        messages: JSON.stringify(fact.messages.map(anyText)),
        expedited: fact.expedited ? 1n : 0n,
        submit_time: fact.submitTime,
        deposit_end: fact.depositEndTime?.toString() ?? null,
      });
  }
  await insertPlaced(connection, 'gov_proposals', ['id'], proposals, ['deposit_end']);
  await storeProposalTexts(connection, 'GOV_PROPOSAL', proposals);
  await insertOnce(connection, 'gov_votes', ['proposal_id', 'voter', 'seen', 'ord'], votes);
  await insertOnce(connection, 'gov_deposits', ['proposal_id', 'depositor', 'seen', 'ord'], deposits);
  const stepRows = steps.map((step) => stepRow(step, base));
  await insertPlaced(connection, 'gov_steps', ['proposal_id', 'step'], stepRows, ['voting_start', 'voting_end']);
  const powers = steps.flatMap((step) => powerRows(step, base));
  await insertOnce(connection, 'gov_powers', ['proposal_id', 'seen', 'address'], powers);
}

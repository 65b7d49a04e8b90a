import { z } from 'zod';
import { proposalExecutorResults, proposalStatuses, voteOptions } from '../../modules/group/model.ts';
import { unrecognized } from '../../reads/input.ts';

const address = z.string().describe('Bech32 address.');
const id = z.string().regex(/^\d+$/);
const time = z.iso.datetime({ precision: null });
const weight = z.string().describe('A weight in decimal. Weights can be fractions.');
const executorResult = z.enum([...proposalExecutorResults, unrecognized]);

const place = {
  blockHeight: id.nullable().describe('null if it lies before the coverage of the archive and only its time is known.'),
  blockTime: time,
  transactionHash: z
    .string()
    .nullable()
    .describe('Upper-case hex. null for what a block did by itself, and if it is not known.'),
};

/** A place in the chain's history. */
export const occurrence = z.object(place).describe("A place in the chain's history.");

const uncertainPlace = {
  ...place,
  blockHeight: id.nullable().describe('null if it lies before the coverage of the archive.'),
  blockTime: time.nullable().describe('null if it lies before the coverage of the archive and is not known either.'),
};

/** A place in the chain's history that may not be known. */
export const uncertainOccurrence = z.object(uncertainPlace).describe("A place in the chain's history that may not be known.");

/** A tally. */
export const recordedTally = z
  .object({ yesCount: weight, abstainCount: weight, noCount: weight, noWithVetoCount: weight })
  .describe('Voting weights by option.');

/** A recorded proposal. */
export const proposalRecord = z
  .object({
    id,
    title: z.string(),
    summary: z.string(),
    metadata: z.string(),
    messages: z
      .array(z.object({ type: z.string().describe('Type URL, such as `/cosmos.bank.v1beta1.MsgSend`.'), value: z.string() }))
      .describe('The messages of the proposal. `value` is the encoded message in base64.'),
    proposers: z.array(address),
    groupId: id.nullable().describe('null if it is not known.'),
    groupPolicyAddress: address,
    groupVersion: id.nullable().describe('Version of the group at the submission. null if it is not known.'),
    groupPolicyVersion: id.nullable().describe('Version of the group policy at the submission. null if it is not known.'),
    submitTime: time,
    submitted: occurrence.nullable().describe('null if it was submitted before the coverage of the archive.'),
    votingPeriodEnd: time,
    status: z.enum([...proposalStatuses, unrecognized]).describe('The last status, also of a deleted proposal.'),
    executorResult: executorResult.describe('The result of the last attempt to execute the messages.'),
    closed: uncertainOccurrence
      .nullable()
      .describe('When the tally became final, or the proposal was withdrawn or aborted. null while votes are taken.'),
    closedBy: z
      .enum(['DECIDED', 'VOTING_ENDED', 'WITHDRAWN', 'ABORTED'])
      .nullable()
      .describe('null while votes are taken, and if it is not known.'),
    pruned: occurrence.nullable().describe('When the chain deleted it. null while the chain still has it.'),
    tally: recordedTally
      .nullable()
      .describe('The final tally, or the present one while votes are taken. null if the chain computed none.'),
    totalWeight: weight
      .nullable()
      .describe('Total weight of the group at the close, or now. null if its members at that time are not known.'),
    singleTransaction: z
      .boolean()
      .describe(
        'Whether it was submitted, decided and deleted in one step, by one transaction or by one block outside of its transactions.',
      ),
    auditAgrees: z
      .boolean()
      .nullable()
      .describe("Whether the tally computed from the recorded votes equals the chain's. null if there is nothing to compare."),
    complete: z
      .boolean()
      .describe(
        'false if part of its life lies outside of the coverage of the archive, or votes of unknown voters were counted.',
      ),
  })
  .describe('A proposal from submission to end, as recorded by this server.');

/** An attempt to execute a proposal. */
export const recordedExecution = z
  .object({
    executor: z.string().nullable().describe('Bech32 address. null if it is not known.'),
    result: executorResult,
    logs: z.string().describe('Log of the chain. Empty on success.'),
    ...uncertainPlace,
  })
  .describe('An attempt to execute the messages of a proposal.');

/** A recorded vote. */
export const voteRecord = z
  .object({
    proposalId: id,
    voter: address,
    option: z.enum([...voteOptions, unrecognized]),
    metadata: z.string(),
    origin: z
      .enum(['MESSAGE', 'PROPOSER', 'AUTHORIZATION', 'PROPOSAL', 'OTHER'])
      .describe('How it was cast. PROPOSER: implied, by the proposer of a proposal submitted with EXEC_TRY.'),
    weight: weight
      .nullable()
      .describe('Weight of the voter at the close, or now while votes are taken. null if the vote did not count.'),
    ...place,
  })
  .describe('A vote, as it was cast.');

/** The schemas of records that have a name in the OpenAPI description. */
export const recordSchemas = {
  Occurrence: occurrence,
  UncertainOccurrence: uncertainOccurrence,
  RecordedTally: recordedTally,
  ProposalRecord: proposalRecord,
  RecordedExecution: recordedExecution,
  VoteRecord: voteRecord,
} as const;

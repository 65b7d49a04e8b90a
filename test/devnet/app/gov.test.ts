import type { Any } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import type { AbciEvent, TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { govAddress } from '../../../packages/devnet/src/app/keepers/gov/state.ts';
import { decodeAddress, encodeAddress } from '../../../packages/devnet/src/app/runtime/address.ts';
import type { Genesis } from '../../../packages/devnet/src/app/runtime/genesisState.ts';
import { Query as BankQuery } from '../../../src/proto/cosmos/bank/v1beta1/query_pb.js';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query as DistributionQuery } from '../../../src/proto/cosmos/distribution/v1beta1/query_pb.js';
import { MsgCommunityPoolSpendSchema } from '../../../src/proto/cosmos/distribution/v1beta1/tx_pb.js';
import { ProposalStatus, VoteOption } from '../../../src/proto/cosmos/gov/v1/gov_pb.js';
import { Query } from '../../../src/proto/cosmos/gov/v1/query_pb.js';
import {
  MsgCancelProposalSchema,
  MsgDepositSchema,
  MsgSubmitProposalResponseSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
  MsgVoteWeightedSchema,
} from '../../../src/proto/cosmos/gov/v1/tx_pb.js';
import { Query as StakingQuery } from '../../../src/proto/cosmos/staking/v1beta1/query_pb.js';
import { decText } from '../../../src/reads/decimal.ts';
import { finalInput, govBlocks, govRecordings, govState, stateAt } from '../../recordings/gov.ts';
import { some } from '../../support/atRandom.ts';
import { type Chain, createChain, message, second } from './harness.ts';

const { PASSED, REJECTED, FAILED, VOTING_PERIOD, DEPOSIT_PERIOD } = ProposalStatus;
const { YES, NO, ABSTAIN, NO_WITH_VETO } = VoteOption;
const optionNumbers = { YES, ABSTAIN, NO, NO_WITH_VETO };
const day = 24n * 3600n * second;
const coins = (amount: bigint | number) => [{ denom: 'nhash', amount: String(amount) }];
const hash = 1_000_000_000n;

type Input = ReturnType<typeof finalInput>;
interface Recorded {
  readonly votes: Input['votes'];
  readonly expedited: boolean;
  readonly messages: readonly Any[];
  readonly deposit: string;
}

/** Parameters of the recorded chain. */
const recordedParams: Genesis['gov'] = {
  minDeposit: coins(1000),
  expeditedMinDeposit: coins(5000),
  maxDepositPeriod: { seconds: 24n },
  votingPeriod: { seconds: 40n },
  expeditedVotingPeriod: { seconds: 20n },
  quorum: '0.334000000000000000',
  threshold: '0.500000000000000000',
  expeditedThreshold: '0.667000000000000000',
  vetoThreshold: '0.334000000000000000',
  proposalCancelRatio: '0.500000000000000000',
  minDepositRatio: '0.010000000000000000',
  burnVoteVeto: true,
};

/** A chain with recorded stake and votes, on which the proposals have the ids 1, 2, 3… */
function chainOf({ validators, delegations }: Omit<Input, 'votes'>, proposals: readonly Recorded[]): Chain {
  const rich = encodeAddress(new Uint8Array(20).fill(7));
  const voters = [...new Set(proposals.flatMap(({ votes }) => votes.map(({ voter }) => voter)))];
  const accountOf = (operator: string) => validators.find((each) => each.operator === operator)!.account;
  const steps = proposals.flatMap(({ votes, expedited, messages, deposit }, index): Any[] => [
    message(MsgSubmitProposalSchema, {
      ...{ title: 'Recorded', summary: 'Recorded', metadata: 'x', proposer: rich, expedited },
      ...{ messages: [...messages], initialDeposit: coins(BigInt(deposit)) },
    }),
    ...votes.map(({ voter, options }) =>
      message(MsgVoteWeightedSchema, {
        ...{ proposalId: BigInt(index + 1), voter },
        options: options.map(({ option, weight }) => ({ option: optionNumbers[option], weight: decText(weight) })),
      }),
    ),
  ]);
  return createChain({
    balances: [{ address: rich, coins: [{ denom: 'nhash', amount: 10n ** 12n }] }],
    maxExecutionSeconds: 600,
    gov: recordedParams!,
    staking: {
      validators: validators.map(({ account, tokens, shares }, index) => ({
        ...{ operator: account, tokens, shares, moniker: `n${index}` },
        publicKey: new Uint8Array(32).fill(index + 1),
      })),
      delegations: voters.flatMap((delegator) =>
        delegations(delegator)
          .filter(({ operator }) => validators.some((each) => each.operator === operator))
          .map(({ operator, shares }) => ({ delegator, operator: accountOf(operator), shares })),
      ),
    },
    history: steps.map((step) => ({ secondsBefore: 0, message: step })),
  });
}

const typesOf = (events: readonly AbciEvent[]) => events.map(({ type }) => type);
const attributesOf = (events: readonly AbciEvent[], type: string) =>
  events
    .filter((event) => event.type === type)
    .map(({ attributes }) => Object.fromEntries(attributes.map(({ key, value }) => [key, value])));

describe('a tally of a recorded chain, counted by the development chain', () => {
  it.each(some(govRecordings, 3))('has the recorded numbers while it is live: %s', (name) => {
    const recorded = govState(name);
    let compared = 0;
    for (const height of Object.keys(recorded.state)) {
      const state = stateAt(recorded, height);
      const open = state.ids.filter((id) => state.proposal(id)?.status === VOTING_PERIOD);
      if (open.length === 0) continue;
      const chain = chainOf(
        state,
        open.map((id) => ({ votes: state.votes(id), expedited: false, messages: [], deposit: '1000' })),
      );
      open.forEach((id, index) => {
        const { tally } = chain.query(Query.method.tallyResult, { proposalId: BigInt(index + 1) });
        expect(tally, `proposal ${id} at ${height}`).toEqual(state.tally(id));
        compared += 1;
      });
    }
    expect(compared).toBeGreaterThan(name === 'gov' ? 100 : 10);
  });

  const finals = govRecordings.flatMap((name) => {
    const recorded = govState(name);
    return recorded.finals.map((final) => ({ name, id: String(final.id), H: final.H, result: final.result, recorded, final }));
  });

  it.each(finals)(
    'decides as the chain did: $name, proposal $id at $H: $result',
    ({ name, id, H, result, recorded, final }) => {
      const input = finalInput(recorded, govBlocks(name), H, id);
      const before = stateAt(recorded, String(H - 1)).proposal(id)!;
      const failing = result.includes('proposal_failed');
      const overdraw = message(MsgSendSchema, {
        fromAddress: govAddress,
        toAddress: encodeAddress(new Uint8Array(20)),
        amount: coins(10n ** 20n),
      });
      const { expedited, totalDeposit } = before;
      const messages = failing ? [overdraw] : [];
      const chain = chainOf(input, [{ votes: input.votes, expedited, messages, deposit: totalDeposit[0]!.amount }]);
      const { events } = chain.block([], expedited ? 20n * second : 40n * second);
      const [decided] = attributesOf(events, 'active_proposal');
      const [, kind, log] = result.split(' | ');
      expect(decided!.proposal_result).toBe(kind);
      if (!failing) expect(decided!.proposal_log).toBe(log);
      const { proposal } = chain.query(Query.method.proposal, { proposalId: 1n });
      const { yesCount: yes, abstainCount: abstain, noCount: no, noWithVetoCount: veto } = proposal!.finalTallyResult!;
      expect({ yes, abstain, no, veto }).toEqual(final.final);
      expect(chain.query(Query.method.votes, { proposalId: 1n }).votes).toEqual([]);
      const isConverted = kind === 'expedited_proposal_rejected';
      expect(chain.query(Query.method.deposits, { proposalId: 1n }).deposits).toHaveLength(isConverted ? 1 : 0);
      const stored = stateAt(recorded, String(H)).proposal(id)!;
      expect([proposal!.status, proposal!.expedited]).toEqual([stored.status, stored.expedited]);
      // Deposits are burned exactly when the recorded chain burned them.
      const blocks = govBlocks(name).blocks as readonly unknown[] as readonly {
        readonly height: number;
        readonly block_results: { readonly finalize_block_events: readonly AbciEvent[] };
      }[];
      const theirs = blocks.find(({ height }) => height === H)!.block_results.finalize_block_events;
      const end = theirs.findIndex(
        ({ type, attributes }) =>
          type === 'active_proposal' && attributes.some(({ key, value }) => key === 'proposal_id' && value === id),
      );
      expect(typesOf(events).includes('burn')).toBe(theirs[end - 1]?.type === 'burn');
    },
  );
  it('covers all of the recorded ones', () => expect(finals).toHaveLength(11));
});

describe('x/gov of the development chain', () => {
  const chain = createChain({});
  const [ada, , , , , , , , user, operator] = chain.accounts;
  const submission = (init: object = {}) =>
    message(MsgSubmitProposalSchema, {
      ...{ title: 'Title', summary: 'Summary', metadata: 'x', proposer: user!.address, initialDeposit: coins(1000n * hash) },
      ...init,
    });
  const submit = (init: object = {}): bigint => chain.run(user!, submission(init), MsgSubmitProposalResponseSchema).proposalId;
  const vote = (proposalId: bigint, option: VoteOption) => message(MsgVoteSchema, { proposalId, voter: user!.address, option });
  const eventsOf = ({ events }: TxResult, index = '0') =>
    events.filter(({ attributes }) => attributes.some(({ key, value }) => key === 'msg_index' && value === index));

  it('begins with proposals of every status, and votes of validators and delegators', () => {
    const { proposals } = chain.query(Query.method.proposals, {});
    expect(proposals.map(({ status }) => status)).toEqual([
      ...[PASSED, REJECTED, FAILED, REJECTED],
      ...[VOTING_PERIOD, VOTING_PERIOD, VOTING_PERIOD, DEPOSIT_PERIOD, VOTING_PERIOD],
    ]);
  });

  it('filters proposals by status, voter and depositor', () => {
    const ids = (init: object) => chain.query(Query.method.proposals, init).proposals.map(({ id }) => Number(id));
    expect(ids({ proposalStatus: DEPOSIT_PERIOD })).toEqual([8]);
    expect(ids({ voter: ada!.address })).toEqual([5, 6]);
    const { depositor } = chain.query(Query.method.deposits, { proposalId: 8n }).deposits[0]!;
    expect(ids({ depositor })).toEqual([5, 6, 7, 8, 9]);
    expect(ids({ depositor: user!.address })).toEqual([]);
  });

  it('says in the words of the chain that a proposal does not exist, and has no rows of it', () => {
    const raw = chain.raw('/cosmos.gov.v1.Query/Proposal', Uint8Array.of(8, 99));
    expect([raw.code, raw.log]).toEqual([22, "rpc error: code = NotFound desc = proposal 99 doesn't exist: key not found"]);
    expect(chain.raw('/cosmos.gov.v1.Query/TallyResult', Uint8Array.of(8, 99)).log).toBe(raw.log);
    expect(Buffer.from(chain.raw('/cosmos.gov.v1.Query/Votes', Uint8Array.of(8, 99)).value!).toString('base64')).toBe('EgA=');
    expect(Buffer.from(chain.raw('/cosmos.gov.v1.Query/Deposits', Uint8Array.of(8, 99)).value!).toString('base64')).toBe(
      'EgA=',
    );
  });

  it('has the recorded events of a submission and of votes, and counts the stake of a delegator against the validator', () => {
    const result = chain.deliver(user!, [submission()]);
    expect(result.code).toBe(0);
    expect(typesOf(eventsOf(result))).toEqual([
      ...[
        'message',
        'submit_proposal',
        'coin_spent',
        'coin_received',
        'transfer',
        'message',
        'proposal_deposit',
        'submit_proposal',
      ],
    ]);
    const id = BigInt(attributesOf(result.events, 'submit_proposal')[0]!.proposal_id!);
    const voted = chain.deliver(user!, [vote(id, NO)]);
    expect(chain.query(Query.method.vote, { proposalId: id, voter: user!.address }).vote).toMatchObject({
      options: [{ option: NO, weight: '1.000000000000000000' }],
    });
    expect(() => chain.query(Query.method.vote, { proposalId: id, voter: ada!.address })).toThrow('not found for proposal');
    expect(attributesOf(voted.events, 'proposal_vote')).toEqual([
      {
        voter: user!.address,
        option: '[{"option":3,"weight":"1.000000000000000000"}]',
        proposal_id: String(id),
        msg_index: '0',
      },
    ]);
    const tally = () => chain.query(Query.method.tallyResult, { proposalId: id }).tally!;
    // 147,500 with harbor, 76,000 with meadow and 2,500 with quarry.
    expect(tally().noCount).toBe(String(226_000n * hash));
    const ballot = message(MsgVoteSchema, { proposalId: id, voter: operator!.address, option: YES });
    chain.deliver(operator!, [ballot]);
    const meadow = encodeAddress(decodeAddress(operator!.address), 'tpvaloper');
    const { validator } = chain.query(StakingQuery.method.validator, { validatorAddr: meadow });
    expect(BigInt(tally().yesCount)).toBe(BigInt(validator!.tokens) - 76_000n * hash);
    // A second vote replaces the first.
    const options = [
      { option: YES, weight: '0.5' },
      { option: ABSTAIN, weight: '0.5' },
    ];
    chain.deliver(user!, [message(MsgVoteWeightedSchema, { proposalId: id, voter: user!.address, options })]);
    expect([tally().noCount, tally().abstainCount]).toEqual(['0', String(113_000n * hash)]);
  });

  it.each([
    ['an unknown proposal', () => vote(9999n, YES), 3, '9999: inactive proposal'],
    ['a closed proposal', () => vote(1n, YES), 3, '1: inactive proposal'],
    ['a proposal without its deposit', () => vote(8n, YES), 3, '8: inactive proposal'],
    [
      'weights below 1',
      () => message(MsgVoteWeightedSchema, { proposalId: 5n, voter: user!.address, options: [{ option: YES, weight: '0.9' }] }),
      7,
      'total weight lower than 1.00: invalid vote option',
    ],
    [
      'an option twice',
      () =>
        message(MsgVoteWeightedSchema, {
          ...{ proposalId: 5n, voter: user!.address },
          options: [
            { option: YES, weight: '0.5' },
            { option: YES, weight: '0.5' },
          ],
        }),
      7,
      'duplicated vote option: invalid vote option',
    ],
    [
      'neither messages nor metadata',
      () => submission({ metadata: '' }),
      11,
      'either metadata or Msgs length must be non-nil: no messages proposed',
    ],
  ] as const)('refuses %s as the chain does', (_, build, code, text) => {
    const result = chain.deliver(user!, [build()]);
    expect([result.codespace, result.code, result.log]).toEqual([
      'gov',
      code,
      `failed to execute message; message index: 0: ${text}`,
    ]);
  });

  it('refuses messages of other signers, small deposits, and the cancellation by others', () => {
    const send = message(MsgSendSchema, { fromAddress: user!.address, toAddress: ada!.address, amount: coins(1) });
    const codes = [
      chain.deliver(user!, [submission({ messages: [send] })]),
      chain.deliver(user!, [message(MsgDepositSchema, { proposalId: 8n, depositor: user!.address, amount: coins(1) })]),
      chain.deliver(ada!, [message(MsgCancelProposalSchema, { proposalId: 8n, proposer: ada!.address })]),
    ].map(({ codespace, code }) => [codespace, code]);
    expect(codes).toEqual([
      ['gov', 13],
      ['gov', 16],
      ['gov', 18],
    ]);
  });

  it('cancels with half of the deposit burned, and deletes the proposal at once', () => {
    const id = submit();
    chain.deliver(user!, [vote(id, YES)]);
    const supply = () => BigInt(chain.query(BankQuery.method.supplyOf, { denom: 'nhash' }).amount!.amount);
    const before = supply();
    const result = chain.deliver(user!, [message(MsgCancelProposalSchema, { proposalId: id, proposer: user!.address })]);
    expect(typesOf(eventsOf(result))).toEqual([
      ...['message', 'coin_spent', 'coin_received', 'transfer', 'message', 'coin_spent', 'burn', 'cancel_proposal'],
    ]);
    expect(before - supply()).toBe(500n * hash);
    expect(() => chain.query(Query.method.proposal, { proposalId: id })).toThrow("doesn't exist");
    expect(chain.query(Query.method.votes, { proposalId: id }).votes).toEqual([]);
  });

  it('closes votes and drops proposals in the first block at their time, with refunds, executions and the recorded events', () => {
    const own = createChain({});
    const signer = own.accounts[8]!;
    const pay = message(MsgCommunityPoolSpendSchema, {
      authority: govAddress,
      recipient: signer.address,
      amount: coins(7n * hash),
    });
    const id = own.run(signer, submission({ messages: [pay] }), MsgSubmitProposalResponseSchema).proposalId;
    const held = () => BigInt(own.query(BankQuery.method.balance, { address: signer.address, denom: 'nhash' }).balance!.amount);
    for (const index of [8, 1, 9]) {
      const voter = own.accounts[index]!;
      own.deliver(voter, [message(MsgVoteSchema, { proposalId: id, voter: voter.address, option: YES })]);
    }
    const before = held();
    // The proposal that waited for its deposit for three days is gone after two more.
    expect(attributesOf(own.block([], 2n * day).events, 'inactive_proposal')).toEqual([
      { proposal_id: '8', proposal_result: 'proposal_dropped', mode: 'EndBlock' },
    ]);
    const early = own.block([], 3n * day - 4n * second);
    expect(attributesOf(early.events, 'active_proposal').map(({ proposal_id: number }) => number)).not.toContain(String(id));
    const { events } = own.block([], second);
    const ended = events.filter(({ attributes }) => attributes.at(-1)?.value === 'EndBlock');
    expect(typesOf(ended)).toEqual([
      ...[
        'coin_spent',
        'coin_received',
        'transfer',
        'message',
        'coin_spent',
        'coin_received',
        'transfer',
        'message',
        'active_proposal',
      ],
    ]);
    expect(attributesOf(ended, 'active_proposal')).toEqual([
      { proposal_id: String(id), proposal_result: 'proposal_passed', proposal_log: 'passed', mode: 'EndBlock' },
    ]);
    expect(held() - before).toBe(1007n * hash);
    expect(own.query(Query.method.proposal, { proposalId: id }).proposal).toMatchObject({ status: PASSED, failedReason: '' });
  });

  it('stores why the execution of a proposal failed', () => {
    const { proposal } = chain.query(Query.method.proposal, { proposalId: 3n });
    expect(proposal).toMatchObject({ status: FAILED });
    // The text is recorded, in gov-messages.
    expect(proposal!.failedReason).toBe('community pool does not have sufficient coins to distribute');
    expect(proposal!.messages).toHaveLength(2);
    // Its first message was undone.
    const { pool } = chain.query(DistributionQuery.method.communityPool, {});
    expect(BigInt(pool[0]!.amount) / 10n ** 18n).toBeGreaterThanOrEqual(25_000n * hash);
  });

  it('goes on when a proposal has spent the deposits of others', () => {
    const own = createChain({});
    const signer = own.accounts[8]!;
    const drain = message(MsgSendSchema, { fromAddress: govAddress, toAddress: signer.address, amount: coins(3000n * hash) });
    const id = own.run(signer, submission({ messages: [drain] }), MsgSubmitProposalResponseSchema).proposalId;
    for (const index of [8, 1, 9]) {
      const voter = own.accounts[index]!;
      own.deliver(voter, [message(MsgVoteSchema, { proposalId: id, voter: voter.address, option: YES })]);
    }
    own.block([], 6n * day);
    expect(own.query(Query.method.proposal, { proposalId: id }).proposal!.status).toBe(PASSED);
    own.block([], 6n * day);
    expect(own.query(Query.method.proposals, { proposalStatus: VOTING_PERIOD }).proposals).toEqual([]);
  });
});

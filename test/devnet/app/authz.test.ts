import { describe, expect, it } from 'vitest';
import type { TxResult } from '../../../packages/devnet/src/abci/abci.ts';
import { timestampOf } from '../../../packages/devnet/src/app/runtime/time.ts';
import type { WalletAccount } from '../../../packages/devnet/src/app/runtime/wallet.ts';
import { GenericAuthorizationSchema } from '../../../src/proto/cosmos/authz/v1beta1/authz_pb.js';
import { MsgExecSchema, MsgGrantSchema, MsgRevokeSchema } from '../../../src/proto/cosmos/authz/v1beta1/tx_pb.js';
import { MsgSendResponseSchema, MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import {
  Exec,
  MsgCreateGroupWithPolicyResponseSchema,
  MsgCreateGroupWithPolicySchema,
  MsgSubmitProposalResponseSchema,
  MsgSubmitProposalSchema,
  MsgVoteSchema,
} from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { ThresholdDecisionPolicySchema, VoteOption } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { type Chain, createChain, message, second } from './harness.ts';

const voteType = `/${MsgVoteSchema.typeName}`;
const execType = `/${MsgExecSchema.typeName}`;

/** A chain with a group of the first account, which owns a policy, and three more accounts. */
function setUp() {
  const chain = createChain();
  const [voter, clerk, helper] = chain.accounts as [WalletAccount, WalletAccount, WalletAccount];
  const windows = { votingPeriod: { seconds: 3600n, nanos: 0 } };
  const made = chain.run(
    voter,
    message(MsgCreateGroupWithPolicySchema, {
      admin: voter.address,
      members: [{ address: voter.address, weight: '1' }],
      decisionPolicy: message(ThresholdDecisionPolicySchema, { threshold: '1', windows }),
    }),
    MsgCreateGroupWithPolicyResponseSchema,
  );
  const fromAddress = made.groupPolicyAddress;
  chain.run(
    voter,
    message(MsgSendSchema, { fromAddress: voter.address, toAddress: fromAddress, amount: [{ denom: 'nhash', amount: '9' }] }),
    MsgSendResponseSchema,
  );
  const submit = (): bigint =>
    chain.run(
      voter,
      message(MsgSubmitProposalSchema, {
        groupPolicyAddress: fromAddress,
        proposers: [voter.address],
        title: 'Pay',
        summary: 'Pay',
        messages: [
          message(MsgSendSchema, { fromAddress, toAddress: clerk.address, amount: [{ denom: 'nhash', amount: '3' }] }),
        ],
      }),
      MsgSubmitProposalResponseSchema,
    ).proposalId;
  return { chain, voter, clerk, helper, submit };
}

const grant = (granter: WalletAccount, grantee: WalletAccount, msg: string, expiration?: bigint) =>
  message(MsgGrantSchema, {
    granter: granter.address,
    grantee: grantee.address,
    grant: {
      authorization: message(GenericAuthorizationSchema, { msg }),
      ...(expiration !== undefined && { expiration: timestampOf(expiration) }),
    },
  });
const revoke = (granter: WalletAccount, grantee: WalletAccount, msgTypeUrl: string) =>
  message(MsgRevokeSchema, { granter: granter.address, grantee: grantee.address, msgTypeUrl });
const vote = (voter: WalletAccount, proposalId: bigint, exec = Exec.UNSPECIFIED) =>
  message(MsgVoteSchema, { proposalId, voter: voter.address, option: VoteOption.YES, exec });
const within = (grantee: WalletAccount, ...msgs: ReturnType<typeof message>[]) =>
  message(MsgExecSchema, { grantee: grantee.address, msgs });

/** The events of the group module and those of the fee, as `type key=value …`. */
function shown({ events }: TxResult): string[] {
  return events
    .filter(({ type }) => type.startsWith('cosmos.') || type === 'tx')
    .map(({ type, attributes }) => `${type} ${attributes.map(({ key, value }) => `${key}=${value}`).join(' ')}`)
    .filter((text) => !/acc_seq|signature|^tx fee=/.test(text));
}

function succeed(chain: Chain, account: WalletAccount, ...messages: ReturnType<typeof message>[]): TxResult {
  const result = chain.deliver(account, messages);
  expect(result.log).toBe('');
  return result;
}

describe('authorizations', () => {
  it('cast votes with the events, fees and responses of the recorded ones', () => {
    const { chain, voter, clerk, helper, submit } = setUp();
    const [one, two] = [submit(), submit()];
    expect(shown(succeed(chain, voter, grant(voter, clerk, voteType)))[1]).toBe(
      `cosmos.authz.v1beta1.EventGrant grantee="${clerk.address}" granter="${voter.address}" msg_type_url="${voteType}" msg_index=0`,
    );
    succeed(chain, clerk, grant(clerk, helper, execType));

    const plain = succeed(chain, clerk, within(clerk, vote(voter, one)));
    expect(Buffer.from(plain.data!).toString('base64')).toBe('EisKJS9jb3Ntb3MuYXV0aHoudjFiZXRhMS5Nc2dFeGVjUmVzcG9uc2USAgoA');
    expect(shown(plain)).toEqual([
      `tx min_fee_charged=2nhash fee_payer=${clerk.address}`,
      `cosmos.group.v1.EventVote proposal_id="${one}" authz_msg_index=0 msg_index=0`,
      expect.stringContaining('basefee=2nhash fee_overage'),
    ]);

    const nested = succeed(chain, helper, within(helper, within(clerk, vote(voter, two, Exec.TRY))));
    expect(Buffer.from(nested.data!).toString('base64')).toBe(
      'Ei0KJS9jb3Ntb3MuYXV0aHoudjFiZXRhMS5Nc2dFeGVjUmVzcG9uc2USBAoCCgA=',
    );
    const indexes = 'authz_msg_index=0 authz_msg_index=0 msg_index=0';
    expect(shown(nested)).toEqual([
      `tx min_fee_charged=3nhash fee_payer=${helper.address}`,
      `cosmos.group.v1.EventVote proposal_id="${two}" ${indexes}`,
      `cosmos.group.v1.EventProposalPruned proposal_id="${two}" status="PROPOSAL_STATUS_ACCEPTED" tally_result={"yes_count":"1","abstain_count":"0","no_count":"0","no_with_veto_count":"0"} ${indexes}`,
      `cosmos.group.v1.EventExec logs="" proposal_id="${two}" result="PROPOSAL_EXECUTOR_RESULT_SUCCESS" ${indexes}`,
      expect.stringContaining('basefee=3nhash additionalfee=1nhash fee_overage'),
    ]);
  });

  it('are needed for the messages of others, not for own ones', () => {
    const { chain, voter, clerk, submit } = setUp();
    const id = submit();
    const refused = chain.deliver(clerk, [within(clerk, vote(voter, id))]);
    expect([refused.codespace, refused.code, refused.events.some(({ type }) => type.startsWith('cosmos.group'))]).toEqual([
      'authz',
      2,
      false,
    ]);
    succeed(chain, voter, within(voter, vote(voter, id)));
  });

  it('end when they are revoked or expire', () => {
    const { chain, voter, clerk, submit } = setUp();
    const id = submit();
    succeed(chain, voter, grant(voter, clerk, voteType));
    expect(shown(succeed(chain, voter, revoke(voter, clerk, voteType)))[1]).toContain('EventRevoke');
    expect(chain.deliver(clerk, [within(clerk, vote(voter, id))])).toMatchObject({ codespace: 'authz', code: 2 });
    expect(chain.deliver(voter, [revoke(voter, clerk, voteType)])).toMatchObject({ codespace: 'authz', code: 2 });

    succeed(chain, voter, grant(voter, clerk, voteType, chain.state.time + 5n * second));
    chain.block([], 10n * second);
    expect(chain.deliver(clerk, [within(clerk, vote(voter, id))])).toMatchObject({ codespace: 'authz', code: 2 });
    expect(chain.deliver(voter, [grant(voter, clerk, voteType, chain.state.time)])).toMatchObject({
      codespace: 'authz',
      code: 3,
    });
    expect(chain.deliver(voter, [grant(voter, voter, voteType)])).toMatchObject({ codespace: 'authz', code: 7 });
  });

  it('run all messages or none', () => {
    const { chain, voter, submit } = setUp();
    const [one, two] = [submit(), submit()];
    const failed = chain.deliver(voter, [within(voter, vote(voter, one), vote(voter, one))]);
    expect(failed.code).not.toBe(0);
    const result = succeed(chain, voter, within(voter, vote(voter, one), vote(voter, two)));
    expect(shown(result).filter((text) => text.includes('EventVote'))).toEqual([
      `cosmos.group.v1.EventVote proposal_id="${one}" authz_msg_index=0 msg_index=0`,
      `cosmos.group.v1.EventVote proposal_id="${two}" authz_msg_index=1 msg_index=0`,
    ]);
  });
});

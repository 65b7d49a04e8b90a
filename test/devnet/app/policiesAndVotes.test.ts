import { create } from '@bufbuild/protobuf';
import type { Any } from '@bufbuild/protobuf/wkt';
import { describe, expect, it } from 'vitest';
import { decisionPolicyOf } from '../../../packages/devnet/src/app/keepers/group/policy.ts';
import { packAny } from '../../../packages/devnet/src/app/runtime/keeper.ts';
import { MsgSendSchema } from '../../../src/proto/cosmos/bank/v1beta1/tx_pb.js';
import { Query } from '../../../src/proto/cosmos/group/v1/query_pb.js';
import * as tx from '../../../src/proto/cosmos/group/v1/tx_pb.js';
import { TallyResultSchema, VoteOption } from '../../../src/proto/cosmos/group/v1/types_pb.js';
import { club, groupEvents, log, missing, percentage, threshold } from './clubs.ts';
import { createChain, message } from './harness.ts';

const { YES, NO, NO_WITH_VETO } = VoteOption;

describe('decision policies', () => {
  const decide = (
    policy: Any,
    [yesCount = '', abstainCount = '', noCount = '', noWithVetoCount = '']: string[],
    total: string,
  ): string => {
    const tally = create(TallyResultSchema, { yesCount, abstainCount, noCount, noWithVetoCount });
    const { allow, final } = decisionPolicyOf(policy).decide(tally, total);
    return allow ? (final ? 'accepted' : '?') : final ? 'rejected' : 'undecided';
  };
  it.each([
    ['threshold met', threshold('2'), ['2', '0', '0', '0'], '3', 'accepted'],
    ['threshold missed by a little', threshold('2.5'), ['2.49', '0', '0', '0'], '5', 'undecided'],
    ['threshold out of reach', threshold('2'), ['0', '1', '1', '0'], '3', 'rejected'],
    ['threshold just within reach', threshold('2'), ['0', '0', '0', '1'], '3', 'undecided'],
    ['threshold above the whole group', threshold('10'), ['3', '0', '0', '0'], '3', 'accepted'],
    ['threshold above the whole group, one against', threshold('10'), ['2', '0', '0.5', '0'], '3', 'rejected'],
    ['percentage met', percentage('0.5'), ['1.5', '0', '0', '0'], '3', 'accepted'],
    ['percentage of a third, to 34 digits', percentage(`0.${'3'.repeat(34)}`), ['1', '0', '0', '0'], '3', 'accepted'],
    ['percentage of a third, one digit more', percentage(`0.${'3'.repeat(34)}1`), ['1', '0', '0', '0'], '3', 'undecided'],
    ['percentage of two thirds, rounded up', percentage(`0.${'6'.repeat(33)}7`), ['2', '0', '0', '0'], '3', 'accepted'],
    ['percentage out of reach', percentage('0.7'), ['1', '1', '0', '0'], '3', 'rejected'],
    ['percentage of nothing', percentage('0.1'), ['0', '0', '0', '0'], '0', 'rejected'],
    ['all of it', percentage('1'), ['2', '0', '0', '0'], '3', 'undecided'],
  ] as const)('%s', (_, policy, tally, total, decision) => {
    expect(decide(policy, [...tally], total)).toBe(decision);
  });

  it.each([
    ['percentage above 1', percentage('1.01'), 'percentage must be > 0 and <= 1: invalid value'],
    ['no voting period', threshold('1', 0), 'voting period cannot be zero: invalid value'],
    ['threshold 0', threshold('0'), 'threshold: expected a positive decimal, got 0: invalid value'],
    ['no policy', packAny(MsgSendSchema, create(MsgSendSchema)), 'decision policy: value is empty'],
  ])('%s is rejected', (_, policy, text) => {
    expect(() => decisionPolicyOf(policy)).toThrow(text);
  });
});

describe('votes', () => {
  it('count with the current weights of the members, and those of former members do not count', () => {
    const { chain, people, admin, groupId, submit, vote, tally } = club(threshold('100'), ['2.5', '0.25', '1.50', '4']);
    const id = submit();
    for (const [voter, option] of [YES, YES, NO, NO_WITH_VETO].entries()) vote(id, voter, option);
    expect(tally(id)).toEqual(['2.75', '0', '1.50', '4']);
    const leave = chain.deliver(people[1]!, [message(tx.MsgLeaveGroupSchema, { address: people[1]!.address, groupId })]);
    expect(groupEvents(leave.events)).toEqual([
      `EventLeaveGroup address="${people[1]!.address}" group_id="${groupId}" msg_index=0`,
    ]);
    expect(tally(id)).toEqual(['2.5', '0', '1.50', '4']);
    const memberUpdates = [
      { address: people[0]!.address, weight: '10' },
      { address: people[3]!.address, weight: '0' },
      { address: people[6]!.address, weight: '0.125' },
    ];
    const update = message(tx.MsgUpdateGroupMembersSchema, { admin: admin.address, groupId, memberUpdates });
    expect(groupEvents(chain.deliver(admin, [update]).events)).toEqual([`EventUpdateGroup group_id="${groupId}" msg_index=0`]);
    expect(tally(id)).toEqual(['10', '0', '1.50', '0']);
    const { info } = chain.query(Query.method.groupInfo, { groupId });
    expect([info?.totalWeight, info?.version]).toEqual(['11.625', 3n]);
    expect(log(chain.deliver(people[1]!, [message(tx.MsgLeaveGroupSchema, { address: people[1]!.address, groupId })]))).toEqual(
      [38, 'sdk', `${people[1]!.address} is not part of group 1: not found`],
    );
  });

  it('of a former member do not block a proposal, and a former member cannot vote', () => {
    const { chain, people, groupId, submit, vote, exec, state } = club(percentage('1'), ['1', '1']);
    const id = submit();
    vote(id, 1, NO);
    chain.deliver(people[1]!, [message(tx.MsgLeaveGroupSchema, { address: people[1]!.address, groupId })]);
    vote(id, 0, YES);
    exec(id);
    expect(() => state(id)).toThrow(missing);
    const next = submit();
    expect(log(vote(next, 1, YES))).toEqual([38, 'sdk', `voter address: ${people[1]!.address}: not found`]);
  });

  it('count once, and need an option', () => {
    const { submit, vote } = club(threshold('2'));
    const id = submit();
    vote(id, 0, YES);
    expect(log(vote(id, 0, NO))).toEqual([13, 'legacy_orm', 'store vote: unique constraint violation']);
    expect(log(vote(id, 1, VoteOption.UNSPECIFIED))).toEqual([2, 'group', 'vote option: value is empty']);
    expect(log(vote(99n, 1, YES))).toEqual([38, 'sdk', 'load proposal: not found']);
  });
});

describe('groups and policies', () => {
  it('can be their own admins, and then change by proposal only', () => {
    const { chain, admin, groupId, policy, submit, vote, exec } = club(threshold('1'), ['1', '1'], true);
    const info = () => chain.query(Query.method.groupInfo, { groupId }).info;
    expect([info()?.admin, chain.query(Query.method.groupPolicyInfo, { address: policy }).info?.admin]).toEqual([
      policy,
      policy,
    ]);
    const update = (by: string): Any => message(tx.MsgUpdateGroupMetadataSchema, { admin: by, groupId, metadata: 'changed' });
    expect(log(chain.deliver(admin, [update(admin.address)]))[0]).toBe(4);
    const id = submit([update(policy)]);
    vote(id, 1, YES);
    exec(id);
    expect([info()?.metadata, info()?.version]).toEqual(['changed', 3n]);
  });

  it.each([
    ['no weight', [{ address: 0, weight: '0' }], 6, 'weight: expected a positive decimal, got 0: invalid value'],
    ['a weight below zero', [{ address: 0, weight: '-1' }], 6, 'weight: expected a positive decimal, got -1: invalid value'],
    ['a weight that is no number', [{ address: 0, weight: 'NaN' }], 6, 'invalid decimal string: NaN: invalid value'],
    [
      'the same member twice',
      [
        { address: 0, weight: '1' },
        { address: 0, weight: '2' },
      ],
      3,
      'address: MEMBER: duplicate value',
    ],
  ])('cannot have %s', (_, list, code, text) => {
    const chain = createChain();
    const [admin] = chain.accounts;
    const members = list.map(({ address, weight }) => ({ address: chain.accounts[address]!.address, weight }));
    const result = chain.deliver(admin!, [message(tx.MsgCreateGroupSchema, { admin: admin!.address, members })]);
    expect(log(result)).toEqual([code, 'group', text.replace('MEMBER', admin!.address)]);
    expect(chain.query(Query.method.groups, {}).groups).toEqual([]);
  });

  it('can get another admin, whose lists then contain them', () => {
    const { chain, people, admin, groupId } = club(threshold('1'));
    const newAdmin = people[3]!.address;
    chain.run(
      admin,
      message(tx.MsgUpdateGroupAdminSchema, { admin: admin.address, groupId, newAdmin }),
      tx.MsgUpdateGroupAdminResponseSchema,
    );
    const ids = (of: string): bigint[] => chain.query(Query.method.groupsByAdmin, { admin: of }).groups.map(({ id }) => id);
    expect([ids(admin.address), ids(newAdmin)]).toEqual([[], [groupId]]);
    const second = message(tx.MsgCreateGroupPolicySchema, { admin: newAdmin, groupId, decisionPolicy: percentage('0.5') });
    const { address } = chain.run(people[3]!, second, tx.MsgCreateGroupPolicyResponseSchema);
    expect(chain.account(address).pubKey?.typeUrl).toBe('/cosmos.auth.v1beta1.ModuleCredential');
    expect(chain.query(Query.method.groupPoliciesByGroup, { groupId }).groupPolicies).toHaveLength(2);
  });

  it('reject a policy whose proposals could never be executed', () => {
    const { chain, admin, groupId } = club(threshold('1'));
    const late = message(tx.MsgCreateGroupPolicySchema, {
      admin: admin.address,
      groupId,
      decisionPolicy: threshold('1', 100, 151),
    });
    expect(log(chain.deliver(admin, [late]))[2]).toBe(
      'min_execution_period should be smaller than voting_period + max_execution_period: invalid value',
    );
  });

  it('reject the removal of an unknown member', () => {
    const { chain, people, admin, groupId } = club(threshold('1'));
    const memberUpdates = [{ address: people[8]!.address, weight: '0' }];
    expect(
      log(chain.deliver(admin, [message(tx.MsgUpdateGroupMembersSchema, { admin: admin.address, groupId, memberUpdates })])),
    ).toEqual([38, 'sdk', 'unknown member: not found']);
  });
});

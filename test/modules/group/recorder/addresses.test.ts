import { expect, it } from 'vitest';
import { typedEvent } from '../../../../packages/devnet/src/app/runtime/events.ts';
import type { Event } from '../../../../src/chain/base/execution.ts';
import { createRecorder } from '../../../../src/modules/group/recorder/recorder.ts';
import {
  EventLeaveGroupSchema,
  EventUpdateGroupPolicySchema,
  EventUpdateGroupSchema,
} from '../../../../src/proto/cosmos/group/v1/events_pb.js';
import {
  Exec,
  MsgLeaveGroupSchema,
  MsgUpdateGroupMembersSchema,
  MsgUpdateGroupPolicyMetadataSchema,
  MsgVoteSchema,
} from '../../../../src/proto/cosmos/group/v1/tx_pb.js';
import { ProposalExecutorResult, ProposalStatus, VoteOption } from '../../../../src/proto/cosmos/group/v1/types_pb.js';
import { message } from '../../../devnet/app/harness.ts';
import {
  ann,
  ballot,
  ben,
  block,
  cat,
  exec,
  executed,
  own,
  pinsOf,
  policy,
  prunedEvent,
  stateOf,
  submission,
  submitted,
  voted,
} from './constructed.ts';
import { createFactStore } from './factStore.ts';

type Spelling = (address: string) => string;

/** A proposal with votes, an update of the members, a member that leaves and an update of the policy. Accounts spell their addresses by `spelled`. */
async function record(spelled: Spelling): Promise<string> {
  const store = createFactStore();
  const weights = [ann, ben, cat].map((address, index) => [spelled(address), index === 2 ? '2' : '1'] as const);
  const [submittedState, votedState] = [[], [[spelled(ann), VoteOption.YES]] as const].map((votes) =>
    stateOf({ status: ProposalStatus.SUBMITTED, weights, votes }),
  );
  const pin = pinsOf({ 4: stateOf({ weights }), 5: submittedState!, 6: votedState!, 7: stateOf({ weights }) });
  const facts: unknown[] = [];
  async function add(height: bigint, messages: Parameters<typeof block>[1]): Promise<void> {
    const found = await createRecorder().block(block(height, messages), pin(height - 1n), pin(height), store);
    store.add(found);
    facts.push(...found);
  }
  const update = (schema: typeof EventUpdateGroupPolicySchema, address: string): Event => typedEvent(schema, { address });
  await add(5n, [[[submission([spelled(ann)])], [own(submitted)]]]);
  await add(6n, [[[ballot(spelled(ann), VoteOption.YES)], [own(voted)]]]);
  const leave = message(MsgLeaveGroupSchema, { address: spelled(cat), groupId: 1n });
  const members = message(MsgUpdateGroupMembersSchema, {
    admin: spelled(ann),
    groupId: 1n,
    memberUpdates: [{ address: spelled(ben), weight: '1.5', metadata: '' }],
  });
  const describe = message(MsgUpdateGroupPolicyMetadataSchema, {
    admin: spelled(ann),
    groupPolicyAddress: spelled(policy),
    metadata: 'new',
  });
  const last = message(MsgVoteSchema, { proposalId: 7n, voter: spelled(ben), option: VoteOption.YES, exec: Exec.TRY });
  const updated = typedEvent(EventUpdateGroupSchema, { groupId: 1n });
  await add(7n, [
    [[members], [own(updated)]],
    [[leave], [own(typedEvent(EventLeaveGroupSchema, { groupId: 1n, address: spelled(cat) }))]],
    [[last], [voted, prunedEvent, executed(ProposalExecutorResult.SUCCESS)].map((event) => own(event))],
    [[exec(spelled(cat))], []],
    [[describe], [own(update(EventUpdateGroupPolicySchema, spelled(policy)))]],
  ]);
  // The bytes of the transactions differ.
  return JSON.stringify(facts, (name, value) => (name === 'hash' ? null : typeof value === 'bigint' ? `${value}` : value), 1);
}

it('addresses in upper case are those in lower case: members, voters, proposers, admins and policies', async () => {
  const plain = await record((address) => address);
  expect(plain).toContain('"yesCount": "2.5"');
  // Each account spells its address in another case than the state.
  let count = 0;
  expect(await record((address) => (count++ % 2 === 0 ? address.toUpperCase() : address))).toBe(plain);
  expect(await record((address) => address.toUpperCase())).toBe(plain);
});

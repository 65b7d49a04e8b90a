import { createRegistry } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { descriptors, messageTypes, templateOf } from '../../dashboard/src/actions/descriptors.ts';
import { type DraftObject, draftOfMembers, readMembers } from '../../dashboard/src/pages/explore/model/form.ts';
import { messageForm, withoutTypes, withTypes } from '../../dashboard/src/pages/policy/messageTypes.ts';
import { encodeJson, knownMessages, type MessageJson } from '../../packages/client/src/sign/index.ts';
import { createAccounts } from '../../packages/devnet/src/app/runtime/wallet.ts';

const registry = createRegistry(knownMessages, descriptors);
const [policy, member] = createAccounts(2).map(({ address }) => address) as [string, string];

/** What a draft of a type is read as: the message, and why values are refused. */
function read(type: string, draft: DraftObject) {
  const { members, types } = messageForm(type, 'tp')!;
  const { value, problems } = readMembers(members, draft, types);
  return { message: { '@type': type, ...Object(withTypes(value)) } as MessageJson, problems };
}

describe('the form of a message', () => {
  it('exists for every type, and what it shows of an empty message encodes', () => {
    expect(messageTypes.length).toBeGreaterThan(80);
    for (const type of messageTypes) {
      const { members, types } = messageForm(type, 'tp')!;
      const template: object = JSON.parse(templateOf(type, policy)!);
      const { message } = read(type, draftOfMembers(members, Object(withoutTypes(template)), types));
      expect(() => encodeJson(message, registry), type).not.toThrow();
    }
  });

  it('has lists, messages within messages, choices, times and bytes', () => {
    const rule = read('/cosmos.group.v1.MsgUpdateGroupPolicyDecisionPolicy', {
      ...{ admin: policy, group_policy_address: policy },
      decision_policy: {
        'cosmos.group.v1.ThresholdDecisionPolicy': { threshold: '2', windows: { voting_period: '3600s' } },
      },
    });
    expect(rule).toEqual({
      message: {
        '@type': '/cosmos.group.v1.MsgUpdateGroupPolicyDecisionPolicy',
        ...{ admin: policy, group_policy_address: policy },
        decision_policy: {
          '@type': '/cosmos.group.v1.ThresholdDecisionPolicy',
          ...{ threshold: '2', windows: { voting_period: '3600s' } },
        },
      },
      problems: {},
    });
    expect(() => encodeJson(rule.message, registry)).not.toThrow();
    const { members, types } = messageForm('/cosmos.group.v1.MsgUpdateGroupPolicyDecisionPolicy', 'tp')!;
    const { '@type': _, ...fields } = rule.message;
    expect(readMembers(members, draftOfMembers(members, Object(withoutTypes(fields)), types), types).problems).toEqual({});
    expect(
      read('/provenance.attribute.v1.MsgAddAttributeRequest', {
        ...{ name: 'a.b', value: '"text"', account: member, owner: policy },
        ...{ attribute_type: 'ATTRIBUTE_TYPE_STRING', expiration_date: '2030-01-01T00:00:00Z' },
      }),
    ).toMatchObject({ message: { value: 'dGV4dA==', attribute_type: 'ATTRIBUTE_TYPE_STRING' }, problems: {} });
  });

  it('refuses wrong addresses, amounts, numbers, times and bytes, each in its place', () => {
    const coins = (amount: string) => [{ denom: 'nhash', amount }];
    expect(
      read('/cosmos.bank.v1beta1.MsgMultiSend', {
        inputs: [{ address: policy, coins: coins('1,5') }],
        outputs: [{ address: 'hello', coins: coins('-1') }, { address: member.replace('tp1', 'cosmos1') }],
      }).problems,
    ).toEqual({
      'inputs.0.coins.0.amount': 'Write a whole number without separators.',
      'outputs.0.address': 'This is not an address. Accounts of this chain begin with tp1.',
      'outputs.0.coins.0.amount': expect.stringMatching(/^Write a number from 0 to 1157/),
      'outputs.1.address': expect.stringContaining('checksum'),
    });
    expect(
      read('/provenance.attribute.v1.MsgAddAttributeRequest', { value: 'ü', expiration_date: 'tomorrow' }).problems,
    ).toEqual({
      value: 'Write base64, hex digits after 0x, text in quotes, or JSON.',
      expiration_date: 'Write a time with its zone, such as 2026-01-31T12:00:00Z.',
    });
    expect(read('/cosmos.group.v1.MsgVote', { proposal_id: '18446744073709551616' }).problems).toEqual({
      proposal_id: 'Write a number from 0 to 18446744073709551615.',
    });
  });
});

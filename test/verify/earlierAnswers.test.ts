import { sha256 } from '@noble/hashes/sha2.js';
import { bech32 } from '@scure/base';
import { expect, it } from 'vitest';
import { plans } from '../../packages/verify/src/plans/index.ts';
import { Message } from '../../packages/verify/src/plans/wire.ts';
import { recording } from '../recordings/recording.ts';
import { type QueryRow, readRecording } from '../recordings/recordings.ts';
import { runsAll } from '../support/atRandom.ts';
import { answerOf, answerText, type Contents, hexOf, readsOf } from './planWorld.ts';

type Answer = Pick<QueryRow, 'path' | 'height' | 'request' | 'response'>;

// These recordings have no contents of stores. The rows are taken from some answers at a height, so that the others at this height follow from them: pages
// from whole lists, tallies from votes and members.

const address = (text: string): string => hexOf(bech32.decodeToBytes(text).bytes);
const id = (value: bigint): string => value.toString(16).padStart(16, '0');
const sized = (hex: string): string => (hex.length / 2).toString(16).padStart(2, '0') + hex;
const none = new Uint8Array();

/** Writes the rows of a group, member, policy, proposal or vote, with those of its indexes. */
const rowsOf: Readonly<Record<string, (value: Uint8Array, message: Message) => readonly (readonly [string, Uint8Array])[]>> = {
  group: (value, group) => [
    [`0000${id(group.uint(1))}`, value],
    [`02${sized(address(group.text(2)))}${id(group.uint(1))}`, none],
  ],
  member: (value, row) => {
    const [group, member] = [id(row.uint(1)), address(row.message(2).text(1))];
    return [
      [`1000${group}${member}`, value],
      [`12${sized(member)}${group}${member}`, none],
    ];
  },
  policy: (value, policy) => {
    const key = sized(address(policy.text(1)));
    return [
      [`2000${key}`, value],
      [`22${id(policy.uint(2))}${key}`, none],
      [`23${sized(address(policy.text(3)))}${key}`, none],
    ];
  },
  proposal: (value, proposal) => [
    [`3000${id(proposal.uint(1))}`, value],
    [`32${sized(address(proposal.text(2)))}${id(proposal.uint(1))}`, none],
  ],
  vote: (value, vote) => {
    const [proposal, voter] = [id(vote.uint(1)), address(vote.text(2))];
    return [
      [`4000${proposal}${voter}`, value],
      [`42${sized(voter)}${proposal}${voter}`, none],
    ];
  },
};

/** The kind of the rows that the first field of an answer has. */
const kinds: Readonly<Record<string, string>> = {
  GroupInfo: 'group',
  Groups: 'group',
  GroupMembers: 'member',
  GroupPolicyInfo: 'policy',
  GroupPoliciesByGroup: 'policy',
  Proposal: 'proposal',
  ProposalsByGroupPolicy: 'proposal',
  VotesByProposal: 'vote',
};

const bytes = ({ response }: Answer): Uint8Array => new Uint8Array(Buffer.from(response.value ?? '', 'base64'));
const method = ({ path }: Answer): string => path.replace(/.*\//, '');

/** The stores at the height of answers, as far as they have rows. */
function contentsOf(answers: readonly Answer[]): Contents {
  const group = new Map<string, Uint8Array>();
  const attribute = new Map<string, Uint8Array>();
  for (const answer of answers.filter(({ response }) => response.code === 0)) {
    const rows = rowsOf[kinds[method(answer)] ?? ''];
    for (const value of rows === undefined ? [] : new Message(bytes(answer)).all(1))
      for (const [key, row] of rows!(value, new Message(value))) group.set(key, row);
    for (const value of method(answer) === 'Attributes' ? new Message(bytes(answer)).all(2) : []) {
      const content = new Message(value);
      const name = hexOf(sha256(new TextEncoder().encode(content.text(1).split('.').reverse().join('.'))));
      attribute.set(`02${sized(address(content.text(4)))}${name}${hexOf(sha256(content.bytes(2)))}`, value);
    }
  }
  return new Map([
    ['group', group],
    ['attribute', attribute],
  ]);
}

/** Compares the computed answers at each height with the recorded ones. Returns how many follow from the rows, by method. */
function compared(all: readonly Answer[], methods: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const height of new Set(all.map((answer) => answer.height))) {
    const answers = all.filter((answer) => answer.height === height);
    const reads = readsOf(contentsOf(answers));
    for (const answer of answers.filter((row) => plans.has(row.path) && methods.includes(method(row)))) {
      const { code, codespace, log, value } = answer.response;
      const text = answerText(answerOf(answer, reads, { prefix: 'tp', time: 0n }));
      expect([method(answer), answer.request, text]).toEqual([
        method(answer),
        answer.request,
        code === 0 ? (value ?? '') : `${codespace} ${code}: ${log}`,
      ]);
      counts[method(answer)] = (counts[method(answer)] ?? 0) + 1;
    }
  }
  return counts;
}

it('The answers about groups and attributes of the first recorded chain follow from one another', () => {
  // Left out: requests that are not valid, and other heights.
  const rows = readRecording('queries').filter(
    ({ height, response }) => Number(height) > 1 && Number(height) < 1000 && response.code !== 18 && response.code !== 111222,
  );
  const methods = ['TallyResult', 'VoteByProposalVoter', 'VotesByProposal', 'VotesByVoter', 'ProposalsByGroupPolicy'];
  expect(
    compared(rows, [...methods, 'Proposal', 'Groups', 'GroupsByAdmin', 'GroupMembers', 'Attribute', 'Attributes', 'Scan']),
  ).toMatchObject({ TallyResult: 91, VotesByProposal: 94 });
});

it.runIf(runsAll)('The tallies at each height of the recorded governance follow from the votes and the members', () => {
  const rows = recording<readonly Answer[]>('governance-queries');
  expect(compared(rows, ['TallyResult', 'VotesByProposal', 'ProposalsByGroupPolicy'])).toEqual({
    TallyResult: 189,
    VotesByProposal: 988,
    ProposalsByGroupPolicy: 260,
  });
});

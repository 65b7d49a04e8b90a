import { concat } from '../bytes.ts';
import {
  groupKey,
  groupRows,
  groupStore,
  groupsOfAdmin,
  memberRows,
  membershipsOf,
  membersOf,
  policiesOfAdmin,
  policiesOfGroup,
  policyKey,
  policyRows,
  proposalKey,
  proposalRows,
  proposalsOfPolicy,
  voteKey,
  voteRows,
  votesOf,
  votesOfVoter,
} from './groupKeys.ts';
import { idBytes } from './keyParts.ts';
import { groupPage, listAnswer, pageRequest, valuesOf } from './page.ts';
import { addressOf, type Plan, type PlanContext, plan, refused } from './plan.ts';
import { get, getAll, getRows, type Reading, range } from './reads.ts';
import { type Tally, tallyOfVotes } from './rules/tally.ts';
import { bytesField, Message, messageField } from './wire.ts';

/** Reads a row. Refuses with `absence` if there is none. */
function* row(key: Uint8Array, absence: string): Reading<Uint8Array> {
  const value = yield* get(groupStore, key);
  if (value === null) throw refused(absence);
  return value;
}

/** A method that returns one row. */
const rowPlan = (method: string, key: (request: Message, context: PlanContext) => Uint8Array, absence: string): Plan =>
  plan(`/cosmos.group.v1.Query/${method}`, function* (request, context) {
    return messageField(1, yield* row(key(request, context), absence));
  });

/**
 * A method that pages the rows of a table with a common prefix. The node pages an index; its entries have the same keys in the same order, so their
 * reads prove nothing that the rows do not.
 */
const tablePlan = (method: string, table: Uint8Array, prefix: (request: Message) => Uint8Array, ignoreKey = false): Plan =>
  plan(`/cosmos.group.v1.Query/${method}`, function* (request) {
    const page = yield* groupPage(groupStore, prefix(request), pageRequest(request, 2), { table, ignoreKey });
    return listAnswer(valuesOf(page.rows), page);
  });

/** A method that pages an index and returns the rows which its entries name. `rowKey` makes the key of a row of what an entry names. */
const indexPlan = (
  method: string,
  prefix: (request: Message, context: PlanContext) => Uint8Array,
  table: Uint8Array,
  rowKey = (id: Uint8Array) => concat(table, id),
): Plan =>
  plan(`/cosmos.group.v1.Query/${method}`, function* (request, context) {
    const page = yield* groupPage(groupStore, prefix(request, context), pageRequest(request, 2));
    const rows = yield* getRows(
      groupStore,
      page.rows.map(([id]) => rowKey(id)),
    );
    return listAnswer(rows, page);
  });

const addressIn =
  (field: number) =>
  (request: Message, { prefix }: PlanContext): Uint8Array =>
    addressOf(request.text(field), prefix);
const addressOne = addressIn(1);

/** The weights of members by address, from their rows. */
function weightsOf(rows: readonly Uint8Array[]): ReadonlyMap<string, string> {
  return new Map(
    rows.map((row) => {
      const member = new Message(row).message(2);
      return [member.text(1), member.text(2)];
    }),
  );
}

/** The live tally of a proposal: its stored votes, counted by the weights that the members have now. */
function* liveTally(proposal: Message): Reading<Tally> {
  const policy = yield* row(policyKey(addressBytes(proposal.text(2))), 'load group policy: not found');
  const votes = yield* range(groupStore, votesOf(proposal.uint(1)));
  const group = membersOf(new Message(policy).uint(2));
  // The key of a vote ends with the address of the voter, as that of a member does.
  const members = yield* getAll(
    groupStore,
    votes.map(([key]) => concat(group, key.subarray(votesOf(0n).length))),
  );
  return tallyOfVotes(
    votes.map(([, value]) => {
      const vote = new Message(value);
      return { voter: vote.text(2), option: Number(vote.uint(3)) };
    }),
    weightsOf(members.filter((member) => member !== null)),
  );
}

/** Encodes a tally. */
const tallyBytes = ({ yesCount, abstainCount, noCount, noWithVetoCount }: Tally): Uint8Array =>
  concat(bytesField(1, yesCount), bytesField(2, abstainCount), bytesField(3, noCount), bytesField(4, noWithVetoCount));

/** Decodes the address of a stored row, which has the chain's own prefix. */
const addressBytes = (text: string): Uint8Array => addressOf(text, text.slice(0, text.lastIndexOf('1')));

/** Names of the statuses of a proposal that has no tally, by number. */
const withoutTally = new Map([
  [4n, 'PROPOSAL_STATUS_ABORTED'],
  [5n, 'PROPOSAL_STATUS_WITHDRAWN'],
]);

const tallyPlan = plan(
  '/cosmos.group.v1.Query/TallyResult',
  function* (request) {
    const proposal = new Message(yield* row(proposalKey(request.uint(1)), 'load proposal: not found'));
    const status = proposal.uint(8);
    const refusal = withoutTally.get(status);
    if (refusal !== undefined) throw refused(`can't get the tally of a proposal with status ${refusal}: invalid value`);
    const decided = status === 2n || status === 3n;
    return messageField(1, decided ? proposal.bytes(9) : tallyBytes(yield* liveTally(proposal)));
  },
  ['tally'],
);

/** The plans of all methods of `cosmos.group.v1.Query`. */
export const groupPlans: readonly Plan[] = [
  rowPlan('GroupInfo', (request) => groupKey(request.uint(1)), 'group: not found'),
  rowPlan('GroupPolicyInfo', (request, context) => policyKey(addressOne(request, context)), 'group policy: not found'),
  tablePlan('GroupMembers', memberRows, (request) => membersOf(request.uint(1))),
  indexPlan('GroupsByAdmin', (request, context) => groupsOfAdmin(addressOne(request, context)), groupRows),
  indexPlan('GroupPoliciesByGroup', (request) => policiesOfGroup(request.uint(1)), policyRows),
  indexPlan('GroupPoliciesByAdmin', (request, context) => policiesOfAdmin(addressOne(request, context)), policyRows),
  rowPlan('Proposal', (request) => proposalKey(request.uint(1)), 'load proposal: not found'),
  indexPlan('ProposalsByGroupPolicy', (request, context) => proposalsOfPolicy(addressOne(request, context)), proposalRows),
  rowPlan('VoteByProposalVoter', (request, context) => voteKey(request.uint(1), addressIn(2)(request, context)), 'not found'),
  tablePlan('VotesByProposal', voteRows, (request) => votesOf(request.uint(1))),
  indexPlan('VotesByVoter', (request, context) => votesOfVoter(addressOne(request, context)), voteRows),
  // The entries name memberships: the id of a group and an address.
  indexPlan(
    'GroupsByMember',
    (request, context) => membershipsOf(addressOne(request, context)),
    groupRows,
    (membership) => concat(groupRows, membership.subarray(0, idBytes(0n).length)),
  ),
  tallyPlan,
  tablePlan('Groups', groupRows, () => groupRows, true),
];

import { expect, it } from 'vitest';
import { compareBoards } from '../../bench/comparison/compareBoards.ts';
import { boardOfRest } from '../../bench/comparison/restBoard.ts';

/** A board with one proposal, as Stele returns it. */
const board = {
  totalCount: '3',
  pageInfo: { hasNextPage: true, endCursor: 'b2Zmc2V0' },
  nodes: [
    {
      id: '7',
      title: 'Buy a press',
      status: 'PROPOSAL_STATUS_SUBMITTED',
      executorResult: 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN',
      votingPeriodEnd: '2026-01-02T00:00:00Z',
      proposers: [{ address: 'tp1a' }],
      tally: { yesCount: '2.5', noCount: '1', abstainCount: '0', noWithVetoCount: '0' },
      votes: {
        nodes: [
          { option: 'VOTE_OPTION_YES', submitTime: '2026-01-01T00:00:00Z', voter: { address: 'tp1b' } },
          { option: 'VOTE_OPTION_NO', submitTime: '2026-01-01T01:00:00Z', voter: { address: 'tp1c' } },
        ],
      },
      groupPolicy: {
        address: 'tp1p',
        group: { id: '1', totalWeight: '32', members: { nodes: [{ weight: '2.5', account: { address: 'tp1b' } }] } },
      },
      messages: [{ type: '/x.Msg', value: 'Cg==', json: { fromAddress: 'tp1a', '@type': '/x.Msg' } }],
    },
    { id: '6', tally: null },
  ],
};

/** The same board as a gateway over REST returns it: oldest first, and one proposal whose tally it could not read. */
const rest = {
  proposalsByGroupPolicy: {
    pagination: { total: '3', next_key: null },
    proposals: [
      { id: '6', tally: null },
      {
        id: '7',
        title: 'Buy a press',
        status: 'PROPOSAL_STATUS_SUBMITTED',
        executor_result: 'PROPOSAL_EXECUTOR_RESULT_NOT_RUN',
        voting_period_end: '2026-01-02T00:00:00Z',
        proposers: ['tp1a'],
        tally: { tally: { yes_count: '2.5', no_count: '1', abstain_count: '0', no_with_veto_count: '0' } },
        votes: {
          votes: [
            { option: 'VOTE_OPTION_YES', submit_time: '2026-01-01T00:00:00Z', voter: 'tp1b' },
            { option: 'VOTE_OPTION_NO', submit_time: '2026-01-01T01:00:00Z', voter: 'tp1c' },
          ],
        },
        groupPolicy: {
          info: {
            address: 'tp1p',
            group: {
              info: { id: '1', total_weight: '32.0', members: { members: [{ member: { weight: '2.5', address: 'tp1b' } }] } },
            },
          },
        },
        messages: [{ '@type': '/x.Msg', from_address: 'tp1a' }],
      },
    ],
  },
};

it('a board of REST has all values of the board, without the fields that REST does not have', () => {
  const { equal, missing, different } = compareBoards(board, boardOfRest(rest, 1));
  expect({ missing, different }).toEqual({ missing: ['pageInfo.endCursor', 'nodes[].messages[].value'], different: [] });
  expect(equal).toBe(28);
});

it.each([
  ['another vote', 'VOTE_OPTION_NO', 'VOTE_OPTION_ABSTAIN', 'nodes[].votes.nodes[].option'],
  ['another number', '"2.5"', '"2.50001"', 'nodes[].tally.yesCount'],
  ['another message', '"from_address":"tp1a"', '"from_address":"tp1z"', 'nodes[].messages[].json.fromAddress'],
])('%s is a difference, named by its field', (_, from, to, field) => {
  const changed = JSON.parse(JSON.stringify(rest).replace(from, to));
  expect(compareBoards(board, boardOfRest(changed, 1)).different).toEqual([field]);
});

it('a list of another length, and an object in place of null, are differences', () => {
  expect(compareBoards({ a: [1, 2] }, { a: [1] }).different).toEqual(['a']);
  expect(compareBoards({ a: null, b: { c: 1 } }, { a: {}, b: null }).different).toEqual(['a', 'b']);
});

it('decimal numbers are equal by value, other texts only if they are the same', () => {
  expect(compareBoards(['32', '0.10', '100'], ['32.0', '0.1', '1']).different).toEqual(['[]']);
  expect(compareBoards(['32', '0.10', '100'], ['32.0', '0.1', '100.00'])).toMatchObject({ equal: 3, different: [] });
  expect(compareBoards(['1.0a'], ['1a']).different).toEqual(['[]']);
});

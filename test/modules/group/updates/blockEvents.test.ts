import { describe, expect, it } from 'vitest';
import type { Event } from '../../../../src/chain/base/execution.ts';
import { groupEvents } from '../../../../src/modules/group/updates/blockEvents.ts';

/** An event as on the wire: each value the field's JSON, and what the application adds behind them. */
function event(name: string, fields: Readonly<Record<string, string>>): Event {
  const attributes = Object.entries({ ...fields, mode: 'EndBlock' });
  return { type: `cosmos.group.v1.${name}`, attributes: attributes.map(([key, value]) => ({ key, value, index: true })) };
}

const read = (...events: Event[]) => groupEvents({ transactions: [], events });

describe('events of the group module', () => {
  it('keep ids of 64 bits exactly, and the last of several tries', () => {
    const id = 18_446_744_073_709_551_615n;
    const told = read(
      event('EventSubmitProposal', { proposal_id: `"${id}"` }),
      event('EventExec', { logs: '""', proposal_id: '"7"', result: '"PROPOSAL_EXECUTOR_RESULT_NOT_RUN"' }),
      event('EventExec', { logs: '""', proposal_id: '"7"', result: '"PROPOSAL_EXECUTOR_RESULT_FAILURE"' }),
    );
    expect(told.submitted).toEqual(new Set([id]));
    expect(told.executed).toEqual(new Map([[7n, 'PROPOSAL_EXECUTOR_RESULT_FAILURE']]));
    expect(told.isEmpty).toBe(false);
  });

  it('take values that are newer than this server, and counts that are left out', () => {
    const told = read(
      event('EventProposalPruned', {
        proposal_id: '"1"',
        status: '"PROPOSAL_STATUS_NEW"',
        tally_result: '{"yes_count":"2.5"}',
      }),
      event('EventProposalPruned', { proposal_id: '"2"', status: '"PROPOSAL_STATUS_ABORTED"', tally_result: 'null' }),
      event('EventTallyError', { proposal_id: '"3"', error_message: '"no"' }),
      event('EventOfLater', { proposal_id: '3' }),
    );
    expect(told.pruned).toEqual(
      new Map([
        [1n, { status: 'UNRECOGNIZED', tally: { yesCount: '2.5', abstainCount: '0', noCount: '0', noWithVetoCount: '0' } }],
        [2n, { status: 'PROPOSAL_STATUS_ABORTED', tally: null }],
      ]),
    );
  });

  it('are none where only other modules have some', () => {
    const other: Event = {
      type: 'cosmos.groupish.v1.EventVote',
      attributes: [{ key: 'proposal_id', value: '"1"', index: true }],
    };
    expect(read(other)).toMatchObject({ isEmpty: true, voted: new Set() });
  });

  it.each([
    ['no id', event('EventVote', {})],
    ['an id that a number may have rounded', event('EventVote', { proposal_id: '7' })],
    ['an id that is none', event('EventVote', { proposal_id: '"-7"' })],
    ['no status', event('EventProposalPruned', { proposal_id: '"7"' })],
    ['no address', event('EventLeaveGroup', { group_id: '"7"', address: 'null' })],
  ])('are not believed with %s', (_, bad) => {
    expect(() => read(bad)).toThrow(expect.objectContaining({ code: 'NODE_INVALID_RESPONSE' }));
  });
});

import { describe, expect, it } from 'vitest';
import type { Event } from '../../../../src/chain/base/execution.ts';
import { groupEvents } from '../../../../src/modules/group/events.ts';

/** Creates an event as the node returns it: each value is JSON, followed by the attributes that the application adds. */
function event(name: string, fields: Readonly<Record<string, string>>): Event {
  const attributes = Object.entries({ ...fields, mode: 'EndBlock' });
  return { type: `cosmos.group.v1.${name}`, attributes: attributes.map(([key, value]) => ({ key, value, index: true })) };
}

const read = (...events: Event[]) => groupEvents({ transactions: [], events });

describe('groupEvents', () => {
  it('keeps 64-bit ids exactly, and the result of the last execution attempt', () => {
    const id = 18_446_744_073_709_551_615n;
    const events = read(
      event('EventSubmitProposal', { proposal_id: `"${id}"` }),
      event('EventExec', { logs: '""', proposal_id: '"7"', result: '"PROPOSAL_EXECUTOR_RESULT_NOT_RUN"' }),
      event('EventExec', { logs: '""', proposal_id: '"7"', result: '"PROPOSAL_EXECUTOR_RESULT_FAILURE"' }),
    );
    expect(events.submitted).toEqual(new Set([id]));
    expect(events.executed).toEqual(new Map([[7n, 'PROPOSAL_EXECUTOR_RESULT_FAILURE']]));
    expect(events.isEmpty).toBe(false);
  });

  it('accepts unknown enum values, unknown events and missing counts', () => {
    const events = read(
      event('EventProposalPruned', {
        proposal_id: '"1"',
        status: '"PROPOSAL_STATUS_NEW"',
        tally_result: '{"yes_count":"2.5"}',
      }),
      event('EventProposalPruned', { proposal_id: '"2"', status: '"PROPOSAL_STATUS_ABORTED"', tally_result: 'null' }),
      event('EventTallyError', { proposal_id: '"3"', error_message: '"no"' }),
      event('EventOfLater', { proposal_id: '3' }),
    );
    expect(events.pruned).toEqual(
      new Map([
        [1n, { status: 'UNRECOGNIZED', tally: { yesCount: '2.5', abstainCount: '0', noCount: '0', noWithVetoCount: '0' } }],
        [2n, { status: 'PROPOSAL_STATUS_ABORTED', tally: null }],
      ]),
    );
  });

  it('is empty if only other modules have events', () => {
    const other: Event = {
      type: 'cosmos.groupish.v1.EventVote',
      attributes: [{ key: 'proposal_id', value: '"1"', index: true }],
    };
    expect(read(other)).toMatchObject({ isEmpty: true, voted: new Set() });
  });

  it.each([
    ['no id', event('EventVote', {})],
    ['an id that is a JSON number, not text', event('EventVote', { proposal_id: '7' })],
    ['a malformed id', event('EventVote', { proposal_id: '"-7"' })],
    ['no status', event('EventProposalPruned', { proposal_id: '"7"' })],
    ['no address', event('EventLeaveGroup', { group_id: '"7"', address: 'null' })],
  ])('fails with NODE_INVALID_RESPONSE for %s', (_, bad) => {
    expect(() => read(bad)).toThrow(expect.objectContaining({ code: 'NODE_INVALID_RESPONSE' }));
  });
});

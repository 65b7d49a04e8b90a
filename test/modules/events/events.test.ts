import { describe, expect, it } from 'vitest';
import { formatEventQuery, parseEventQuery } from '../../../src/chain/events/eventQuery.ts';
import { type ConditionInput, eventConditions, eventFields, msgIndex } from '../../../src/modules/events/events.ts';
import { heightWindow } from '../../../src/modules/events/search.ts';
import { readRecording } from '../../recordings/recordings.ts';

const event = (type: string, values: Record<string, string>) => ({
  type,
  attributes: Object.entries(values).map(([key, value]) => ({ key, value, index: true })),
});

describe('an event', () => {
  it('has decoded fields if it is typed, without the attributes that the application adds', () => {
    const pruned = event('cosmos.group.v1.EventProposalPruned', {
      proposal_id: '"9007199254740993"',
      status: '"PROPOSAL_STATUS_ACCEPTED"',
      tally_result: '{"yes_count":"1","no_with_veto_count":"0"}',
      raw: 'no json',
      msg_index: '2',
    });
    expect(eventFields(pruned)).toEqual({
      proposalId: '9007199254740993',
      status: 'PROPOSAL_STATUS_ACCEPTED',
      tallyResult: { yesCount: '1', noWithVetoCount: '0' },
      raw: 'no json',
    });
    expect(msgIndex(pruned)).toBe(2);
  });

  it('has no decoded fields if it is plain, and no message index without the attribute', () => {
    const transfer = event('transfer', { amount: '1nhash', mode: 'EndBlock' });
    expect([eventFields(transfer), msgIndex(transfer)]).toEqual([null, null]);
  });

  it('of the recorded chain has JSON in every attribute, except those known to be text', () => {
    let typed = 0;
    for (const { block_results: results } of readRecording('chain')) {
      const txs = (results.txs_results ?? []) as { events: ReturnType<typeof event>[] }[];
      for (const each of txs.flatMap(({ events }) => events)) {
        const fields = eventFields(each);
        if (fields === null) continue;
        typed += 1;
        const own = each.attributes.filter(({ key }) => key !== 'msg_index' && key !== 'mode');
        expect(Object.keys(fields)).toHaveLength(own.length);
      }
    }
    expect(typed).toBeGreaterThan(50);
  });
});

describe('conditions', () => {
  const compiled = (...where: ConditionInput[]): string => formatEventQuery(eventConditions(undefined, where));

  it.each([
    [{ key: 'transfer.recipient', op: 'EQUAL', value: 'tp1x' }, "transfer.recipient = 'tp1x'"],
    [
      { key: 'cosmos.group.v1.EventVote.proposal_id', op: 'EQUAL', value: '7' },
      `cosmos.group.v1.EventVote.proposal_id = '"7"'`,
    ],
    [{ key: 'cosmos.group.v1.EventVote.msg_index', op: 'EQUAL', value: '0' }, "cosmos.group.v1.EventVote.msg_index = '0'"],
    [{ key: 'cosmos.group.v1.EventVote.proposal_id', op: 'EXISTS' }, 'cosmos.group.v1.EventVote.proposal_id EXISTS'],
    [{ key: 'message.action', op: 'CONTAINS', value: 'Msg' }, "message.action CONTAINS 'Msg'"],
    [{ key: 'tx.height', op: 'EQUAL', value: '5' }, 'tx.height = 5'],
    [{ key: 'tx.height', op: 'GREATER_OR_EQUAL', value: '5' }, 'tx.height >= 5'],
    [{ key: 'a.time', op: 'LESS', value: '2026-11-21T00:00:00Z' }, 'a.time < TIME 2026-11-21T00:00:00Z'],
    [{ key: 'a.date', op: 'LESS_OR_EQUAL', value: '2026-11-21' }, 'a.date <= DATE 2026-11-21'],
    [{ key: 'tx.hash', op: 'EQUAL', value: '0xab' }, "tx.hash = 'AB'"],
  ] as const)('%j compiles to the text of a query', (condition, text) => {
    expect(compiled(condition)).toBe(text);
    expect(formatEventQuery(parseEventQuery(text))).toBe(text);
  });

  it.each([
    { key: "a='x' AND b", op: 'EXISTS' },
    { key: 'AND', op: 'EXISTS' },
    { key: '', op: 'EXISTS' },
    { key: '5a', op: 'EXISTS' },
    { key: 'a.b', op: 'EXISTS', value: 'x' },
    { key: 'a.b', op: 'EQUAL' },
    { key: 'a.b', op: 'EQUAL', value: "x' AND c='y" },
    { key: 'a.b', op: 'LESS', value: '-5' },
    { key: 'a.b', op: 'GREATER', value: '5 AND c EXISTS' },
    { key: 'tx.height', op: 'EQUAL', value: '5 OR 1=1' },
  ] as const)('%j is rejected', (condition) => {
    expect(() => compiled(condition)).toThrow(/`where` must be/);
  });

  it('on the height are combined into one window, so that a node drops none', () => {
    const window = (query: string, latest = 100n) => {
      const { low, high, others } = heightWindow(parseEventQuery(query), 'tx.height', latest);
      return [low, high, formatEventQuery(others)];
    };
    expect(window("tx.height > 5 AND a.b = 'c' AND tx.height <= 9 AND tx.height < 200")).toEqual([6n, 9n, "a.b = 'c'"]);
    expect(window('tx.height = 7 AND tx.height >= 3')).toEqual([7n, 7n, '']);
    expect(window("tx.height = '7'")).toEqual([7n, 7n, '']);
    expect(window('tx.height EXISTS')).toEqual([1n, 100n, '']);
    expect(window('tx.height > 100')).toEqual([101n, 100n, '']);
    for (const bad of ["tx.height = 'x'", 'tx.height < 1.5', "tx.height CONTAINS '1'", 'tx.height > DATE 2026-01-01']) {
      expect(() => window(bad)).toThrow('whole number');
    }
  });
});

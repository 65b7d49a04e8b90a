import { describe, expect, it } from 'vitest';
import { EventQueryError, formatEventQuery, matches, parseEventQuery } from '../../../src/chain/events/eventQuery.ts';

function errorOf(text: string): string {
  try {
    parseEventQuery(text);
  } catch (error) {
    if (error instanceof EventQueryError) return error.message;
  }
  throw new Error(`parsed: ${text}`);
}

function holds(text: string, events: Record<string, string[]>): boolean {
  return matches(parseEventQuery(text), new Map(Object.entries(events)));
}

describe('parsing', () => {
  it('reads every kind of condition', () => {
    expect(
      parseEventQuery(`tm.event='Tx' AND tx.height>=5 AND a-b.c_d<1.50 AND x.at > TIME 2026-01-02T03:04:05Z AND x.on<=DATE 2026-01-02
        AND message.action CONTAINS 'Vote' AND cosmos.group.v1.EventVote.proposal_id='"7"' AND transfer EXISTS`),
    ).toEqual([
      { tag: 'tm.event', operator: '=', argument: { type: 'string', text: 'Tx' } },
      { tag: 'tx.height', operator: '>=', argument: { type: 'number', text: '5' } },
      { tag: 'a-b.c_d', operator: '<', argument: { type: 'number', text: '1.50' } },
      { tag: 'x.at', operator: '>', argument: { type: 'time', text: '2026-01-02T03:04:05Z' } },
      { tag: 'x.on', operator: '<=', argument: { type: 'date', text: '2026-01-02' } },
      { tag: 'message.action', operator: 'CONTAINS', argument: { type: 'string', text: 'Vote' } },
      { tag: 'cosmos.group.v1.EventVote.proposal_id', operator: '=', argument: { type: 'string', text: '"7"' } },
      { tag: 'transfer', operator: 'EXISTS' },
    ]);
  });

  it('fails with the recorded texts of the node', () => {
    expect(errorOf("tm.event='NewBlock' OR 1=1")).toBe('offset 20: got tag, want 6');
    expect(errorOf('')).toBe('offset 0: EOF');
  });

  it.each([
    ['  ', 'offset 2: EOF'],
    ["='x'", 'offset 0: got = operator, wanted tag'],
    ['a.b', 'offset 3: EOF'],
    [
      "a.b 'c'",
      'offset 4: got string, wanted <= operator, >= operator, < operator, > operator, = operator, CONTAINS operator or EXISTS operator',
    ],
    ["a.b < 'c'", 'offset 6: got string, wanted number, timestamp or datestamp'],
    ['a.b CONTAINS 5', 'offset 13: got number, wanted string'],
    ['a.b=-5', 'offset 4: invalid input - at offset 5'],
    ["a.b='c", 'offset 4: EOF'],
    ["é.b='c' ! ", 'offset 9: got invalid token, want 6'],
    ['a.b EXISTS AND', 'offset 14: EOF'],
    ['(a.b EXISTS)', 'offset 0: invalid input ( at offset 1'],
  ])('parses %j: %s', (text, message) => {
    expect(errorOf(text)).toBe(message);
  });

  it.each(['a.b = DATE 2026-02-30', 'a.b = TIME 2026-01-02', 'a.b = DATE 1899-01-01'])('rejects the instant of %j', (text) => {
    expect(errorOf(text)).toMatch(/^offset 6: (invalid (DATE|TIME) value|datestamp year 1899 out of range)/);
  });

  it('prints equal text for queries that the node treats as one subscription', () => {
    const [a, b] = ["tm.event='NewBlockHeader'", "tm.event  =  'NewBlockHeader'"].map((text) =>
      formatEventQuery(parseEventQuery(text)),
    );
    expect(a).toBe("tm.event = 'NewBlockHeader'");
    expect(b).toBe(a);
  });
});

describe('matching', () => {
  it('compares numbers exactly, ignoring their unit, and text as text', () => {
    const events = { 't.amount': ['100nhash'], 'v.id': ['"7"'], 'big.n': ['9007199254740993'] };
    expect(holds('t.amount=100', events)).toBe(true);
    expect(holds('t.amount<100.5 AND t.amount>99.9', events)).toBe(true);
    expect(holds('t.amount>100', events)).toBe(false);
    expect(holds("t.amount='100'", events)).toBe(false);
    expect(holds('v.id=7', events)).toBe(false);
    expect(holds(`v.id='"7"'`, events)).toBe(true);
    expect(holds('big.n=9007199254740992', events)).toBe(false);
    expect(holds('big.n=9007199254740993.0', events)).toBe(true);
  });

  it('compares times as instants', () => {
    const events = { 'b.time': ['2026-11-21T02:48:54.421437096Z'], 'b.date': ['2026-11-21'] };
    expect(holds('b.time >= TIME 2026-11-21T02:48:54Z AND b.time < TIME 2026-11-21T03:48:55+01:00', events)).toBe(true);
    expect(holds('b.time <= TIME 2026-11-21T02:48:54Z', events)).toBe(false);
    expect(holds('b.date = DATE 2026-11-21', events)).toBe(true);
    expect(holds('b.time > DATE 2026-11-20', events)).toBe(false);
  });

  it('matches any value of a tag, conditions in different events, and an event type with EXISTS', () => {
    const events = { 'transfer.recipient': ['a', 'b'], 'message.action': ['/x.MsgVote'] };
    expect(holds("transfer.recipient='b' AND message.action CONTAINS 'Vote'", events)).toBe(true);
    expect(holds('transfer EXISTS', events)).toBe(true);
    expect(holds('trans EXISTS', events)).toBe(false);
    expect(holds('transfer.sender EXISTS', events)).toBe(false);
  });
});

import { describe, expect, it } from 'vitest';
import type { Event } from '../../../src/chain/base/execution.ts';
import { type CommittedBlock, decodeCommittedBlock } from '../../../src/chain/blocks/committedBlock.ts';
import {
  type HistoryQuery,
  matchesInBlock,
  newestFirst,
  positionKey,
  positionOfKey,
} from '../../../src/modules/history/matches.ts';
import { readRecording } from '../../recordings/recordings.ts';

const event = (type: string, name: string, mode?: string): Event => ({
  type,
  attributes: [
    { key: 'name', value: name, index: true },
    ...(mode === undefined ? [] : [{ key: 'mode', value: mode, index: true }]),
  ],
});

/** A recorded block with the given events of the block itself and of three transactions. */
function blockWith(events: readonly Event[], ofTransactions: readonly (readonly Event[])[]): CommittedBlock {
  const row = readRecording('chain').find(({ height }) => height === '21')!;
  const block = decodeCommittedBlock(row.block, row.block_results);
  const [one] = block.transactions;
  return {
    ...block,
    events,
    transactions: ofTransactions.map((own, index) => ({ ...one!, index, result: { ...one!.result, events: own } })),
  };
}

const query = (includesBlockEvents = true): HistoryQuery<string> => ({
  eventType: 'seen',
  searches: [],
  exact: true,
  includesBlockEvents,
  read: ({ attributes }, { transaction }) => {
    const name = attributes[0]!.value;
    return name === 'no' ? null : `${name}${transaction === null ? '' : `@${transaction.index}`}`;
  },
});

const block = blockWith(
  [
    event('seen', 'begin 1', 'BeginBlock'),
    event('other', 'begin 2', 'BeginBlock'),
    event('seen', 'begin 3', 'BeginBlock'),
    event('seen', 'end 1', 'EndBlock'),
    event('seen', 'end 2', 'EndBlock'),
  ],
  [[event('seen', 'a'), event('seen', 'no'), event('seen', 'b')], [event('other', 'c')], [event('seen', 'd')]],
);

describe('matches in a block', () => {
  it('are sorted newest first: the end of the block, its transactions, its beginning, each from the last event to the first', () => {
    const items = ['end 2', 'end 1', 'd@2', 'b@0', 'a@0', 'begin 3', 'begin 1'];
    expect(matchesInBlock(query(), block).map(({ item }) => item)).toEqual(items);
    expect(matchesInBlock(query(false), block).map(({ item }) => item)).toEqual(['d@2', 'b@0', 'a@0']);
  });

  it('have keys that sort the same way and decode to the same positions', () => {
    const found = matchesInBlock(query(), block);
    const keys = found.map(({ position }) => positionKey(position));
    expect(keys.toSorted(Buffer.compare)).toEqual(keys);
    expect(keys.map((key) => positionOfKey(key))).toEqual(found.map(({ position }) => position));
    const older = positionKey({ height: 20n, slot: 0xffff_ffff, event: 9 });
    expect(Buffer.compare(keys.at(-1)!, older)).toBe(-1);
    expect(newestFirst(positionOfKey(older), found[0]!.position)).toBe(1);
  });
});

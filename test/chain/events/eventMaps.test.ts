import { describe, expect, it } from 'vitest';
import { type CommittedBlock, decodeCommittedBlock, hashTx } from '../../../src/chain/blocks/committedBlock.ts';
import {
  createEventMatcher,
  type EventMap,
  flattenEvents,
  flattenTx,
  matches,
  parseEventQuery,
} from '../../../src/chain/events/eventQuery.ts';
import { readRecording } from '../../recordings/recordings.ts';

interface Message {
  query: string;
  data: { type: string; value: Record<string, never> };
  events: Record<string, string[]>;
}

const messages = readRecording('live-events')
  .flatMap(({ from, frame }) => (from === 'node' && frame ? [(JSON.parse(frame) as { result: Message }).result] : []))
  .filter(({ data }) => data !== undefined);

function heightOf({ data: { value } }: Message): bigint {
  const block = value.block as { header: { height: string } } | undefined;
  const { TxResult, header, height } = value as {
    TxResult?: { height: string };
    header?: { height: string };
    height?: string;
  };
  return BigInt(TxResult?.height ?? header?.height ?? block?.header.height ?? height ?? '-1');
}

/** Identifies a delivered message by kind, height and transaction. */
function nameOf(message: Message): string {
  const { TxResult } = message.data.value as { TxResult?: { tx: string } };
  return `${message.data.type.replace('tendermint/event/', '')} ${heightOf(message)} ${TxResult ? hashTx(TxResult.tx) : ''}`;
}

const [low, high] = [heightOf(messages[0]!), heightOf(messages.at(-1)!)];
const chain = readRecording('chain')
  .map((row) => decodeCommittedBlock(row.block, row.block_results))
  .filter(({ header: { height } }) => height >= low && height < high);
const kinds = ['NewBlock', 'NewBlockHeader', 'NewBlockEvents'] as const;

/** All events of a block that a node delivers to subscribers. */
function eventsOf(block: CommittedBlock): [string, EventMap][] {
  const { height } = block.header;
  return [
    ...kinds.map((kind): [string, EventMap] => [`${kind} ${height} `, flattenEvents(block, kind)]),
    ...block.transactions.map((tx): [string, EventMap] => [`Tx ${height} ${tx.hash}`, flattenTx(block, tx)]),
  ];
}

const queries = [...new Set(messages.map(({ query }) => query))];

describe('flattened events', () => {
  it('cover five recorded queries', () => {
    expect(queries).toHaveLength(5);
    expect(chain.length).toBeGreaterThan(150);
  });

  it.each(queries)('select exactly the events that the node sent: %s', (query) => {
    const conditions = parseEventQuery(query);
    const sent = messages.filter((message) => message.query === query && heightOf(message) < high).map(nameOf);
    const picked = chain.flatMap(eventsOf).flatMap(([name, events]) => (matches(conditions, events) ? [name] : []));
    expect(sent.length).toBeGreaterThan(0);
    expect(picked).toEqual(sent);
  });

  it('equal those that the node sent with each message, value by value', () => {
    const all = new Map(chain.flatMap(eventsOf));
    for (const message of messages.filter((each) => heightOf(each) < high)) {
      const events = Object.fromEntries(all.get(nameOf(message)) ?? []);
      // A node does not deliver the height of a block as an attribute.
      if (message.data.type.endsWith('NewBlock')) delete events['block.height'];
      expect(events).toEqual(message.events);
    }
  });
});

describe('a matcher', () => {
  const matcher = createEventMatcher();
  const pick = (query: string) => {
    const conditions = parseEventQuery(query);
    return chain.map((block) => ({ height: block.header.height, ...matcher.match(conditions, block) }));
  };

  it('finds transactions by hash and height, and blocks by height', () => {
    const block = chain.find(({ transactions }) => transactions.length > 0)!;
    const { hash } = block.transactions[0]!;
    const byHash = pick(`tx.hash='${hash}'`).filter(({ transactions }) => transactions.length > 0);
    expect(byHash).toEqual([{ height: block.header.height, block: false, transactions: [block.transactions[0]] }]);
    const byHeight = pick(`tx.height=${block.header.height}`).flatMap(({ transactions }) => transactions);
    expect(byHeight).toEqual(block.transactions);
    const blocks = pick('block.height>100 AND block.height<=103').filter((each) => each.block);
    expect(blocks.map(({ height }) => height)).toEqual([101n, 102n, 103n]);
  });

  it('separates the events of a block from those of its transactions', () => {
    const pruned = pick('cosmos.group.v1.EventProposalPruned.proposal_id EXISTS');
    const sent = messages.filter(({ query, data }) => query.includes('Pruned') && data.type.endsWith('NewBlock')).map(heightOf);
    expect(pruned.flatMap(({ height, block }) => (block ? [height] : []))).toEqual(sent.filter((height) => height < high));
    for (const { height, transactions } of pruned) {
      for (const { result } of transactions) {
        expect(
          result.events.map(({ type }) => type),
          `${height}`,
        ).toContain('cosmos.group.v1.EventProposalPruned');
      }
    }
  });
});

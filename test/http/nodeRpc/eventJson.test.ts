import { describe, expect, it } from 'vitest';
import { type CommittedBlock, decodeCommittedBlock, decodeNewBlockValue } from '../../../src/chain/blocks/committedBlock.ts';
import { matches, parseEventQuery } from '../../../src/chain/events/eventQuery.ts';
import { eventsOfBlock } from '../../../src/surfaces/nodeRpc/nodeEvents.ts';
import { type Frame, readRecording } from '../../recordings/recordings.ts';

interface Message {
  readonly id: number;
  readonly result: { readonly query?: string; readonly data?: { readonly type: string; readonly value: never } };
}

/** The recorded event messages of a socket. */
function eventsIn(frames: readonly Frame[]): readonly { readonly text: string; readonly message: Message }[] {
  return frames.flatMap(({ from, frame }) => {
    if (from !== 'node' || frame === undefined) return [];
    const message = JSON.parse(frame) as Message;
    return message.result?.data === undefined ? [] : [{ text: frame, message }];
  });
}

/** Sorts the map of events in a message. A node writes it in random order. */
function sorted(text: string): string {
  const at = text.lastIndexOf(',"events":{"') + ',"events":'.length;
  const events = Object.entries(JSON.parse(text.slice(at, -2)) as object).sort(([a], [b]) => (a < b ? -1 : 1));
  return text.slice(0, at) + JSON.stringify(events);
}

/** The messages of a block for a subscriber to these queries, by id. */
function messagesOf(block: CommittedBlock, queries: ReadonlyMap<number, string>): string[] {
  return eventsOfBlock(block).flatMap((event) =>
    [...queries].flatMap(([id, query]) =>
      matches(parseEventQuery(query), event.events)
        ? [`{"jsonrpc":"2.0","id":${id},"result":{"query":${goText(query)},${event.json()}}}`]
        : [],
    ),
  );
}

const goText = (text: string): string =>
  JSON.stringify(text).replace(/[<>&]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);

function queriesIn(frames: readonly Frame[]): ReadonlyMap<number, string> {
  return new Map(
    frames.flatMap(({ from, frame }) => {
      if (from !== 'client' || frame === undefined) return [];
      const { id, params } = JSON.parse(frame) as { id: number; params: { query: string } };
      return [[id, params.query] as const];
    }),
  );
}

const chain = new Map(
  readRecording('chain').map((row) => [row.height, decodeCommittedBlock(row.block, row.block_results)] as const),
);

function heightIn({ message }: { readonly message: Message }): string {
  const value = message.result.data?.value as unknown as Record<string, { height: string; header: { height: string } }>;
  return (value.TxResult?.height ?? value.header?.height ?? value.block?.header.height ?? value.height) as string;
}

describe('the events of a block', () => {
  it.each(['live-newblock', 'live-events'] as const)(
    'equal the recorded ones byte for byte, from block and block_results: %s',
    (file) => {
      const frames = readRecording(file);
      const recorded = eventsIn(frames);
      const heights = [...new Set(recorded.map(heightIn))];
      expect(heights.length).toBeGreaterThan(170);
      for (const height of heights) {
        const mine = messagesOf(chain.get(height)!, queriesIn(frames)).map(sorted);
        const theirs = recorded.filter((each) => heightIn(each) === height).map(({ text }) => sorted(text));
        // A node sends one event to its subscriptions in random order, and each subscription has its own queue.
        expect(mine.toSorted()).toEqual(theirs.toSorted());
        for (const id of queriesIn(frames).keys()) {
          const of = (texts: readonly string[]): string[] => texts.filter((text) => text.includes(`"id":${id},`));
          expect(of(mine)).toEqual(of(theirs));
        }
      }
    },
  );

  it('with a validator set that changes', () => {
    const frames = readRecording('validator-set');
    const recorded = eventsIn(frames);
    const blocks = recorded
      .filter(({ message }) => message.result.data?.type === 'tendermint/event/NewBlock')
      .map(({ message }) => decodeNewBlockValue(message.result.data!.value));
    expect(blocks.some(({ validatorUpdates }) => validatorUpdates.length > 0)).toBe(true);
    expect(blocks.flatMap((block) => messagesOf(block, queriesIn(frames))).map(sorted)).toEqual(
      recorded.map(({ text }) => sorted(text)),
    );
  });

  it('the first block, and a block with evidence', () => {
    const first = chain.get('1')!;
    const { data } = JSON.parse(`{${eventsOfBlock(first)[0]!.json()}}`);
    const [row] = readRecording('chain');
    expect(data.value.block).toEqual(row!.block.block);
    expect(eventsOfBlock(first).map(({ kind }) => kind)).toEqual(['NewBlock', 'NewBlockHeader', 'NewBlockEvents']);

    const evidence = { type: 'tendermint/DuplicateVoteEvidence', value: { TotalVotingPower: '10' } };
    const listed = eventsOfBlock({ ...first, evidence: [evidence] });
    expect(listed.map(({ kind }) => kind)).toEqual(['NewBlock', 'NewBlockHeader', 'NewBlockEvents', 'NewEvidence']);
    expect(JSON.parse(`{${listed[3]!.json()}}`)).toEqual({
      data: { type: 'tendermint/event/NewEvidence', value: { height: '1', evidence } },
      events: { 'tm.event': ['NewEvidence'] },
    });
  });
});

import { describe, expect, it } from 'vitest';
import {
  type Answer,
  costPlace,
  fillBody,
  graphqlTexts,
  keptAnswer,
  PackedAnswer,
  smallBody,
  splitBody,
} from '../../../src/answers/answer.ts';
import { heightPlace, timePlace } from '../../../src/reads/pin.ts';

/** The answer in this JSON, with headers and an operation of its own. */
function answerIn(json: string, status = 200): Answer {
  return { status, operation: 'Board', headers: ['content-type', 'application/json'], body: splitBody(Buffer.from(json)) };
}

/** The bytes that a caller gets at a height. */
function sentAt(answer: Answer, height: string): string {
  return Buffer.concat([
    ...fillBody(
      answer.body,
      graphqlTexts(
        height,
        () => '2026-11-23T10:00:00Z',
        () => '{"requested":1}',
      ),
    ),
  ]).toString();
}

/** The answer as it is kept. Fails unless it is packed. */
function packed(answer: Answer): PackedAnswer {
  const kept = keptAnswer(answer);
  if (!(kept instanceof PackedAnswer)) throw new Error('the answer is not packed');
  return kept;
}

describe('a small body', () => {
  const texts = graphqlTexts(
    '12',
    () => '2026-11-23T10:00:00Z',
    () => '{"requested":1}',
  );

  it.each([
    ['no place', '{"data":{"group":null}}'],
    ['a height', `{"data":{"a":1},"extensions":{"height":"${heightPlace}"}}`],
    [
      'two heights, a cost and a time',
      `{"data":{"a":"${heightPlace}"},"extensions":{"height":"${heightPlace}","cost":"${costPlace}","time":"${timePlace}"}}`,
    ],
    ['a place alone', String(heightPlace)],
  ])('with %s is sent, split and packed as its bytes are', (_, json) => {
    const body = smallBody(json, 0)!;
    const asBytes = splitBody(Buffer.from(json));
    expect(body.filledWith(texts)).toBe(Buffer.concat([...fillBody(asBytes, texts)]).toString());
    expect([body.places, body.parts.map(String), body.whole]).toEqual([
      asBytes.places,
      asBytes.parts.map(String),
      Buffer.from(json),
    ]);
    const { body: again } = packed({ ...answerIn(''), body }).unpacked();
    expect(Buffer.concat([...fillBody(again, texts)]).toString()).toBe(body.filledWith(texts));
  });

  it('has no place before the character that it is searched from', () => {
    const data = `{"data":"${heightPlace}"`;
    const body = smallBody(`${data},"extensions":{"height":"${heightPlace}"}}`, data.length)!;
    expect(body.filledWith(texts)).toBe(`${data},"extensions":{"height":"12"}}`);
  });

  it('is neither longer than a packed answer nor has characters of several bytes', () => {
    expect(smallBody('x'.repeat(1_024), 0)).toBeDefined();
    for (const json of ['x'.repeat(1_025), 'é', '\u2028', '🙂']) expect(smallBody(json, 0)).toBeUndefined();
  });
});

describe('a packed answer', () => {
  it.each([
    ['no place', '{"data":{"group":null}}'],
    ['a height', `{"data":{"a":"é 🙂 \u2028"},"extensions":{"height":"${heightPlace}"}}`],
    [
      'a height twice and a cost',
      `{"data":{"a":"${heightPlace}"},"extensions":{"height":"${heightPlace}","cost":"${costPlace}"}}`,
    ],
    ['a cost alone', `{"cost":"${costPlace}"}`],
    ['a height alone', String(heightPlace)],
    ['nothing', ''],
  ])('with %s is unpacked as it was', (_, json) => {
    const answer = answerIn(json, 206);
    const { body, ...others } = packed(answer).unpacked();
    expect(others).toEqual({ status: 206, operation: 'Board', headers: answer.headers });
    expect(body.places).toEqual(answer.body.places);
    const expected = json.replaceAll(String(heightPlace), '12').replaceAll(`"${costPlace}"`, '{"requested":1}');
    expect([sentAt({ ...others, body }, '12'), sentAt(answer, '12')]).toEqual([expected, expected]);
  });

  it('has bytes of its own', () => {
    const bytes = Buffer.from('{"data":{"a":1}}');
    const kept = packed({ ...answerIn(''), body: splitBody(bytes) });
    bytes.fill(0);
    expect(sentAt(kept.unpacked(), '1')).toBe('{"data":{"a":1}}');
    // The caller of one unpacked answer cannot change the next.
    kept.unpacked().body.parts[0]?.fill(0);
    expect(sentAt(kept.unpacked(), '1')).toBe('{"data":{"a":1}}');
  });

  it('counts its bytes and its texts', () => {
    const [short, long] = [packed(answerIn('x'.repeat(10))), packed(answerIn('x'.repeat(1_010)))];
    expect(long.size() - short.size()).toBe(1_000);
    const { operation: _, ...unnamed } = answerIn('x'.repeat(10));
    expect(short.size() - packed({ ...unnamed, operation: undefined }).size()).toBe('Board'.length);
  });

  it('is none if it is large, or if its parts were not found in one piece', () => {
    const parts = [Buffer.from('a'), Buffer.from('b')];
    const others: readonly Answer[] = [
      answerIn('x'.repeat(1_025)),
      { ...answerIn(''), body: { parts, places: ['height'] } },
      { ...answerIn(''), body: { parts: [Buffer.from('ab')], places: [] } },
    ];
    for (const answer of others) {
      const kept = keptAnswer(answer);
      expect(kept).not.toBeInstanceOf(PackedAnswer);
      if (!(kept instanceof PackedAnswer)) expect(sentAt(kept, '7')).toBe(sentAt(answer, '7'));
    }
    expect(keptAnswer(answerIn('x'.repeat(1_024)))).toBeInstanceOf(PackedAnswer);
  });
});

describe('a large answer with a height and a time', () => {
  const rows = 'é'.repeat(40_000);
  const json = (height: string): string =>
    `{"data":"${rows}","extensions":{"height":"${height}","time":"2026-11-23T10:00:00Z"}}`;
  const answer = (): Answer => {
    const kept = keptAnswer(answerIn(`{"data":"${rows}","extensions":{"height":"${heightPlace}","time":"${timePlace}"}}`));
    if (kept instanceof PackedAnswer) throw new Error('the answer is packed');
    return kept;
  };
  const piecesAt = (kept: Answer, height: string): readonly Buffer[] =>
    fillBody(
      kept.body,
      graphqlTexts(
        height,
        () => '2026-11-23T10:00:00Z',
        () => '',
      ),
    );

  it('is one piece from the second time on with the same height, and its parts are in the same memory', () => {
    const kept = answer();
    expect(piecesAt(kept, '12').length).toBe(2);
    const [whole, ...others] = piecesAt(kept, '12');
    expect([whole!.toString(), others]).toEqual([json('12'), []]);
    expect(piecesAt(kept, '12')[0]).toBe(whole);
    expect(kept.body.parts.every(({ buffer }) => buffer === whole!.buffer)).toBe(true);
  });

  it('has the texts of each height, in whatever order they come', () => {
    const kept = answer();
    for (const height of ['12', '12', '9', '12', '1000', '1000', '1000', '9', '9'])
      expect(Buffer.concat([...piecesAt(kept, height)]).toString()).toBe(json(height));
  });

  it('of more than 256 KiB is not copied', () => {
    const kept = keptAnswer(answerIn(`{"data":"${'x'.repeat(300_000)}","extensions":{"height":"${heightPlace}"}}`)) as Answer;
    const [data] = kept.body.parts;
    for (let time = 0; time < 3; time += 1) expect(piecesAt(kept, '12')[0]!.buffer).toBe(data!.buffer);
  });
});

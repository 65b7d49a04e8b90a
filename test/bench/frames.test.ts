import { expect, it } from 'vitest';
import { createFrameReader } from '../../bench/frames.ts';
import { fc, rounds } from '../support/atRandom.ts';

/** An unmasked frame, as a server sends it (RFC 6455, 5.2). */
function frame(first: number, length: number): Buffer {
  const head = Buffer.alloc(length > 65_535 ? 10 : length > 125 ? 4 : 2);
  head[0] = first;
  head[1] = length > 65_535 ? 127 : length > 125 ? 126 : length;
  if (length > 65_535) head.writeBigUInt64BE(BigInt(length), 2);
  else if (length > 125) head.writeUInt16BE(length, 2);
  // A payload that would be a ping if it was read as a frame.
  return Buffer.concat([head, Buffer.alloc(length, Buffer.from([0x89, 0]))]);
}

const size = fc.oneof(fc.nat(200), fc.integer({ min: 65_000, max: 66_000 }), fc.constant(81_000));
const event = fc.oneof(fc.constant('ping' as const), fc.array(size, { minLength: 1, maxLength: 3 }));

it('the listeners of a benchmark read each message once, in frames of any length that are split anywhere', () => {
  fc.assert(
    fc.property(fc.array(event, { maxLength: 6 }), fc.array(fc.integer({ min: 1, max: 40_000 })), (events, cuts) => {
      const bytes = Buffer.concat(
        events.flatMap((of) => {
          if (of === 'ping') return [frame(0x89, 3)];
          const last = of.length - 1;
          // A ping may come between the frames of a message.
          return of.flatMap((length, index) => [
            ...(index > 0 ? [frame(0x89, 0)] : []),
            frame((index === 0 ? 1 : 0) | (index === last ? 0x80 : 0), length),
          ]);
        }),
      );
      const read: (number | 'ping')[] = [];
      const take = createFrameReader({ message: (length) => read.push(length), ping: () => read.push('ping') });
      let at = 0;
      for (let index = 0; at < bytes.length; index += 1) {
        // Without cuts, byte by byte at the start of the stream.
        const next = at + (cuts[index % cuts.length] ?? (at < 500 ? 1 : 10_000));
        take(bytes.subarray(at, next));
        at = next;
      }
      const expected = events.flatMap((of) =>
        of === 'ping' ? ['ping'] : [...of.slice(1).map(() => 'ping'), of.reduce((sum, length) => sum + length, 0)],
      );
      expect(read).toEqual(expected);
    }),
    { numRuns: rounds(200) },
  );
});

import { randomFillSync } from 'node:crypto';

/** Random bytes for the next ids. */
const random = Buffer.allocUnsafeSlow(8 * 1024);
let used = random.length;

/** Returns random bytes in hexadecimal digits, in one piece of memory. */
function randomHex(bytes: number): string {
  if (used + bytes > random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += bytes;
  return random.toString('hex', used - bytes, used);
}

/** Returns the id of a new trace, in 32 hexadecimal digits. */
export const createTraceId = (): string => randomHex(16);

/** Returns the id of a new span, in 16 hexadecimal digits. */
export const createSpanId = (): string => randomHex(8);

/** Returns the value of a hexadecimal digit of an id. It has no branch, which a processor could not predict for random digits. */
export function digitOf(id: string, index: number): number {
  const code = id.charCodeAt(index);
  return (code & 15) + (code >> 6) * 9;
}

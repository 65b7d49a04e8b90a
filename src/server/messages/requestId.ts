import { randomFillSync } from 'node:crypto';

/** Random bytes for the next ids. */
const random = Buffer.allocUnsafeSlow(16 * 256);
let used = random.length;

/** The text of the next id: a UUID of version 4, whose dashes stay. */
const text = Buffer.from('00000000-0000-4000-8000-000000000000', 'latin1');
const digits = Buffer.from('0123456789abcdef', 'latin1');

/** The place in the text of the first digit of each byte. */
const places = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/**
 * Returns a random UUID (RFC 9562, version 4). The text is one piece of memory: one that is put together from parts, as that of
 * `randomUUID`, takes eight times as much, and more time.
 */
export function createRequestId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  for (let index = 0; index < 16; index += 1) {
    let byte = random[used + index] ?? 0;
    if (index === 6) byte = (byte & 0x0f) | 0x40;
    else if (index === 8) byte = (byte & 0x3f) | 0x80;
    const place = places[index] ?? 0;
    text[place] = digits[byte >> 4] ?? 0;
    text[place + 1] = digits[byte & 15] ?? 0;
  }
  used += 16;
  return text.toString('latin1');
}

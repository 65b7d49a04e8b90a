/** Bytes as text if they are printable ASCII, as hex otherwise. */
function textOf(bytes: readonly number[]): string {
  const isText = bytes.length > 0 && bytes.every((byte) => byte >= 0x20 && byte < 0x7f);
  if (isText) return String.fromCharCode(...bytes);
  return `0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * The parts of a key of the state of a contract, in hex. By convention, the name of a map and the parts of its key, except the last, each follow their length
 * in two bytes. A key that does not begin so is one part.
 */
export function contractKeyParts(hex: string): readonly string[] {
  const bytes = (hex.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16));
  const parts: string[] = [];
  let rest = bytes;
  for (;;) {
    const [high = 0, low = 0] = rest;
    const end = 2 + high * 256 + low;
    if (rest.length < 3 || end === 2 || end > rest.length) break;
    const part = rest.slice(2, end);
    // The name of a map is text.
    if (parts.length === 0 && textOf(part).startsWith('0x')) break;
    parts.push(textOf(part));
    rest = rest.slice(end);
  }
  return rest.length === 0 && parts.length > 0 ? parts : [...parts, textOf(rest)];
}

/** The number of cells in a row. The left half is mirrored. */
const cells = 5;

/** A number of 32 bits that depends on each character of a text (FNV-1a). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0;
  return hash;
}

/** A small picture of an address, by which it is recognized. Equal for equal addresses; it proves nothing. */
export function Identicon({ of }: { readonly of: string }) {
  const [shape, colour] = [hashOf(of), hashOf(`colour of ${of}`)];
  let path = '';
  for (let cell = 0; cell < cells * 3; cell += 1) {
    if (((shape >>> cell) & 1) === 0) continue;
    const [row, column] = [Math.floor(cell / 3), cell % 3];
    for (const x of new Set([column, cells - 1 - column])) path += `M${x} ${row}h1v1h-1z`;
  }
  return (
    <svg class="identicon" viewBox="-0.5 -0.5 6 6" aria-hidden="true">
      <path d={path} fill={`hsl(${colour % 360} 55% 50%)`} />
    </svg>
  );
}

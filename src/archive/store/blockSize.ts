import type { RecordedBlock } from './ranges.ts';

/** Characters that count for each fact. */
const factSize = 500;

/** The size of a block that is recorded, about in characters. */
export function sizeOfBlock({ facts, contents }: RecordedBlock): number {
  const size = factSize * facts.length + (contents?.block.length ?? 0);
  return (contents?.transactions ?? []).reduce((sum, { content }) => sum + content.length, size);
}

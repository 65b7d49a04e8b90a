import { archive } from '../../data/nodes.ts';
import { count } from '../../format/numbers.ts';
import { texts } from '../../language/language.ts';

interface FromArchiveProps {
  /** What is shown from the archive, at the start of a sentence. */
  readonly what: string;
  /** What of it lies outside of the blocks of the archive, in words. */
  readonly missing?: readonly string[];
}

/** Says that something comes from the archive, which blocks the archive has recorded, and what is missing. */
export function FromArchive({ what, missing = [] }: FromArchiveProps) {
  const ranges = (archive.value?.coverage ?? []).map(({ from, to }) => texts.value.proposal.range(count(from), count(to)));
  return (
    <p class="note">
      {ranges.length === 0
        ? texts.value.proposal.fromArchive(what)
        : texts.value.proposal.fromBlocks(what, ranges.join(` ${texts.value.words.and} `))}
      {missing.length === 0 ? '' : ` ${texts.value.proposal.outside(missing.join('; '))}`}
    </p>
  );
}

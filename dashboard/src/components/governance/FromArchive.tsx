import { archive } from '../../data/nodes.ts';
import { count } from '../../format/numbers.ts';

interface FromArchiveProps {
  /** What is shown from the archive, at the start of a sentence. */
  readonly what: string;
  /** What of it lies outside of the blocks of the archive, in words. */
  readonly missing?: readonly string[];
}

/** Says that something comes from the archive, which blocks the archive has recorded, and what is missing. */
export function FromArchive({ what, missing = [] }: FromArchiveProps) {
  const ranges = (archive.value?.coverage ?? []).map(({ from, to }) => `${count(from)} to ${count(to)}`);
  return (
    <p class="note">
      {what} from the archive of this server
      {ranges.length === 0 ? '' : `, which has recorded the blocks ${ranges.join(' and ')}`}.
      {missing.length === 0 ? '' : ` Outside of these blocks: ${missing.join('; ')}.`}
    </p>
  );
}

import { weightWords } from '../../format/govTally.ts';
import { Badge } from '../Badge.tsx';

interface VoteOptionsProps {
  readonly of: readonly { readonly option: string; readonly weight: string }[];
}

/** The options of a vote, with their shares if it has several. */
export function VoteOptions({ of }: VoteOptionsProps) {
  return (
    <span class="vote-options">
      {of.map(({ option, weight }) => (
        <span key={option} class="nowrap">
          <Badge of={option} /> <span class="num small muted nowrap">{weightWords(weight)}</span>
        </span>
      ))}
    </span>
  );
}

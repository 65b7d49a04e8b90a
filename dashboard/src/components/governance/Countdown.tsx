import { reference } from '../../data/shown.ts';
import { exact, span } from '../../format/times.ts';
import { texts } from '../../language/language.ts';

/** The time until voting ends, counting down. */
export function Countdown({ until }: { readonly until: string }) {
  const seconds = (Date.parse(until) - reference.value) / 1_000;
  return (
    <time
      class="countdown num"
      data-soon={seconds < 3_600}
      dateTime={until}
      title={texts.value.proposal.votingEnds(exact(until))}
    >
      {seconds <= 0 ? texts.value.proposal.votingEnded : texts.value.proposal.left(span(seconds))}
    </time>
  );
}

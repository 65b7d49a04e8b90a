import { reference } from '../../data/shown.ts';
import { exact, span } from '../../format/times.ts';

/** The time until voting ends, counting down. */
export function Countdown({ until }: { readonly until: string }) {
  const seconds = (Date.parse(until) - reference.value) / 1_000;
  return (
    <time class="countdown num" data-soon={seconds < 3_600} dateTime={until} title={`Voting ends ${exact(until)}`}>
      {seconds <= 0 ? 'voting has ended' : `${span(seconds)} left`}
    </time>
  );
}

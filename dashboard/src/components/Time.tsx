import { reference } from '../data/shown.ts';
import { exact, relative } from '../format/times.ts';

/** A time, relative to now. The exact time is in its title. `isExact` shows the exact time. */
export function Time({ of, isExact = false }: { readonly of: string; readonly isExact?: boolean }) {
  return (
    <time dateTime={of} title={exact(of)}>
      {isExact ? exact(of) : relative(Date.parse(of), reference.value)}
    </time>
  );
}

import { reference } from '../data/shown.ts';
import { exact, relative } from '../format/times.ts';
import { texts } from '../language/language.ts';

/** A time, relative to now. The exact time is in its title. `isExact` shows the exact time. null: it is not known. */
export function Time({ of, isExact = false }: { readonly of: string | null; readonly isExact?: boolean }) {
  if (of === null) return <span class="muted">{texts.value.format.timeUnknown}</span>;
  return (
    <time dateTime={of} title={exact(of)}>
      {isExact ? exact(of) : relative(Date.parse(of), reference.value)}
    </time>
  );
}

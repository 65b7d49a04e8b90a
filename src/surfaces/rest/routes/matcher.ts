import type { Template } from './template.ts';

/** Finds the value at a path. */
export interface Matcher<T> {
  /**
   * Returns the value of the template that the segments match. Literals take precedence over `*`, and `*` over `**`. undefined
   * if none matches.
   */
  find(segments: readonly string[]): T | undefined;
}

interface Place<T> {
  readonly literals: Map<string, Place<T>>;
  one: Place<T> | undefined;
  value: T | undefined;
  /** Value of a template that ends with `**`. */
  rest: T | undefined;
}

function createPlace<T>(): Place<T> {
  return { literals: new Map(), one: undefined, value: undefined, rest: undefined };
}

/** Creates the matcher of some templates. Of two templates that differ only in the names of variables, the first counts. */
export function createMatcher<T>(entries: Iterable<readonly [Template, T]>): Matcher<T> {
  const root = createPlace<T>();

  for (const [{ steps }, value] of entries) {
    let place = root;
    for (const step of steps) {
      if (step.kind === 'rest') break;
      let next = step.kind === 'one' ? place.one : place.literals.get(step.text);
      if (next === undefined) {
        next = createPlace<T>();
        if (step.kind === 'one') place.one = next;
        else place.literals.set(step.text, next);
      }
      place = next;
    }
    if (steps.at(-1)?.kind === 'rest') place.rest ??= value;
    else place.value ??= value;
  }

  function find(place: Place<T>, segments: readonly string[], at: number): T | undefined {
    const segment = segments[at];
    if (segment === undefined) return place.value;
    const literal = place.literals.get(segment);
    const one = segment === '' ? undefined : place.one;
    // `**` needs at least one segment that is not empty: `/denoms_metadata/` has none.
    const isSome = segments.slice(at).some((each) => each !== '');
    return (
      (literal && find(literal, segments, at + 1)) ?? (one && find(one, segments, at + 1)) ?? (isSome ? place.rest : undefined)
    );
  }

  return { find: (segments) => find(root, segments, 0) };
}

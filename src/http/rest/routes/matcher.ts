import type { Template } from './template.ts';

/** Finds what is at a path. */
export interface Matcher<T> {
  /** What was put at the template that the segments match. A literal goes before `*`, and that before `**`. undefined when nothing is there. */
  find(segments: readonly string[]): T | undefined;
}

interface Place<T> {
  readonly literals: Map<string, Place<T>>;
  one: Place<T> | undefined;
  value: T | undefined;
  /** Of a template that goes on for any number of segments. */
  rest: T | undefined;
}

function createPlace<T>(): Place<T> {
  return { literals: new Map(), one: undefined, value: undefined, rest: undefined };
}

/** Makes the matcher of some templates. Of two that are equal but for the names of their variables the first stays. */
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
    // At least one segment: `/denoms_metadata/` asks for none.
    const isSome = segments.slice(at).some((each) => each !== '');
    return (
      (literal && find(literal, segments, at + 1)) ?? (one && find(one, segments, at + 1)) ?? (isSome ? place.rest : undefined)
    );
  }

  return { find: (segments) => find(root, segments, 0) };
}

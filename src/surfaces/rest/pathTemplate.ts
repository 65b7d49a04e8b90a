/** One step of a `google.api.http` path template: a literal, `*` (one segment) or `**` (any number of segments). */
type Step = { readonly kind: 'literal'; readonly text: string } | { readonly kind: 'one' } | { readonly kind: 'rest' };

/**
 * A variable of a path. `field` is the protobuf names of its field: `pagination.limit` has two. Its value is the segments of
 * the steps from `start` (inclusive) to `end` (exclusive).
 */
interface PathVariable {
  readonly field: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** A path template, such as `/cosmos/bank/v1beta1/denom_owners/{denom=**}`. */
export interface Template {
  readonly text: string;
  readonly steps: readonly Step[];
  readonly variables: readonly PathVariable[];
}

function stepOf(text: string): Step {
  if (text === '*') return { kind: 'one' };
  return text === '**' ? { kind: 'rest' } : { kind: 'literal', text };
}

/** Parses a template. undefined if it is invalid or has a verb (`:cancel`), which no service of a chain uses. */
export function parseTemplate(text: string): Template | undefined {
  const steps: Step[] = [];
  const variables: PathVariable[] = [];
  // The pattern of a variable can contain slashes.
  const parts = /^(\/(\{[\w.]+(=[^{}]+)?\}|[^/{}:]+))+$/.test(text)
    ? text.matchAll(/\/(?:\{([\w.]+)(?:=([^{}]+))?\}|([^/{}]+))/g)
    : [];
  for (const [, name, pattern = '*', literal] of parts) {
    if (name === undefined) {
      steps.push(stepOf(literal ?? ''));
      continue;
    }
    const start = steps.length;
    steps.push(...pattern.split('/').map(stepOf));
    variables.push({ field: name.split('.'), start, end: steps.length });
  }
  // `**` is only allowed at the end, so that a path matches in one way only.
  const isReadable = steps.length > 0 && steps.slice(0, -1).every(({ kind }) => kind !== 'rest');
  return isReadable ? { text, steps, variables } : undefined;
}

/** Returns the text of each variable of a template. `segments` are those of the path. */
export function valuesIn(
  template: Template,
  segments: readonly string[],
): readonly { field: readonly string[]; text: string }[] {
  return template.variables.map(({ field, start, end }) => {
    const isRest = template.steps[end - 1]?.kind === 'rest';
    return { field, text: segments.slice(start, isRest ? undefined : end).join('/') };
  });
}

/** Finds the value at a path. */
interface Matcher<T> {
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

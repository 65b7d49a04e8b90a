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

/** What follows a segment in the templates. */
interface Branch<T> {
  readonly literals: Map<string, Branch<T>>;
  one: Branch<T> | undefined;
  value: T | undefined;
  /** Value of a template that ends with `**`. */
  rest: T | undefined;
}

function createBranch<T>(): Branch<T> {
  return { literals: new Map(), one: undefined, value: undefined, rest: undefined };
}

/**
 * Creates a function that returns the value of the template that some segments match. Literals take precedence over `*`, and `*` over `**`. undefined
 * if none matches. Of two templates that differ only in the names of variables, the first counts.
 */
export function createMatcher<T>(entries: Iterable<readonly [Template, T]>): (segments: readonly string[]) => T | undefined {
  const root = createBranch<T>();

  for (const [{ steps }, value] of entries) {
    let branch = root;
    for (const step of steps) {
      if (step.kind === 'rest') break;
      let next = step.kind === 'one' ? branch.one : branch.literals.get(step.text);
      if (next === undefined) {
        next = createBranch<T>();
        if (step.kind === 'one') branch.one = next;
        else branch.literals.set(step.text, next);
      }
      branch = next;
    }
    if (steps.at(-1)?.kind === 'rest') branch.rest ??= value;
    else branch.value ??= value;
  }

  function find(branch: Branch<T>, segments: readonly string[], at: number): T | undefined {
    const segment = segments[at];
    if (segment === undefined) return branch.value;
    const literal = branch.literals.get(segment);
    const one = segment === '' ? undefined : branch.one;
    // `**` needs at least one segment that is not empty: `/denoms_metadata/` has none.
    const isSome = segments.slice(at).some((each) => each !== '');
    return (
      (literal && find(literal, segments, at + 1)) ?? (one && find(one, segments, at + 1)) ?? (isSome ? branch.rest : undefined)
    );
  }

  return (segments) => find(root, segments, 0);
}

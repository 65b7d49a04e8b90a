/** One step of a `google.api.http` path template: a literal, `*` (one segment) or `**` (any number of segments). */
export type Step = { readonly kind: 'literal'; readonly text: string } | { readonly kind: 'one' } | { readonly kind: 'rest' };

/**
 * A variable of a path. `field` is the protobuf names of its field: `pagination.limit` has two. Its value is the segments of
 * the steps from `start` (inclusive) to `end` (exclusive).
 */
export interface PathVariable {
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

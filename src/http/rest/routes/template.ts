/** One step of a path template of `google.api.http`: a literal, `*` (one segment) or `**` (any number of them). */
export type Step = { readonly kind: 'literal'; readonly text: string } | { readonly kind: 'one' } | { readonly kind: 'rest' };

/** A field that a path gives, by the names of protobuf: `pagination.limit` is two. It is made of the steps from `start` until `end`. */
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

/** Parses a template; undefined for one with a verb (`:cancel`), which no service of a chain has, or that is none. */
export function parseTemplate(text: string): Template | undefined {
  const steps: Step[] = [];
  const variables: PathVariable[] = [];
  // A segment may be a variable that has slashes of its own.
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
  // What may be any number of segments can stand at the end alone, so that a path is read in one way.
  const isReadable = steps.length > 0 && steps.slice(0, -1).every(({ kind }) => kind !== 'rest');
  return isReadable ? { text, steps, variables } : undefined;
}

/** What a path gives the variables of its template: the text of each. `segments` are those of the path. */
export function valuesIn(
  template: Template,
  segments: readonly string[],
): readonly { field: readonly string[]; text: string }[] {
  return template.variables.map(({ field, start, end }) => {
    const isRest = template.steps[end - 1]?.kind === 'rest';
    return { field, text: segments.slice(start, isRest ? undefined : end).join('/') };
  });
}

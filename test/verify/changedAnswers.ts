/** An answer with one change. */
export interface ChangedAnswer {
  /** The path of the field, with and without the indexes of lists. */
  readonly at: string;
  readonly path: string;
  readonly data: unknown;
}

const isMembers = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A value that is almost the same. */
function other(value: unknown): unknown {
  if (typeof value === 'string') return value === '' ? ' ' : value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  return value === null ? '0' : null;
}

/**
 * Changes an answer in each of its values: another value, null, a member that is left out or added; in each list an entry that is left out, one twice,
 * and two in each other's place.
 */
export function* changedAnswers(data: unknown): Generator<ChangedAnswer> {
  yield* changes(data, [], [], (value) => value);
}

function* changes(
  value: unknown,
  at: readonly string[],
  path: readonly string[],
  whole: (value: unknown) => unknown,
): Generator<ChangedAnswer> {
  const change = (changed: unknown): ChangedAnswer => ({ at: at.join('.'), path: path.join('.'), data: whole(changed) });
  if (at.length > 0) yield change(other(value));
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) {
      yield change(value.toSpliced(index, 1));
      yield change(value.toSpliced(index, 0, item));
      const before: unknown = value[index - 1];
      if (index > 0 && JSON.stringify(before) !== JSON.stringify(item))
        yield change(value.toSpliced(index - 1, 2, item, before));
      yield* changes(item, [...at, String(index)], path, (changed) => whole(value.toSpliced(index, 1, changed)));
    }
  } else if (isMembers(value)) {
    yield { ...change({ ...value, unasked: 1 }), at: [...at, 'unasked'].join('.') };
    for (const [name, item] of Object.entries(value)) {
      const { [name]: _, ...rest } = value;
      yield { at: [...at, name].join('.'), path: [...path, name].join('.'), data: whole(rest) };
      yield* changes(item, [...at, name], [...path, name], (changed) => whole({ ...value, [name]: changed }));
    }
  }
}

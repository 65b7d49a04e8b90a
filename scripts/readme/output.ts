/** Parses a text that is one JSON value, or has one on each line. Throws if it is neither. */
function valuesOf(text: string): readonly unknown[] {
  try {
    return [JSON.parse(text)];
  } catch {
    return text
      .trim()
      .split('\n')
      .map((line): unknown => JSON.parse(line));
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Describes the first difference from the expected value; undefined if there is none. Compares types and keys, and with `exact`
 * also values.
 */
function difference(value: unknown, expected: unknown, exact: boolean, path: string): string | undefined {
  const found = `${path} is ${JSON.stringify(value)}`;
  if (Array.isArray(expected)) {
    if (!Array.isArray(value)) return `${found}, not a list`;
    if (exact ? value.length !== expected.length : value.length === 0 && expected.length > 0)
      return `${path} has ${value.length} entries, not ${expected.length}`;
    return value
      .map((each, index) => difference(each, exact ? expected[index] : expected[0], exact, `${path}[${index}]`))
      .find((each) => each !== undefined);
  }
  if (isObject(expected)) {
    if (!isObject(value)) return `${found}, not an object`;
    const [keys, others] = [Object.keys(value).toSorted().join(', '), Object.keys(expected).toSorted().join(', ')];
    if (keys !== others) return `${path} has the keys ${keys}, not ${others}`;
    return Object.keys(expected)
      .map((key) => difference(value[key], expected[key], exact, `${path}.${key}`))
      .find((each) => each !== undefined);
  }
  if (exact) return value === expected ? undefined : `${found}, not ${JSON.stringify(expected)}`;
  // null in the page matches any value, because the value exists only at times.
  if (expected === null) return undefined;
  if (typeof value !== typeof expected) return `${found}, not as ${JSON.stringify(expected)}`;
  const isNumber = /^-?\d+(\.\d+)?$/;
  if (typeof value === 'string' && isNumber.test(String(expected)) && !isNumber.test(value))
    return `${found}, not a number as ${JSON.stringify(expected)}`;
  return undefined;
}

/**
 * The difference between the output of a block and the JSON that the page shows below it (`expected`); undefined if there is none. If the block names
 * a height, the two must be equal. Otherwise they must have the same keys and types, because the chain moves on. GraphQL errors in the output are
 * a difference, unless the page shows errors too.
 */
export function wrongOutput(block: string, output: string, expected: string | undefined): string | undefined {
  const hasErrors = /"errors":\s*\[/;
  if (hasErrors.test(output) && !hasErrors.test(expected ?? '')) return `it printed an error: ${output}`;
  if (expected === undefined) return undefined;
  const exact = /x-cosmos-block-height: \d/.test(block);
  try {
    const [values, others] = [valuesOf(output), valuesOf(expected)];
    if (values.length !== others.length) return `it printed ${values.length} lines, not ${others.length}`;
    const nameOf = (index: number): string => (others.length === 1 ? 'the output' : `line ${index + 1}`);
    return values
      .map((value, index) => difference(value, others[index], exact, nameOf(index)))
      .find((each) => each !== undefined);
  } catch {
    return `it did not print JSON: ${output}`;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;

/** The first field of a proven answer that the page shows differently, with its path. The page may show more than was asked for. */
export function firstDifference(page: unknown, answer: unknown, path = ''): string | undefined {
  if (!isObject(answer) || !isObject(page)) return Object.is(page, answer) ? undefined : path;
  if (Array.isArray(answer) && Array.isArray(page) && answer.length !== page.length) return path;
  for (const [name, value] of Object.entries(answer)) {
    const difference = firstDifference(page[name], value, path === '' ? name : `${path}.${name}`);
    if (difference !== undefined) return difference;
  }
  return undefined;
}

/** The most characters of a name. */
const longest = 80;

/** The name in metadata: the field `name` or `title` of a JSON object, or the text itself. Empty if it has none. */
export function readableName(metadata: string): string {
  if (!metadata.trimStart().startsWith('{')) return metadata.slice(0, longest);
  try {
    const { name, title }: { name?: unknown; title?: unknown } = JSON.parse(metadata);
    const text = name ?? title;
    return typeof text === 'string' ? text.slice(0, longest) : '';
  } catch {
    return '';
  }
}

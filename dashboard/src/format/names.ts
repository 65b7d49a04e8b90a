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

/** Controls and the characters that reverse the direction of a text, which would make one name look like another. */
const unseen = /[\p{Cc}\p{Cf}]/gu;

/** A name of an account as it is shown. undefined if there is none, or if it looks like an address and could pass for that of another account. */
export function personName(name: string | null | undefined): string | undefined {
  const text = readableName(name ?? '')
    .replace(unseen, '')
    .trim();
  return text === '' || /^[a-z]{2,16}1[a-z0-9]{4,}(…|$)/i.test(text) ? undefined : text;
}

/** The essential fields of a subject that are only believed, in words. A field that the answer does not have, such as the votes of an empty list, is not one of them. */
export function believedFields(
  { essential }: { readonly essential: Readonly<Record<string, string>> },
  { fields }: { readonly fields: readonly { readonly path: string; readonly level: string }[] },
): readonly string[] {
  const levels = new Map(fields.map(({ path, level }) => [path, level]));
  return Object.entries(essential).flatMap(([path, words]) => {
    // The level of a list that is not there is that of what is around it.
    const parts = path.split('.');
    const level = parts.map((_, index) => levels.get(parts.slice(0, parts.length - index).join('.'))).find(Boolean);
    return level === 'PROVEN' || level === 'RECOMPUTED' ? [] : [words];
  });
}

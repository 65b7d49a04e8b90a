/** The longest word that is indexed. A longer one is cut. */
const longest = 64;

/** The most words of a search. More are left out. */
const mostWords = 8;

/** The words of a text, in lower case and without accents, in the order of the text and each once: letters and digits of any script. */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();
  return [...new Set(Array.from(plain.matchAll(/[\p{L}\p{N}]+/gu), ([word]) => word.slice(0, longest)))];
}

/** The words that a search looks for: each is the beginning of a word of what it finds. At most 8. */
export const searchedWords = (text: string): readonly string[] => wordsOf(text).slice(0, mostWords);

/** Whether each of `words` is the beginning of a word of the text. False without words. */
export function hasWords(text: string, words: readonly string[]): boolean {
  if (words.length === 0) return false;
  const all = wordsOf(text);
  return words.every((word) => all.some((each) => each.startsWith(word)));
}

/** The texts in a value of JSON, without the names of fields. */
function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** What a person reads of metadata: the texts in it if it is a JSON object, else all of it. */
export function readableText(metadata: string): string {
  if (!metadata.trimStart().startsWith('{')) return metadata;
  try {
    return textsIn(JSON.parse(metadata)).join(' ');
  } catch {
    return metadata;
  }
}

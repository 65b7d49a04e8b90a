import { batch, computed, type ReadonlySignal, signal } from '@preact/signals';
import { type Catalogue, en } from './en.ts';

/** The languages of the pages, by their own names. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const;

/** A language of the pages. */
export type Language = keyof typeof languageNames;

const key = 'stele.language';

/** Whether a text is the code of a language of the pages. */
export const isLanguage = (text: string | null | undefined): text is Language =>
  typeof text === 'string' && Object.hasOwn(languageNames, text);

/** The languages of the browser, the preferred one first. Empty outside of a browser. */
const preferred = (): readonly string[] => globalThis.navigator?.languages ?? [];

/** The language that the visitor chose in this browser; else the first one of the browser that there is; else English. */
function firstLanguage(): Language {
  try {
    const stored = globalThis.localStorage?.getItem(key);
    if (isLanguage(stored)) return stored;
  } catch {
    // The browser keeps no storage for the page.
  }
  return (
    preferred()
      .flatMap((tag) => tag.split('-')[0] ?? [])
      .find(isLanguage) ?? 'en'
  );
}

/** The language of the pages. */
export const language = signal<Language>('en');

/** The locale of numbers and dates: the one of the browser for the language, such as `de-AT`, else the language. */
export const locale = computed(() => preferred().find((tag) => tag.split('-')[0] === language.value) ?? language.value);

/** Loads the texts of one part in a language. What it resolves to shows them. */
type Part = (next: Language) => Promise<() => void>;

/** Loads the texts of a part in each language but English. */
type OtherLanguages<T> = Readonly<Record<Exclude<Language, 'en'>, () => Promise<T>>>;

const parts: Part[] = [];

function addPart<T>(english: T, translations: OtherLanguages<T>) {
  const shownTexts = signal(english);
  const part: Part = async (next) => {
    const loaded = next === 'en' ? english : await translations[next]();
    return () => {
      shownTexts.value = loaded;
    };
  };
  parts.push(part);
  return { shownTexts, part };
}

/** The texts that most pages show, in the language of the pages. */
export const texts: ReadonlySignal<Catalogue> = addPart<Catalogue>(en, {
  de: async () => (await import('./de.ts')).de,
}).shownTexts;

/**
 * The texts of a part of the pages, in the language of the pages. Its files are loaded with the code that imports them, so a page loads only the
 * texts that it shows, in one language. They are in English if those of the language cannot be loaded.
 */
export async function textsOfPart<T>(english: T, translations: OtherLanguages<T>): Promise<ReadonlySignal<T>> {
  const { shownTexts, part } = addPart(english, translations);
  const first = language.value;
  const apply = await part(first).catch(() => undefined);
  // Another language may have been chosen meanwhile: it has set the texts of this part too.
  if (language.value === first) apply?.();
  return shownTexts;
}

/** Shows a language. The texts of all parts that are loaded are loaded first. Rejects if they cannot be loaded. */
async function show(next: Language): Promise<void> {
  const loaded = await Promise.all(parts.map((part) => part(next)));
  batch(() => {
    for (const apply of loaded) apply();
    language.value = next;
  });
  document.documentElement.lang = next;
}

/** Shows the language of the visitor. English stays if its texts cannot be loaded. */
export async function showFirstLanguage(): Promise<void> {
  await show(firstLanguage()).catch(() => undefined);
}

/** Chooses a language for this browser. */
export async function chooseLanguage(next: Language): Promise<void> {
  await show(next);
  try {
    localStorage.setItem(key, next);
  } catch {
    // The choice then lasts until the page is closed.
  }
}

/** The forms of a noun behind a number, by the plural rule of its language. */
export interface Forms {
  readonly one: string;
  readonly other: string;
}

const pluralRules = computed(() => new Intl.PluralRules(language.value));

/** The form of a noun that a number asks for in the language of the pages. */
export function formOf(value: string | number | bigint, { one, other }: Forms): string {
  return pluralRules.value.select(Number(value)) === 'one' ? one : other;
}

const wholeNumbers = computed(() => new Intl.NumberFormat(locale.value));
const decimalSeparator = computed(
  () => wholeNumbers.value.formatToParts(0.5).find(({ type }) => type === 'decimal')?.value ?? '.',
);

/** Writes a number in the locale, exactly: `whole` are digits, and so is `fraction`, which may be empty. */
export function writtenNumber(whole: string, fraction: string): string {
  const text = wholeNumbers.value.format(BigInt(whole));
  return fraction === '' ? text : `${text}${decimalSeparator.value}${fraction}`;
}

import { chooseLanguage, isLanguage, language, languageNames, texts } from '../language/language.ts';

/** The choice of the language of the pages. The browser remembers it. */
export function LanguageChoice() {
  return (
    <select
      class="language"
      aria-label={texts.value.shell.language}
      value={language.value}
      onChange={(event) => {
        const chosen = event.currentTarget.value;
        if (isLanguage(chosen)) void chooseLanguage(chosen).catch(() => undefined);
      }}
    >
      {Object.entries(languageNames).map(([code, name]) => (
        <option key={code} value={code} lang={code} title={name}>
          {code.toUpperCase()}
        </option>
      ))}
    </select>
  );
}

import { useState } from 'preact/hooks';
import { texts } from '../language/language.ts';
import { chooseTheme, currentTheme, type Theme } from '../theme/theme.ts';

/** The button that changes between the light and the dark theme. */
export function ThemeToggle() {
  const [theme, setTheme] = useState<Theme>(currentTheme);
  const other = theme === 'dark' ? 'light' : 'dark';
  const name = texts.value.shell[`${other}Theme`];
  const change = (): void => {
    chooseTheme(other);
    setTheme(other);
  };
  return (
    <button type="button" class="icon-button" onClick={change} aria-label={name} title={name}>
      <svg viewBox="0 0 20 20" aria-hidden="true">
        {theme === 'dark' ? (
          <path d="M10 5.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9M10 1v2M10 17v2M1 10h2M17 10h2M3.6 3.6 5 5M15 15l1.4 1.4M16.4 3.6 15 5M5 15l-1.4 1.4" />
        ) : (
          <path d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7z" />
        )}
      </svg>
    </button>
  );
}

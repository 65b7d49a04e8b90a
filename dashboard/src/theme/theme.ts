/** A theme that the visitor chose. Without one, the theme is that of the system. */
export type Theme = 'light' | 'dark';

const key = 'stele.theme';

/** Reads the chosen theme. undefined if there is none, or if the browser keeps no storage for the page. */
export function readTheme(): Theme | undefined {
  try {
    const stored = localStorage.getItem(key);
    return stored === 'light' || stored === 'dark' ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** The theme that the page shows. */
export function currentTheme(): Theme {
  return readTheme() ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
}

/** Chooses a theme for this browser. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // The choice then lasts until the page is closed.
  }
}

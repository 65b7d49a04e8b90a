import { readTheme } from './theme.ts';

// Runs before the first paint, so that a page in the chosen theme does not flash in the other.
const theme = readTheme();
if (theme !== undefined) document.documentElement.dataset.theme = theme;

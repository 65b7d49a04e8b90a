import { readTheme } from './theme.ts';

// Runs before the first paint, so that a page in the chosen theme does not flash in the other.
const theme = readTheme();
if (theme !== undefined) document.documentElement.dataset.theme = theme;

// The colours that the operator chose: `--dashboard-colours` of the server.
const colours = document.querySelector<HTMLMetaElement>('meta[name="dashboard-colours"]')?.content.split(',') ?? [];
for (const [index, name] of ['light', 'dark'].entries()) {
  const colour = colours[index];
  if (colour !== undefined) document.documentElement.style.setProperty(`--own-${name}`, colour);
}
